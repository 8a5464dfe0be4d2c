import Foundation
import NIOCore
import RoomProtocol
import Testing

@testable import RoomServer
@testable import RoomEngine

@Suite("The queue of a socket")
struct SignalQueueTests {
  private func taken(_ queue: inout SignalQueue) -> [SignalQueue.Item] { queue.take() }
  private func next(_ queue: inout SignalQueue) -> [SignalQueue.Item] { queue.take(isNext: true) }
  private func message(_ text: String) -> SignalQueue.Item { .message(ByteBuffer(string: text)) }

  @Test("messages after a hold wait for its release, in order, and so does the close")
  func hold() {
    var queue = SignalQueue()
    #expect(queue.isEmpty)
    let hold = queue.hold()
    #expect(!queue.isEmpty)
    queue.add(message("answer"))
    queue.add(message("event"))
    queue.add(.close(.sessionEnded))
    #expect(taken(&queue).isEmpty)
    queue.release(hold)
    #expect(taken(&queue) == [message("answer"), message("event"), .close(.sessionEnded)])
    #expect(next(&queue).isEmpty && queue.isEmpty)
  }

  @Test("the second of two answers waits for the first, whichever is released first")
  func two() {
    var queue = SignalQueue()
    let first = queue.hold()
    queue.add(message("1"))
    let second = queue.hold()
    queue.add(message("2"))
    queue.release(second)
    #expect(taken(&queue).isEmpty)
    queue.release(first)
    #expect(taken(&queue) == [message("1"), message("2")])
    #expect(next(&queue).isEmpty && queue.isEmpty)
    let third = queue.hold()
    queue.add(message("3"))
    let fourth = queue.hold()
    queue.add(message("4"))
    queue.release(third)
    #expect(taken(&queue) == [message("3")])
    #expect(next(&queue).isEmpty && !queue.isEmpty)
    queue.release(fourth)
    #expect(taken(&queue) == [message("4")])
  }

  @Test("while one caller sends, no other does, and the caller also sends what is added meanwhile")
  func oneSends() {
    var queue = SignalQueue()
    let hold = queue.hold()
    queue.add(message("1"))
    queue.release(hold)
    #expect(taken(&queue) == [message("1")])
    #expect(!queue.isEmpty)
    queue.add(message("2"))
    #expect(taken(&queue).isEmpty)
    #expect(next(&queue) == [message("2")])
    #expect(next(&queue).isEmpty && queue.isEmpty)
  }

  @Test("an answer that can't be encoded as JSON is logged, counted, and becomes an error")
  func unwritable() throws {
    let counters = ServerCounters()
    var sockets = RoomSockets(log: TestServer.quiet, count: { counters.count($0) })
    let outlet = RecordingOutlet()
    sockets.answer(7, .success(["value": Double.nan]), on: outlet)
    let answers = outlet.takeMessages().compactMap { try? JSONDecoder().decode(SignalAnswer<Empty>.self, from: $0) }
    guard case .error(let id, let error) = try #require(answers.first) else {
      Issue.record("no error")
      return
    }
    #expect(id == 7 && error.code == .unknownMessage)
    #expect(counters.values.messagesUnwritable == 1)
    #expect(throws: SignalWriter.Unwritable.self) { try SignalWriter.result(Double.infinity, id: 1) }
  }
}
