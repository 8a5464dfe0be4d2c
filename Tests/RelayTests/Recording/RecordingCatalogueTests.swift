import Foundation
import RoomCodecs
import RoomTestSupport
import Synchronization
import Testing

@testable import RoomRelay

/// Collects the events of a directory of recordings.
private final class Events: Sendable {
  private let all = Mutex<[String]>([])

  @Sendable func tell(_ event: RecordingEvent) {
    all.withLock { all in
      switch event {
      case .ended(let facts): all.append("\(facts.name) \(facts.state) \(facts.failure?.cause ?? "")")
      case .deleted(let facts, let reason): all.append("\(facts.name) deleted \(reason)")
      }
    }
  }

  var list: [String] { all.withLock { $0 } }
}

@Suite("The catalogue of recordings")
struct RecordingCatalogueTests {
  private let owner = RecordingOwner(room: "demo", session: "RS_1", job: "tape")

  private func page(_ recordings: Recordings, room: String? = nil) -> [RecordingFacts] {
    recordings.page(of: room, after: nil, limit: 100).recordings
  }

  /// Records some seconds, and waits until they are in the file.
  private func record(_ recordings: Recordings, _ name: String, seconds: Int64) async throws -> FileOutlet {
    let outlet = try recordings.begin(try #require(RecordingName(name)), of: owner) { _ in }
    let broadcast = try GeneratedBroadcast()
    for message in try broadcast.messages(for: seconds * 1000) { outlet.send(message) }
    try await eventually("\(name) grows") { (self.page(recordings).first { $0.name == name }?.size ?? 0) > 10_000 }
    return outlet
  }

  @Test("a recording is listed while it is written, and is ready with its facts", arguments: ["show.mp4", "show.flv"])
  func facts(name: String) async throws {
    let directory = try TemporaryDirectory()
    let events = Events()
    let recordings = Recordings(.init(directory: directory.path), report: events.tell)
    await recordings.start()
    let outlet = try await record(recordings, name, seconds: 6)
    let writing = try #require(page(recordings).first)
    #expect(writing.state == .writing && writing.owner == owner && writing.endedAt == nil)
    try await eventually("its media is known") { self.page(recordings).first?.media?.videoCodec == "h264" }
    let key = try #require(RecordingName(name))
    #expect(throws: RecordingInUse.self) { try recordings.delete(key) }
    outlet.close()
    try await eventually("it is ready") { recordings.facts(of: key)?.state == .ready }
    let facts = try #require(recordings.facts(of: key))
    #expect(facts.media?.videoCodec == "h264" && facts.media?.width == 320 && facts.media?.height == 180)
    #expect(facts.media?.audioCodec == "aac")
    #expect((5800...6200).contains(facts.media?.duration ?? 0), "\(facts)")
    #expect(facts.size == (try FileManager.default.attributesOfItem(atPath: directory.file(name))[.size] as? Int64))
    #expect(events.list == ["\(name) ready "])
    try await eventually("nothing is written any more") { recordings.counters.live == 0 }
    await recordings.stop()

    let restarted = Recordings(.init(directory: directory.path), report: events.tell)
    await restarted.start()
    #expect(page(restarted) == [facts])
    #expect(try restarted.delete(key))
    #expect(try !restarted.delete(key))
    #expect(events.list == ["\(name) ready ", "\(name) deleted api"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
    await restarted.stop()
  }

  @Test("after a kill, a cut recording is listed with what plays; an empty one is gone", arguments: ["show.mp4", "show.flv"])
  func killed(name: String) async throws {
    let directory = try TemporaryDirectory()
    let recordings = Recordings(.init(directory: directory.path))
    await recordings.start()
    let outlet = try await record(recordings, name, seconds: 7)
    _ = try recordings.begin(try #require(RecordingName("empty.mp4")), of: owner) { _ in }
    try await eventually("it is on the disk") { MediaFacts(path: directory.file(name))?.duration ?? 0 >= 3500 }
    // What a killed server leaves.
    let left = try TemporaryDirectory()
    for file in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
      try FileManager.default.copyItem(atPath: directory.file(file), toPath: left.file(file))
    }
    _ = try left.write(".gone.mp4.json", [1])
    _ = try left.write(".show.mp4.json~", [1])
    let events = Events()
    let restarted = Recordings(.init(directory: left.path), report: events.tell)
    await restarted.start()
    try await eventually("it is examined") { events.list == ["\(name) failed interrupted"] }
    let facts = try #require(page(restarted).first)
    #expect(page(restarted).count == 1 && facts.owner == owner && facts.endedAt != nil)
    #expect((3500...7200).contains(facts.media?.duration ?? 0) && facts.media?.width == 320, "\(facts)")
    try await eventually("that is stored") {
      FactsFile(directory: left.path).read(name)?.state == .failed
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: left.path).sorted()
    #expect(files == [".\(name).json", name])
    await restarted.stop()
    let again = Recordings(.init(directory: left.path), report: events.tell)
    await again.start()
    #expect(page(again) == [facts])
    #expect(events.list.count == 1, "it is reported once")
    await again.stop()
    outlet.close()
    await recordings.stop()
  }

  @Test("files that were there before are listed, other names and links are not; pages go from new to old")
  func pages() async throws {
    let directory = try TemporaryDirectory()
    for number in 0..<5 {
      _ = try directory.write("\(number).mp4", [UInt8](repeating: 1, count: number + 1))
      let date = Date(timeIntervalSince1970: 1_000_000 + Double(number / 2))
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: directory.file("\(number).mp4"))
    }
    _ = try directory.write("notes.txt", [1])
    try FileManager.default.createSymbolicLink(atPath: directory.file("link.mp4"), withDestinationPath: "/etc/passwd")
    let recordings = Recordings(.init(directory: directory.path))
    await recordings.start()
    #expect(page(recordings).map(\.name) == ["4.mp4", "3.mp4", "2.mp4", "1.mp4", "0.mp4"])
    #expect(recordings.counters.stored == 5 && recordings.counters.storedBytes == 15)
    var found: [String] = []
    var next: RecordingPosition?
    repeat {
      let (page, following) = recordings.page(of: nil, after: next, limit: 2)
      found += page.map(\.name)
      next = following.flatMap { RecordingPosition("\($0)") }
      // The last of a page may be deleted before the next one.
      if next?.name == "3.mp4" { #expect(try recordings.delete(try #require(RecordingName("3.mp4")))) }
    } while next != nil && found.count < 10
    #expect(found == ["4.mp4", "3.mp4", "2.mp4", "1.mp4", "0.mp4"])
    #expect(page(recordings, room: "demo").isEmpty)
    #expect(recordings.openFile(of: try #require(RecordingName("link.mp4"))) == nil)
    await recordings.stop()
  }

  @Test("the media of a file that is not readable yet is read again each time the file has doubled, until it is")
  func probes() throws {
    let directory = try TemporaryDirectory()
    let sizes = Mutex<[Int]>([])
    let path = directory.file("slow.mp4")
    let catalogue = RecordingCatalogue(directory: directory.path, report: { _ in }) { path in
      let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
      sizes.withLock { $0.append(size) }
      return size < 100_000 ? nil : MediaFacts()
    }
    let file = try CataloguedFile("slow.mp4", in: catalogue, owner: owner)
    for _ in 0..<2000 { try file.write([UInt8](repeating: 0, count: 100)) }
    #expect(sizes.withLock { $0 } == [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 51_200, 102_400])
    #expect(catalogue.facts(of: "slow.mp4")?.media == MediaFacts())
    file.close()
    #expect(sizes.withLock { $0.last } == 200_000, "the complete file is read once more")
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test("the retention deletes no file that the server did not record, also after its media was examined and a restart")
  func foreignFiles() async throws {
    let directory = try TemporaryDirectory()
    _ = try directory.write("holiday.mp4", [UInt8](repeating: 1, count: 100))
    _ = try directory.write("tape.mp4", [UInt8](repeating: 1, count: 100))
    let old = Date(timeIntervalSinceNow: -10_000)
    try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: directory.file("holiday.mp4"))
    let ended = Int64(old.timeIntervalSince1970 * 1000)
    FactsFile(directory: directory.path).write(
      RecordingFacts(name: "tape.mp4", owner: owner, state: .ready, startedAt: ended - 1000, endedAt: ended, size: 100))
    var settings = Recordings.Settings(directory: directory.path)
    let first = Recordings(settings)
    await first.start()
    try await eventually("it has facts") { FactsFile(directory: directory.path).read("holiday.mp4") != nil }
    await first.stop()
    settings.retention = RecordingRetention(longestAge: 3_600_000, largestSize: 1)
    let recordings = Recordings(settings)
    await recordings.start()
    try await eventually("one is deleted") { recordings.counters.deleted == [.age: 1] }
    #expect(page(recordings).map(\.name) == ["holiday.mp4"])
    #expect(FileManager.default.fileExists(atPath: directory.file("holiday.mp4")))
    #expect(try recordings.delete(try #require(RecordingName("holiday.mp4"))), "an API call deletes it")
    await recordings.stop()
  }

  @Test("what the settings no longer allow is deleted, and is counted by reason")
  func retention() async throws {
    let directory = try TemporaryDirectory()
    for (number, age) in [10_000.0, 50, 40, 30].enumerated() {
      _ = try directory.write("\(number).mp4", [UInt8](repeating: 1, count: 100))
      let ended = Int64(Date(timeIntervalSinceNow: -age).timeIntervalSince1970 * 1000)
      FactsFile(directory: directory.path).write(
        RecordingFacts(
          name: "\(number).mp4", owner: owner, state: .ready, startedAt: ended - 1000, endedAt: ended, size: 100))
    }
    var settings = Recordings.Settings(directory: directory.path)
    settings.retention = RecordingRetention(longestAge: 3_600_000, largestSize: 200)
    let events = Events()
    let recordings = Recordings(settings, report: events.tell)
    await recordings.start()
    try await eventually("two are deleted") { recordings.counters.deleted == [.age: 1, .size: 1] }
    #expect(events.list == ["0.mp4 deleted age", "1.mp4 deleted size"])
    #expect(page(recordings).map(\.name) == ["3.mp4", "2.mp4"])
    await recordings.stop()
  }
}
