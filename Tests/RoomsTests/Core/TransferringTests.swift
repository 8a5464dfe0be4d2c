import RoomPeers
import RoomProtocol
import RoomSFU
import RoomWebRTC
import Testing

@testable import RoomEngine

/// A client that keeps its connections in another room.
@Suite("Clients that go to another room")
struct TransferringTests {
  private static let traits: ClientTraits = [
    .opensReceiving, .choosesTrackIDs, .moves, .changesRoom, .keepsTransports, .hasSingleConnection,
  ]

  private func orders(_ outputs: [RoomOutput]) -> [MediaOrder] {
    outputs.compactMap { if case .media(let order) = $0 { order } else { nil } }
  }

  /// Ann is in room "a", publishes a sound there and receives Bob's. Cat publishes in room "b".
  private func rooms() throws -> (VirtualRoom, VirtualRoom) {
    var (one, two) = (VirtualRoom(), VirtualRoom(name: "b"))
    var offer = SingleConnectionOffer()
    for direction in ["recvonly", "sendonly"] { offer.add("audio", direction) }
    one.join("ann", [.publish, .subscribe], traits: Self.traits)
    try one.publish("bob", .publish)
    try two.publish("cat", .publish)
    _ = (one.settle(), two.settle())
    let own = NewTrack(mid: "1", kind: .audio, trackId: "TR_own")
    try one.call(.publish(PublishParams(sdp: offer.sdp, tracks: [own])), by: "ann")
    _ = one.settle()
    return (one, two)
  }

  @Test("it keeps its transport and its track there, and is asked for an offer for what it receives")
  func transfer() throws {
    var (one, two) = try rooms()
    let client = try #require(one.core.roster["ann"])
    let transport = try #require(client.publishing?.id)
    #expect(client.receiving.transport?.tracks.map(\.userId) == ["bob"])

    try one.core.move("ann", to: "b")
    #expect(one.settle().contains { if case .deliver(.move("b"), _) = $0 { true } else { false } })
    #expect(one.core.roster["ann"] != nil, "until its connection takes it along")
    let released = one.core.release(client.session, of: "ann")
    var moved = try #require(released)
    let left = one.settle()
    #expect(one.core.roster["ann"] == nil && !orders(left).contains(.close(transport)))
    #expect(!left.contains { if case .end = $0 { true } else { false } })

    let token = two.token("ann", [.publish, .subscribe])
    let transfers = try two.core.prepare(&moved, token)
    #expect(transfers.map(\.transport) == [transport] && transfers[0].tracks.keys.elementsEqual([client.tracks[0].id]))
    let session = try two.core.admit(moved, token, request: 0, on: two.newConnection())
    let came = two.settle()
    let me = try #require(two.core.roster["ann"])
    #expect(me.session == session && me.publishing?.id == transfers[0].next && me.receiving.transport?.id == transfers[0].next)
    #expect(me.tracks.map(\.info.trackId) == ["TR_own"] && me.tracks.map(\.id) == Array(transfers[0].tracks.values))
    #expect(orders(came).contains(.publish(me.tracks[0].id, on: transfers[0].next, me.tracks[0].parameters)))
    #expect(!orders(came).contains { if case .open = $0 { true } else { false } })
    #expect(me.receiving.transport?.tracks.isEmpty == true)
    #expect(came.contains { if case .deliver(.needsOffer, _) = $0 { true } else { false } })
    let welcome = came.lazy.compactMap { if case .welcome(_, _, let result) = $0 { result } else { nil } }.first
    #expect(welcome?.me.tracks.map(\.trackId) == ["TR_own"] && welcome?.participants.map(\.userId) == ["cat"])
  }

  @Test("a full room does not get it, and a client of another kind joins anew") func refused() throws {
    var (one, _) = try rooms()
    var full = VirtualRoom(name: "c") { $0.participants = 1 }
    try full.publish("cat", .publish)
    let client = try #require(one.core.roster["ann"])
    let released = one.core.release(client.session, of: "ann")
    var moved = try #require(released)
    #expect(throws: RoomError.self) { _ = try full.core.prepare(&moved, full.token("ann", .publish)) }

    one.join("dan", .subscribe, traits: [.moves])
    let dan = try #require(one.core.roster["dan"])
    let kept = one.core.release(dan.session, of: "dan")
    #expect(kept == nil)
    try one.core.move("dan", to: "b")
    #expect(one.core.roster["dan"] == nil)
    #expect(one.settle().contains { if case .end(_, let ended) = $0 { ended.room == "b" } else { false } })
  }
}
