import Foundation
import RoomHTTPServer
import RoomTestSupport
import Testing

@testable import RoomServer

@Suite("The store of uploads")
struct UploadStoreTests {
  private static func store(_ folder: UploadFolder, _ adjust: (inout UploadSettings) -> Void = { _ in }) async throws
    -> UploadStore
  {
    var settings = folder.settings
    adjust(&settings)
    let store = try UploadStore(settings, node: nil, log: TestServer.quiet)
    await store.start()
    return store
  }

  /// A body of these parts, which then ends, or is cut.
  private static func body(_ parts: [[UInt8]], then cut: HTTPBodyCut? = nil) -> HTTPBody {
    let rest = Shared(parts)
    return HTTPBody { () throws(HTTPBodyCut) in
      if let part = rest.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return part }
      if let cut { throw cut }
      return nil
    }
  }

  private static func add(_ bytes: [UInt8], _ name: String = "a", to store: UploadStore) async throws -> Upload {
    try await store.receive(body([bytes]), named: name, in: store.reserve(Int64(bytes.count)))
  }

  @Test("files are listed from new to old, with the same facts after a restart, and deleted once")
  func restart() async throws {
    let folder = try UploadFolder()
    let first = try await Self.store(folder)
    let film = try await first.receive(Self.body([[1, 2], [3]]), named: "film \"ü\".mp4", in: first.reserve(nil))
    let other = try await Self.add([4], "other", to: first)
    #expect(film.bytes == 3 && film.name == "film \"ü\".mp4")
    #expect(abs(Double(film.createdAt) / 1000 - Date().timeIntervalSince1970) < 60)
    #expect(folder.read("\(film.id)") == [1, 2, 3])
    let listed = first.uploads
    #expect(Set(listed) == [film, other] && listed.map(\.createdAt) == listed.map(\.createdAt).sorted(by: >))
    await first.stop()

    let second = try await Self.store(folder)
    #expect(second.uploads == listed)
    #expect(second.tally.stored == 2 && second.tally.storedBytes == 4)
    #expect(second.open(film.id)?.path == "\(folder.path)/\(film.id)")
    #expect(try await second.delete(film.id))
    #expect(try await !second.delete(film.id))
    #expect(second.open(film.id)?.path == nil && second.uploads == [other])
    #expect(try folder.names == [".\(other.id).json", "\(other.id)"])
    await second.stop()
  }

  @Test("an upload that fails leaves nothing, and gives its place back")
  func failures() async throws {
    let folder = try UploadFolder()
    let store = try await Self.store(folder) {
      $0.largest = 10
      $0.total = 12
    }
    for (parts, cut, failure) in [
      ([[1]], .connection, .aborted), ([], .connection, .aborted), ([[1], [2]], .limit, .tooLarge),
      ([[1, 2], [UInt8](repeating: 1, count: 9)], nil, .tooLarge), ([], nil, .empty),
    ] as [([[UInt8]], HTTPBodyCut?, UploadFailure)] {
      await #expect(throws: failure) {
        _ = try await store.receive(Self.body(parts, then: cut), named: "a", in: store.reserve(nil))
      }
      #expect(try folder.names == [])
    }
    #expect(store.tally.failures == ["aborted": 2, "limit": 2, "empty": 1] && store.tally.running == 0)
    // All bytes are free again.
    _ = try await Self.add([UInt8](repeating: 1, count: 10), to: store)
    #expect(throws: UploadFailure.total(limit: 12)) { try store.reserve(3) }
    _ = try await Self.add([1, 2], to: store)
    await #expect(throws: UploadFailure.total(limit: 12)) {
      _ = try await store.receive(Self.body([[1]]), named: "a", in: store.reserve(nil))
    }
    #expect(try folder.names.count == 4)
    await store.stop()
  }

  @Test("at most four arrive at once, and hold the bytes that they declared")
  func slots() async throws {
    let folder = try UploadFolder()
    let store = try await Self.store(folder) { $0.total = 100 }
    var slots = try (0..<UploadStore.slots).map { _ in try store.reserve(20) }
    #expect(throws: UploadFailure.busy) { try store.reserve(1) }
    slots.removeLast()
    #expect(throws: UploadFailure.total(limit: 100)) { try store.reserve(41) }
    let last = try store.reserve(nil)
    try last.hold(40)
    #expect(throws: UploadFailure.total(limit: 100)) { try last.hold(41) }
    last.release()
    slots = []
    #expect(store.tally.running == 0)
    _ = try store.reserve(100)
    await store.stop()
  }

  @Test("a start removes what a kill left, and nothing that is not an upload's")
  func leftovers() async throws {
    let folder = try UploadFolder()
    let id = UploadID(at: nil)
    for name in [".\(id).part", ".\(id).json", "\(UploadID(at: nil)).part", "notes.txt", ".part", ".hidden.json"] {
      try folder.write(name)
    }
    let stored = UploadID(at: "node")
    try folder.write("\(stored)", "12345")
    try folder.write(".\(stored).json", "no JSON")
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/\(UploadID(at: nil))", withDestinationPath: "/etc/passwd")
    let before = try folder.names
    let store = try await Self.store(folder)
    #expect(store.uploads.map(\.id) == [stored] && store.uploads[0].bytes == 5 && store.uploads[0].name == "\(stored)")
    #expect(try Set(before).subtracting(folder.names) == [".\(id).part", ".\(id).json"])
    await store.stop()
  }

  @Test("an unused upload is deleted, one in use never, and each use counts from its end")
  func unused() async throws {
    let folder = try UploadFolder()
    let first = try await Self.store(folder)
    let (old, opened, played) = (
      try await Self.add([1], to: first), try await Self.add([2], to: first), try await Self.add([3], to: first)
    )
    await first.stop()
    for upload in [old, opened, played] { try folder.age("\(upload.id)", 90) }

    let second = try await Self.store(folder) { $0.unusedTime = .seconds(100) }
    let use = try #require(second.open(opened.id))
    #expect(second.open(played.id)?.path != nil)
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    await second.clean(now: now + 20_000)
    #expect(Set(second.uploads.map(\.id)) == [opened.id, played.id])
    #expect(second.tally.deleted == [.unused: 1])
    await second.clean(now: now + 3_600_000)
    #expect(second.uploads.map(\.id) == [opened.id])
    withExtendedLifetime(use) { #expect(folder.read("\(opened.id)") == [2]) }
    // The time of the use survives a restart.
    try await eventually("it is on disk") {
      let age = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(opened.id)")[.modificationDate] as? Date
      return age.map { -$0.timeIntervalSinceNow < 60 } ?? false
    }
    await second.stop()

    try folder.age("\(opened.id)", 90)
    let third = try await Self.store(folder) { $0.unusedTime = .seconds(60) }
    try await eventually("a start deletes it") { try folder.names == [] && third.uploads.isEmpty }
    await third.stop()
  }

  @Test("one server alone uses a directory")
  func locked() async throws {
    let folder = try UploadFolder()
    let first = try await Self.store(folder)
    #expect(throws: UploadFailure.disk("another server uses \(folder.path)")) {
      try UploadStore(folder.settings, node: nil, log: TestServer.quiet)
    }
    await first.stop()
    let next = try await Self.store(folder)
    await next.stop()
  }

  @Test("a directory that does not work refuses uploads and keeps its place")
  func broken() async throws {
    let folder = try UploadFolder()
    let store = try await Self.store(folder)
    try FileManager.default.removeItem(atPath: folder.path)
    for _ in 0...UploadStore.slots {
      await #expect(throws: UploadFailure.disk("No such file or directory")) { _ = try await Self.add([1], to: store) }
    }
    #expect(store.tally.running == 0)
    await store.stop()
  }

  @Test("an upload of another node is named as such")
  func elsewhere() async throws {
    let folder = try UploadFolder()
    let store = try UploadStore(folder.settings, node: "here", log: TestServer.quiet)
    #expect(store.missing("\(UploadID(at: "there"))").message.contains("at node \"there\""))
    for text in ["\(UploadID(at: "here"))", "\(UploadID(at: nil))", "x"] {
      #expect(store.missing(text).message == "there is no upload \"\(text)\"")
    }
    await store.stop()
  }
}
