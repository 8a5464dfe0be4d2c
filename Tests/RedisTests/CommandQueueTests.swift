import RoomRTP
import Testing

@testable import RoomRedis

@Suite("Queue of commands")
struct CommandQueueTests {
  private func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }

  private func results(_ queue: inout CommandQueue) -> [String] {
    queue.takeOutcomes().map { outcome in
      switch outcome.result {
      case .success(let replies): "\(outcome.ticket): \(replies.compactMap(\.text).joined(separator: " "))"
      case .failure(let error): "\(outcome.ticket): \(error)"
      }
    }
  }

  @Test("commands are sent in order once the connection is open, and replies belong to them in order")
  func order() throws {
    var queue = CommandQueue()
    _ = try queue.add([["GET", "a"]], deadline: at(100))
    #expect(queue.takeOutput().isEmpty)
    queue.opened()
    _ = try queue.add([["GET", "b"], ["GET", "c"]], deadline: at(100))
    let sent = String(decoding: queue.takeOutput(), as: UTF8.self)
    #expect(
      sent
        == "*2\r\n$3\r\nGET\r\n$1\r\na\r\n*2\r\n$3\r\nGET\r\n$1\r\nb\r\n*2\r\n$3\r\nGET\r\n$1\r\nc\r\n")
    try queue.received("+1\r\n+2\r\n".utf8)
    #expect(results(&queue) == ["1: 1"])
    try queue.received("+3\r\n".utf8)
    #expect(results(&queue) == ["2: 2 3"])
    #expect(queue.load == 0)
  }

  @Test("after a loss sent commands fail with an unknown effect, and waiting ones are sent on the next connection")
  func loss() throws {
    var queue = CommandQueue()
    queue.opened()
    _ = try queue.add([["SET", "a", "1"]], deadline: at(100))
    _ = queue.takeOutput()
    queue.lost(.closed)
    _ = try queue.add([["SET", "b", "1"]], deadline: at(100))
    #expect(results(&queue) == ["1: the command has no answer: the server closed the connection"])
    queue.opened()
    #expect(String(decoding: queue.takeOutput(), as: UTF8.self) == "*3\r\n$3\r\nSET\r\n$1\r\nb\r\n$1\r\n1\r\n")
  }

  @Test("a command that is not sent by its deadline has no effect; one without an answer ends the connection")
  func deadlines() throws {
    var queue = CommandQueue()
    _ = try queue.add([["GET", "a"]], deadline: at(100))
    #expect(queue.nextDeadline == at(100))
    let isEarly = queue.expire(at: at(99))
    #expect(!isEarly && results(&queue) == [])
    queue.lost(.timedOut)
    let isLate = queue.expire(at: at(100))
    #expect(!isLate && results(&queue) == ["1: the command was not sent in time: the server did not answer in time"])
    queue.opened()
    _ = try queue.add([["GET", "a"]], deadline: at(200))
    let isUnanswered = queue.expire(at: at(200))
    #expect(isUnanswered)
  }

  @Test("the queue is bounded")
  func bounds() throws {
    var queue = CommandQueue(limits: .init(commands: 2, bytes: 1000))
    _ = try queue.add([["GET", "a"]], deadline: at(100))
    let many: [RedisCommand] = [["GET", "a"], ["GET", "b"]]
    #expect(throws: RedisError.queueFull) { _ = try queue.add(many, deadline: at(100)) }
    let long = [RedisCommand([String(repeating: "x", count: 1000)])]
    #expect(throws: RedisError.queueFull) { _ = try queue.add(long, deadline: at(100)) }
  }

  @Test("a reply without a command is a fault of the server")
  func surplus() throws {
    var queue = CommandQueue()
    queue.opened()
    #expect(throws: RedisFault.malformed("a reply without a command")) { () throws in try queue.received("+1\r\n".utf8) }
  }

  @Test("what a node of a Redis Cluster refuses because of its keys is sent to the next one, in order and once")
  func redirect() throws {
    var queue = CommandQueue()
    queue.opened()
    _ = try queue.add([["GET", "a"]], deadline: at(100))
    _ = try queue.add([["EVALSHA", "b"], ["WAIT", "1", "500"]], deadline: at(100))
    _ = try queue.add([["GET", "c"]], deadline: at(100), staysHere: true)
    _ = queue.takeOutput()
    try queue.received("+1\r\n-MOVED 7 h:1\r\n".utf8)
    #expect(results(&queue) == ["1: 1"])
    // Replies are missing: nothing more is sent meanwhile.
    try queue.received(":0\r\n".utf8)
    _ = try queue.add([["GET", "d"]], deadline: at(100))
    #expect(queue.takeOutput().isEmpty)
    #expect(throws: RedisError.notSent(.moved("MOVED 7 h:1"))) {
      try queue.add([["GET", "e"]], deadline: at(100), staysHere: true)
    }
    #expect(throws: RedisFault.moved("MOVED 7 h:1")) { try queue.received("-MOVED 7 h:1\r\n".utf8) }
    #expect(results(&queue).count == 1, "it was for that connection only")
    queue.lost(.moved("MOVED 7 h:1"))
    #expect(results(&queue).isEmpty && queue.load == 3)
    queue.opened()
    let sent = String(decoding: queue.takeOutput(), as: UTF8.self)
    #expect(sent.contains("b\r\n*3\r\n$4\r\nWAIT") && sent.hasSuffix("d\r\n"))
    try queue.received("+2\r\n:1\r\n+3\r\n".utf8)
    #expect(results(&queue) == ["2: 2", "4: 3"])
    #expect(queue.load == 0)
  }

  @Test("a group that was carried out in part is not sent again, and a redirected one fails at its deadline")
  func partialRedirect() throws {
    var queue = CommandQueue()
    queue.opened()
    _ = try queue.add([["SET", "a", "1"], ["GET", "b"]], deadline: at(100))
    _ = try queue.add([["GET", "c"]], deadline: at(100))
    #expect(throws: RedisFault.moved("MOVED 7 h:1")) {
      try queue.received("+OK\r\n-MOVED 7 h:1\r\n-CLUSTERDOWN The cluster is down\r\n".utf8)
    }
    #expect(results(&queue) == ["1: OK"])
    queue.lost(.moved("CLUSTERDOWN The cluster is down"))
    let isLate = queue.expire(at: at(100))
    #expect(!isLate)
    #expect(results(&queue).count == 1 && queue.load == 0)
  }
}
