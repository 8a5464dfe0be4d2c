import Foundation
import Logging
import RoomTestSupport
import Testing

@testable import RoomEngine

@Suite("Documents are changed in order")
struct DocumentsTests {
  private struct Note: Codable, Equatable, Sendable {
    var text: String
  }

  /// A store that does not answer while the test says so.
  private actor FailingStore: DocumentStore {
    struct Away: Error {}

    private let memory = DocumentMemory()
    private(set) var writes = 0
    private var failures = 0

    /// Fails the next operations.
    func fail(_ count: Int) { failures = count }

    private func check() throws {
      guard failures > 0 else { return }
      failures -= 1
      throw Away()
    }

    func documents(_ kind: DocumentKind) async throws -> [String: Data] {
      try check()
      return await memory.documents(kind)
    }

    func document(_ kind: DocumentKind, _ id: String) async throws -> Data? {
      try check()
      return await memory.document(kind, id)
    }

    func set(_ document: Data?, _ kind: DocumentKind, _ id: String) async throws {
      try check()
      writes += 1
      await memory.set(document, kind, id)
    }
  }

  private let store = FailingStore()

  private func documents(capacity: Int = 100) -> Documents<Note> {
    Documents(
      store, .egress, capacity: capacity, attempts: 3, pause: .milliseconds(1),
      log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  @Test("each change sees those before it, and its caller continues once it is stored") func order() async throws {
    let documents = documents()
    try await documents.set(Note(text: ""), as: "a")
    for number in 0..<10 { documents.note("a") { $0.text += "\(number)" } }
    #expect(try await documents.update("a") { $0.text += "!" }?.text == "0123456789!")
    let stored = try #require(try await store.document(.egress, "a"))
    #expect(try JSONDecoder().decode(Note.self, from: stored).text == "0123456789!")
    // What does not change is not written, and what is not there is not made by a note.
    let writes = await store.writes
    try await documents.update("a") { _ in }
    documents.note("b") { $0.text = "new" }
    #expect(await store.writes == writes)
    #expect(try await documents.all.keys.sorted() == ["a"])
    try await documents.set(nil, as: "a")
    #expect(try await documents.value("a") == nil)
  }

  @Test("a caller gets the error of the store; a noted change is repeated, and counted if it is lost")
  func failures() async throws {
    let documents = documents()
    try await documents.set(Note(text: "a"), as: "a")
    await store.fail(1)
    await #expect(throws: DocumentError.self) { try await documents.set(Note(text: "b"), as: "a") }
    await store.fail(2)
    documents.note("a") { $0.text += "c" }
    #expect(try await documents.update("a") { $0.text += "d" }?.text == "acd")
    await store.fail(3)
    documents.note("a") { $0.text += "e" }
    #expect(try await documents.update("a") { $0.text += "f" }?.text == "acdf")
    #expect(documents.lost == 1)
  }

  @Test("a write takes the value of its turn, is repeated until it succeeds, and its error is kept until then")
  func writes() async throws {
    let (documents, value) = (documents(), Shared("old"))
    documents.write("a") { .value(Note(text: value.withLock { $0 })) }
    try await documents.settled()
    await store.fail(20)
    value.withLock { $0 = "new" }
    documents.write("a") { .value(Note(text: value.withLock { $0 })) }
    await #expect(throws: DocumentError.self) { try await documents.settled("a") }
    try await documents.settled("b")
    try await eventually("the write has succeeded") { (try? await documents.settled()) != nil }
    #expect(try await documents.value("a")?.text == "new")
    documents.write("a") { .unchanged }
    try await documents.settled("a")
    #expect(try await documents.value("a")?.text == "new")
  }

  @Test("writes of a document whose turn has not come are one, with the last content") func together() async throws {
    let (documents, (gate, opens)) = (documents(), AsyncStream.makeStream(of: Void.self))
    documents.write("first") {
      for await _ in gate {}
      return .value(Note(text: "first"))
    }
    for number in 0..<10 { documents.write("a") { .value(Note(text: "\(number)")) } }
    documents.write("a") { .removed }
    opens.finish()
    try await documents.settled()
    #expect(await store.writes == 2)
    #expect(try await documents.all.keys.sorted() == ["first"])
  }

  @Test("changes beyond the capacity are refused or lost") func full() async throws {
    let (documents, (gate, opens)) = (documents(capacity: 2), AsyncStream.makeStream(of: Void.self))
    try await documents.set(Note(text: "a"), as: "a")
    documents.write("first") {
      for await _ in gate {}
      return .unchanged
    }
    for text in ["b", "c", "d"] { documents.note("a") { $0.text += text } }
    await #expect(throws: DocumentError.self) { try await documents.set(nil, as: "a") }
    opens.finish()
    try await documents.settled()
    #expect(try await documents.value("a")?.text == "abc" && documents.lost == 1)
  }

  @Test("what is not to stay is removed, and what can't be read") func sweep() async throws {
    let documents = documents()
    for id in ["a", "b"] { try await documents.set(Note(text: id), as: id) }
    try await store.set(Data("no note".utf8), .egress, "c")
    #expect(try await documents.value("c") == nil)
    #expect(try await documents.update("c") { $0.text = "new" } == nil)
    #expect(try await store.document(.egress, "c") != nil)
    try await documents.sweep { $0.text == "a" }
    #expect(try await store.documents(.egress).keys.sorted() == ["a"])
  }
}
