import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing

@testable import RoomClient

@Suite("Messages over data channels, with a real server", .serialized, .timeLimit(.minutes(2)))
struct DataTests {
  private static let options = RoomOptions(data: true)

  private func next(_ count: Int, of messages: AsyncStream<ReceivedData>) async throws -> [ReceivedData] {
    try await within(seconds: 20) {
      var all: [ReceivedData] = []
      for await message in messages {
        all.append(message)
        if all.count == count { break }
      }
      return all
    }
  }

  private func within<Result: Sendable>(
    seconds: Int, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
      group.addTask { try await body() }
      group.addTask {
        try await Task.sleep(for: .seconds(seconds))
        throw DidNotHappen(what: "no message within \(seconds) s")
      }
      defer { group.cancelAll() }
      guard let first = try await group.next() else { throw CancellationError() }
      return first
    }
  }

  @Test("messages reach all others, or those that are named, with their sender; a client without data channels gets none")
  func messages() async throws {
    try await onStage { stage in
      let ada = try await stage.join("ada", options: Self.options)
      // It needs no grant.
      let bob = try await stage.join("bob", grants: [], options: Self.options)
      let eve = try await stage.join("eve", options: Self.options)
      _ = try await stage.join("old")
      let (adas, bobs, eves) = (ada.data.messages(), bob.data.messages(), eve.data.messages())
      // Each waits until its channel is open.
      for user in [bob, eve] { try await user.data.send([0], to: ["nobody"]) }
      try await ada.data.send([1, 2, 3], topic: "pose")
      #expect(
        try await next(1, of: bobs) == [ReceivedData(userId: "ada", topic: "pose", payload: [1, 2, 3], isReliable: true)])
      #expect(try await next(1, of: eves).first?.userId == "ada")
      try await ada.data.send([4], to: ["eve", "old", "nobody"], reliable: false)
      #expect(try await next(1, of: eves) == [ReceivedData(userId: "ada", topic: "", payload: [4], isReliable: false)])
      try await bob.data.send([], topic: "empty")
      #expect(try await next(1, of: adas).first?.topic == "empty")
      // Nothing for eve alone has reached bob before this.
      try await ada.data.send([5])
      #expect(try await next(1, of: bobs).first?.payload == [5])
      #expect(try await code { try await ada.data.send([UInt8](repeating: 0, count: 60_001)) } == .messageFailed)
      let old = try await stage.join("older")
      await #expect(throws: RoomClientError.self) { try await old.data.send([1]) }
    }
  }

  @Test("a hidden participant's messages go nowhere, and it gets those of others") func hidden() async throws {
    try await onStage { stage in
      let ada = try await stage.join("ada", options: Self.options)
      let spy = try await stage.join("spy", grants: [.subscribe, .hidden], options: Self.options)
      let messages = spy.data.messages()
      // Waits until its channel is open: what is sent before does not reach it.
      try await spy.data.send([2])
      try await eventually("it is refused") { await stage.server.metricsText().contains("roomserver_data_refused_total 1\n") }
      try await ada.data.send([1])
      #expect(try await next(1, of: messages).first?.userId == "ada")
    }
  }

  @Test("a megabyte arrives in order") func large() async throws {
    try await onStage { stage in
      let ada = try await stage.join("ada", options: Self.options)
      let bob = try await stage.join("bob", options: Self.options)
      let messages = bob.data.messages()
      let sending = Task {
        for number in 0..<20 { try await ada.data.send([UInt8](repeating: UInt8(number), count: 50_000)) }
      }
      let all = try await next(20, of: messages)
      #expect(all.map { $0.payload[0] } == Array(0..<20) && all.allSatisfy { $0.payload.count == 50_000 })
      try await sending.value
    }
  }
}
