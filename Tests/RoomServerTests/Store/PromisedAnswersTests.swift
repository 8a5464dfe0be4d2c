import Foundation
import Logging
import NIOCore
import RoomProtocol
import RoomState
import RoomTestSupport
import Testing

@testable import RoomServer
@testable import RoomEngine

@Suite("Answers that confirm a change")
struct PromisedAnswersTests {
  /// Records what a client receives, in order: answers by their ids, events by their names.
  private final class Outlet: SignalOutlet {
    private let state = Shared<(queue: SignalQueue, sent: [String])>((SignalQueue(), []))

    var sent: [String] { state.withLock { $0.sent } }

    func send(_ message: ByteBuffer) { add(.message(message)) }
    func close(_ reason: CloseReason) { add(.close(reason)) }
    func hold() -> SendBarrier { state.withLock { $0.queue.hold() } }

    func release(_ hold: SendBarrier) {
      state.withLock { state in
        state.queue.release(hold)
        Self.sendWhatMayGo(&state)
      }
    }

    private func add(_ item: SignalQueue.Item) {
      state.withLock { state in
        state.queue.add(item)
        Self.sendWhatMayGo(&state)
      }
    }

    private static func sendWhatMayGo(_ state: inout (queue: SignalQueue, sent: [String])) {
      var items = state.queue.take()
      while !items.isEmpty {
        state.sent += items.map(text)
        items = state.queue.take(isNext: true)
      }
    }

    private static func text(_ item: SignalQueue.Item) -> String {
      struct Message: Decodable {
        var id: Int?
        var event: String?
      }
      guard case .message(let bytes) = item,
        let message = try? JSONDecoder().decode(Message.self, from: Data(bytes.readableBytesView))
      else { return "close" }
      return message.event ?? "\(message.id ?? -1)"
    }
  }

  private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  private func set(_ value: String, id: Int) -> SignalRequest {
    SignalRequest(id: id, call: .setAttributes(AttributeParams(set: ["key": value])))
  }

  @Test("the caller's answer and later messages wait for the store; the room and the others do not", .timeLimit(.minutes(1)))
  func waits() async throws {
    let store = SteeredStore()
    let writer = StoreWriter(store, log: Self.quiet)
    let bare = try BareRoom(store: writer)
    defer { bare.plane.stop() }
    let (host, guest) = (Outlet(), Outlet())
    let sessions = (
      await bare.join("host", on: host, grants: [.publish, .subscribe, .admin]), await bare.join("guest", on: guest)
    )
    try await store.end()
    let before = (host.sent.count, guest.sent.count)
    _ = await bare.room.handle(set("1", id: 10), session: sessions.0, of: "host", outlet: host)
    _ = await bare.room.handle(SignalRequest(id: 11, call: .ping), session: sessions.0, of: "host", outlet: host)
    // Rejected, with nothing to store, but the answer keeps its position.
    _ = await bare.room.handle(
      SignalRequest(id: 12, call: .kick(UserParams(userId: "nobody"))), session: sessions.0, of: "host", outlet: host)
    _ = await bare.room.handle(SignalRequest(id: 20, call: .ping), session: sessions.1, of: "guest", outlet: guest)
    #expect(host.sent.count == before.0)
    #expect(guest.sent.dropFirst(before.1) == ["attributesChanged", "20"])
    // Writes everything gathered before, and the change.
    let writing = Task { while !Task.isCancelled { try? await store.end() } }
    try await eventually("the answers") { host.sent.count == before.0 + 4 }
    #expect(host.sent.dropFirst(before.0) == ["10", "attributesChanged", "11", "12"])
    writing.cancel()
    await bare.room.close(EndedData(reason: .roomClosed))
  }

  /// Another room, which records messages.
  private final class Neighbour: PeerRoom {
    let received = Shared<[PKMessage]>([])

    func receive(_ message: PKMessage) async -> Bool {
      received.withLock { $0.append(message) }
      return true
    }
    func startLending(_ user: UserID, to borrower: Borrower, send: @escaping @Sendable ([LentTrack]) -> Void) async {}
    func stopLending(to borrower: Borrower) async {}
    func receive(_ user: UserID, from source: RoomName, _ profile: ParticipantProfile?) async throws(RoomError) {}
  }

  @Test(
    "a message to another room waits for the store: it promises what the room must know after a crash", .timeLimit(.minutes(1)))
  func messages() async throws {
    let (store, neighbour) = (SteeredStore(), Neighbour())
    let bare = try BareRoom(store: StoreWriter(store, log: Self.quiet), peer: neighbour)
    defer { bare.plane.stop() }
    let host = Outlet()
    let session = await bare.join("host", on: host, grants: [.publish, .subscribe, .admin])
    try await store.end()
    _ = await bare.room.handle(
      SignalRequest(id: 10, call: .pk(.invite(PKInviteParams(room: "other")))), session: session, of: "host", outlet: host)
    try await eventually("the invitation is being written") { store.begun.count == 2 }
    #expect(neighbour.received.value.isEmpty)
    try await store.end()
    try await eventually("the other room is invited") { neighbour.received.value.count == 1 }
    await bare.room.close(EndedData(reason: .roomClosed))
  }

  @Test("many calls on one socket are answered in order, each before its event")
  func order() async throws {
    let data = FileManager.default.temporaryDirectory.appending(path: "order-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: data) }
    try await TestServer.with({ $0.data = data }) { server in
      let client = try await server.join("host", grants: [.publish, .subscribe, .admin])
      for id in 100..<160 {
        let call: SignalCall = id % 3 == 0 ? .ping : .setAttributes(AttributeParams(set: ["key": "\(id)"]))
        client.send(String(decoding: try JSONEncoder().encode(SignalRequest(id: id, call: call)), as: UTF8.self))
      }
      try await eventually("all calls are answered") { client.heard.contains("159") && client.heard.contains("158") }
      let expected = (100..<160).flatMap { $0 % 3 == 0 ? ["\($0)"] : ["\($0)", "attributesChanged"] }
      try await eventually("all events are sent") { client.heard.filter { $0 == "attributesChanged" }.count == 40 }
      let heard = client.heard.filter { $0 == "attributesChanged" || (Int($0) ?? 0) >= 100 }
      #expect(heard == expected)
      #expect(try await server.metric("roomserver_store_early_answers_total") == 0)
    }
  }
}
