import RoomRTP
import Testing

@testable import RoomWebRTC

@Suite("Peer: media") struct MediaTests {
  @Test("RTP and RTCP arrive as they were sent, in both directions", arguments: SRTPProfile.allCases)
  func roundTrip(profile: SRTPProfile) throws {
    let pair = try PeerPair.connected(profile: profile)
    for (from, to) in [(pair.server, pair.client), (pair.client, pair.server)] {
      let packets = (0..<20).map {
        rtpPacket(sequence: 65_530 &+ UInt16($0), payload: [UInt8](repeating: UInt8($0), count: 40))
      }
      for packet in packets { #expect(pair.sendRTP(packet, from: from) != nil) }
      let report = receiverReport()
      #expect(pair.sendRTCP(report, from: from)?.count == report.count + profile.rtcpOverhead)
      pair.run(milliseconds: 20)
      #expect(to.media == packets + [report])
      #expect(to.received.last == .rtcp(length: report.count))
    }
  }

  @Test("the other peer opens sealed packets", arguments: SRTPProfile.allCases) func sealer(profile: SRTPProfile) throws {
    let pair = try PeerPair.connected(profile: profile)
    let sealer = try #require(pair.server.peer.makeSealer())
    for sequence in UInt64(65_500)..<65_600 {
      let packet = rtpPacket(sequence: UInt16(truncatingIfNeeded: sequence))
      pair.inject(sealer.seal(packet, index: sequence), from: PeerPair.serverAddress, to: pair.client)
      #expect(pair.client.media.last == packet)
    }
  }

  @Test("a replayed packet is dropped", arguments: SRTPProfile.allCases) func replay(profile: SRTPProfile) throws {
    let pair = try PeerPair.connected(profile: profile)
    let rtp = try #require(pair.sendRTP(rtpPacket(sequence: 7), from: pair.client))
    let rtcp = try #require(pair.sendRTCP(receiverReport(), from: pair.client))
    pair.run(milliseconds: 20)
    #expect(pair.server.media.count == 2)
    #expect(pair.inject(rtp, from: PeerPair.clientAddress, to: pair.server) == .dropped(.replayed))
    #expect(pair.inject(rtcp, from: PeerPair.clientAddress, to: pair.server) == .dropped(.replayed))
    #expect(pair.server.peer.drops[.replayed] == 2)
  }

  @Test("no sequence number is protected twice") func noReuse() throws {
    let pair = try PeerPair.connected()
    #expect(pair.sendRTP(rtpPacket(sequence: 7), from: pair.client) != nil)
    #expect(pair.sendRTP(rtpPacket(sequence: 7, payload: [9]), from: pair.client) == nil)
  }

  @Test("a modified packet is dropped, whichever bit changed", arguments: SRTPProfile.allCases)
  func tampered(profile: SRTPProfile) throws {
    let pair = try PeerPair.connected(profile: profile)
    pair.loses = { _ in true }
    let packet = try #require(pair.sendRTP(rtpPacket(sequence: 7), from: pair.client))
    for bit in 16..<packet.count * 8 {
      var changed = packet
      changed[bit / 8] ^= 1 << (bit % 8)
      let received = pair.inject(changed, from: PeerPair.clientAddress, to: pair.server)
      guard case .dropped = received else {
        Issue.record("bit \(bit) was accepted")
        continue
      }
    }
    #expect(pair.inject(packet, from: PeerPair.clientAddress, to: pair.server) == .rtp(length: 16))
  }

  @Test("media before the end of the handshake, or from an unknown address, is dropped") func unvalidated() throws {
    let fresh = try PeerPair()
    #expect(fresh.inject(rtpPacket(sequence: 1), from: PeerPair.clientAddress, to: fresh.server) == .dropped(.notReady))
    let pair = try PeerPair.connected()
    pair.loses = { _ in true }
    let packet = try #require(pair.sendRTP(rtpPacket(sequence: 7), from: pair.client))
    let stranger = TransportAddress(ipv4: 0x0A00_0009, port: 9)
    #expect(pair.inject(packet, from: stranger, to: pair.server) == .dropped(.unvalidatedAddress))
    #expect(pair.inject(packet, from: PeerPair.clientAddress, to: pair.server) == .rtp(length: 16))
  }

  @Test("an SSRC above the limit is dropped until another one is removed") func streamLimit() throws {
    let pair = try PeerPair.connected(streamLimit: 4)
    for ssrc in [1, 2, 3, 4, 5] as [SSRC] { pair.sendRTP(rtpPacket(sequence: 1, ssrc: ssrc), from: pair.client) }
    pair.run(milliseconds: 20)
    #expect(pair.server.media.count == 4)
    #expect(pair.server.peer.drops[.tooManyStreams] == 1)
    pair.server.peer.removeStream(ssrc: 2)
    pair.sendRTP(rtpPacket(sequence: 2, ssrc: 5), from: pair.client)
    pair.sendRTP(rtpPacket(sequence: 2, ssrc: 1), from: pair.client)
    pair.run(milliseconds: 20)
    #expect(pair.server.media.count == 6)
  }

  @Test("a forged SSRC does not count as a stream") func forgedStreams() throws {
    let pair = try PeerPair.connected(streamLimit: 2)
    for ssrc in (UInt32(100)..<200).map({ SSRC($0) }) {
      let forged = rtpPacket(sequence: 1, ssrc: ssrc, payload: [UInt8](repeating: 0, count: 40))
      #expect(pair.inject(forged, from: PeerPair.clientAddress, to: pair.server) == .dropped(.unauthenticatedMedia))
    }
    pair.sendRTP(rtpPacket(sequence: 1), from: pair.client)
    pair.run(milliseconds: 20)
    #expect(pair.server.media.count == 1)
  }

  @Test("short and malformed packets are dropped") func malformed() throws {
    let pair = try PeerPair.connected()
    for count in 0..<40 {
      for first in [UInt8(0x80), 0x8F, 0x9F, 0xBF] {
        for second in [UInt8(96), 200] {
          let bytes = Array([first, second] + [UInt8](repeating: 0xFF, count: 40)).prefix(count)
          guard case .dropped = pair.inject(Array(bytes), from: PeerPair.clientAddress, to: pair.server) else {
            Issue.record("\(count) bytes were accepted")
            continue
          }
        }
      }
    }
    let small = UnsafeMutableRawBufferPointer.allocate(byteCount: 20, alignment: 8)
    defer { small.deallocate() }
    small.copyBytes(from: rtpPacket(sequence: 1) + [0, 0, 0, 0])
    #expect(pair.client.peer.protectRTP(small, length: 16) == nil)
    #expect(pair.client.peer.protectRTP(small, length: 4) == nil)
    #expect(pair.client.peer.protectRTCP(small, length: 16) == nil)
  }
}
