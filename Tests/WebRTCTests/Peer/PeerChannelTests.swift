import RoomRTP
import Testing

@testable import RoomWebRTC

@Suite("Data channels of peers")
struct PeerChannelTests {
  private func events(_ end: PeerPair.End) -> [DataChannelEvent] {
    end.events.compactMap { if case .channel(let event) = $0 { event } else { nil } }
  }

  private func pair(profile: SRTPProfile = .aeadAES128GCM) throws -> PeerPair {
    let pair = try PeerPair.connected(profile: profile)
    for end in [pair.server, pair.client] { end.peer.enableChannels(DataParameters(), now: pair.now) }
    return pair
  }

  @Test("messages cross between a server and a client, beside media")
  func messages() throws {
    let pair = try pair()
    let id = try pair.client.peer.openChannel(DataChannel(label: "chat"), now: pair.now)
    pair.run(milliseconds: 500)
    #expect(events(pair.server) == [.opened(id, DataChannel(label: "chat"))])
    let large = DataChannelMessage([UInt8](repeating: 3, count: 50_000))
    for message in [DataChannelMessage("hello"), large] {
      try pair.client.peer.send(message, on: id, now: pair.now)
      try pair.server.peer.send(message, on: id, now: pair.now)
      pair.sendRTP(rtpPacket(sequence: 1), from: pair.client)
    }
    pair.run(milliseconds: 2000)
    #expect(events(pair.server).messages(on: id) == [DataChannelMessage("hello"), large])
    #expect(events(pair.client).messages(on: id) == [DataChannelMessage("hello"), large])
    #expect(pair.server.media.count == 1)
    #expect(pair.sent.allSatisfy { $0.bytes.count <= 1200 }, "no datagram is longer than the path's MTU")
    pair.client.peer.closeChannel(id, now: pair.now)
    pair.run(milliseconds: 2000)
    #expect(events(pair.server).last == .closed(id) && events(pair.client).last == .closed(id))
  }

  @Test("lost datagrams are repeated")
  func loss() throws {
    let pair = try pair()
    var count = 0
    pair.loses = { _ in
      count += 1
      return count % 10 == 0
    }
    let id = try pair.server.peer.openChannel(DataChannel(label: "a"), now: pair.now)
    pair.run(milliseconds: 3000)
    for number in 0..<50 as Range<UInt8> {
      try pair.server.peer.send(DataChannelMessage([UInt8](repeating: number, count: 5000)), on: id, now: pair.now)
    }
    pair.run(milliseconds: 60_000) { events(pair.client).messages(on: id).count < 50 }
    #expect(events(pair.client).messages(on: id).map { $0.payload[0] } == Array(0..<50))
  }

  @Test("a client that begins before the server knows of its data channels need not repeat its first packet")
  func early() throws {
    let pair = try PeerPair.connected()
    pair.client.peer.enableChannels(DataParameters(), now: pair.now)
    let id = try pair.client.peer.openChannel(DataChannel(label: "a"), now: pair.now)
    pair.run(milliseconds: 100)
    pair.server.peer.enableChannels(DataParameters(), now: pair.now)
    // Less than until the first repetition.
    pair.run(milliseconds: 300)
    #expect(events(pair.server) == [.opened(id, DataChannel(label: "a"))])
  }

  @Test("a server without data channels discards them, and stays connected")
  func disabled() throws {
    let pair = try PeerPair.connected()
    pair.client.peer.enableChannels(DataParameters(), now: pair.now)
    #expect(throws: DataChannelError.unavailable) {
      try pair.server.peer.openChannel(DataChannel(label: "a"), now: pair.now)
    }
    pair.run(milliseconds: 5000)
    #expect(pair.server.events.isEmpty)
    pair.run(milliseconds: 120_000)
    #expect(events(pair.client).last == .ended(.noAnswer))
    pair.sendRTP(rtpPacket(sequence: 1), from: pair.client)
    pair.run(milliseconds: 100)
    #expect(pair.server.media.count == 1)
  }

  @Test("the association ends with the peer")
  func close() throws {
    let pair = try pair()
    let id = try pair.client.peer.openChannel(DataChannel(label: "a"), now: pair.now)
    pair.run(milliseconds: 500)
    pair.client.peer.close(now: pair.now)
    pair.run(milliseconds: 100)
    #expect(pair.server.events.last == .closed)
    #expect(throws: DataChannelError.unavailable) {
      try pair.server.peer.send(DataChannelMessage("x"), on: id, now: pair.now)
    }
  }
}
