import RoomPeers
import RoomProtocol
import RoomWebRTC
import Testing

@testable import RoomEngine
@testable import RoomSFU

/// A client whose session continues at another node.
@Suite("Media that moves to another node")
struct MovingTests {
  private static let annex = MediaAnnexID(member: 70)
  private var room = VirtualRoom { settings in
    settings.addresses = { _ in
      (Fingerprint(algorithm: "sha-256", bytes: [UInt8](repeating: 9, count: 32)), [])
    }
  }

  /// Joins as a viewer, resuming a session.
  private mutating func join(_ session: SessionID? = nil, at annex: MediaAnnexID?, moves: Bool? = true) -> SessionID? {
    let params = JoinParams(token: "", resume: session, moves: moves)
    let joined = room.core.join(room.token("ann", .subscribe), params, request: 1, on: room.newConnection(), annex: annex)
    guard case .joined(let id) = joined else { return nil }
    return id
  }

  private func closed(_ outputs: [RoomOutput]) -> [TransportID] {
    outputs.compactMap { if case .media(.close(let id)) = $0 { id } else { nil } }
  }

  private func result(_ outputs: [RoomOutput]) -> JoinResult? {
    outputs.compactMap { if case .welcome(_, _, let result) = $0 { result } else { nil } }.last
  }

  @Test("the session continues with a transport there; the old one stays until the client closes it, or for ten seconds")
  mutating func moves() throws {
    try room.publish("host", .publish)
    let session = try #require(join(at: Self.annex))
    _ = room.settle()
    let old = try #require(room.core.roster["ann"]?.receiving.transport?.id)

    #expect(join(session, at: nil) == session)
    var outputs = room.settle()
    #expect(result(outputs)?.resumed == true && result(outputs)?.moved == true)
    let next = try #require(room.core.roster["ann"]?.receiving.transport)
    #expect(next.id != old && next.pending?.restart == true && closed(outputs).isEmpty)
    room.core.handle(.transportClosed(old))
    outputs = room.settle()
    #expect(closed(outputs) == [old] && room.core.roster["ann"]?.receiving.transport?.id == next.id)

    #expect(join(session, at: Self.annex) == session)
    #expect(closed(room.settle()).isEmpty)
    room.pass(.seconds(11))
    #expect(closed(room.settle()) == [next.id])
    #expect(room.core.roster["ann"]?.leaving == nil)
  }

  @Test("a client that leaves closes both transports; one that does not move begins anew")
  mutating func ends() throws {
    try room.publish("host", .publish)
    var session = try #require(join(at: Self.annex))
    _ = room.settle()
    let old = try #require(room.core.roster["ann"]?.receiving.transport?.id)
    #expect(join(session, at: nil) == session)
    _ = room.settle()
    let next = try #require(room.core.roster["ann"]?.receiving.transport?.id)
    room.core.leave("ann")
    #expect(Set(closed(room.settle())) == [old, next])

    session = try #require(join(at: Self.annex, moves: nil))
    _ = room.settle()
    #expect(join(session, at: nil, moves: nil) != session)
    let outputs = room.settle()
    #expect(result(outputs)?.resumed == false && result(outputs)?.moved == nil)
  }
}
