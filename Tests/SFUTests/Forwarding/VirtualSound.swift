import RoomRTP
import RoomWebRTC
import Testing

@testable import RoomSFU

/// A speaker on a `VirtualNetwork`: publishes Opus packets of 20 ms as SSRC 2222, plain or as RED with two copies.
final class VirtualSpeaker {
  static let track = MediaTrackID(1)
  let client: VirtualClient
  private let network: VirtualNetwork
  private let sendsRED: Bool
  private var writer = RedundantAudioWriter()
  private(set) var sent = 0
  var level: UInt8? = 20
  /// The length of a payload in bytes, by number.
  var length: (Int) -> Int = { 60 + $0 % 40 }

  init(_ client: VirtualClient, on network: VirtualNetwork, sendsRED: Bool = false) {
    self.client = client
    self.network = network
    self.sendsRED = sendsRED
    network.order(
      .publish(Self.track, on: client.id, Parameters.audio(ssrc: 2222, red: sendsRED ? 63 : nil)))
  }

  /// The payload of a packet; no two are the same.
  func payload(_ number: Int) -> [UInt8] {
    [0x78, UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
      + (3..<max(3, length(number))).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) }
  }

  /// The number of a payload.
  static func number(of payload: [UInt8]) -> Int { Int(payload[1]) << 8 | Int(payload[2]) }

  /// Sends the next packets, 20 ms apart.
  func speak(_ count: Int) {
    for _ in 0..<count {
      let (number, payload) = (sent, payload(sent))
      let timestamp = UInt32(number) * 960
      let red =
        sendsRED ? writer.payload(of: payload, timestamp: timestamp, payloadType: 111, distance: 2) : nil
      writer.append(payload, timestamp: timestamp, level: level)
      send(red ?? payload, as: red == nil ? 111 : 63, number: number)
      sent += 1
      network.run(milliseconds: 20)
    }
  }

  func send(_ payload: [UInt8], as payloadType: UInt8, number: Int) {
    client.sendRTP(
      payloadType: payloadType, sequence: UInt16(truncatingIfNeeded: 65_000 + number), timestamp: UInt32(number) * 960,
      ssrc: 2222, payload: payload, level: level)
  }

  /// Lets `number` be the next packet, as if those before had been lost or never sent.
  func skip(to number: Int) { sent = number }
}

/// A listener on a `VirtualNetwork`: receives the speaker as SSRC 9001, with or without RED, and reports losses.
struct VirtualListener {
  let client: VirtualClient
  let red: UInt8?
  let codec: UInt8

  init(
    _ client: VirtualClient, on network: VirtualNetwork, codec: UInt8 = 111, red: UInt8? = 63, rtx: SSRC? = nil,
    feedback: RTCPFeedback = [.transportCC]
  ) {
    self.client = client
    self.red = red
    self.codec = codec
    network.order(
      .subscribe(
        SubscriptionID(client.id.rawValue), to: VirtualSpeaker.track, on: client.id,
        Parameters.audio(mid: "a", ssrc: 9001, rtx: rtx, payloadType: codec, red: red, feedback: feedback), continues: false))
  }

  /// Reports this share of lost packets.
  func report(loss: Double) {
    client.sendRTCP {
      $0.receiverReport(ssrc: 1)
      $0.append(ReportBlock(ssrc: 9001, fractionLost: UInt8(min(255, loss * 256))))
    }
  }

  /// The received packets: each one's copies, oldest first, and its own payload.
  func packets() throws -> [(header: RTPHeader, copies: [[UInt8]], payload: [UInt8])] {
    try client.packets.map(\.packet).filter { $0.header.ssrc == 9001 }.map { packet in
      guard packet.header.payloadType == red else {
        #expect(packet.header.payloadType == codec)
        return (packet.header, [], packet.payload)
      }
      var blocks: [[UInt8]] = []
      var offsets: [UInt32] = []
      try packet.payload.withUnsafeBytes { bytes in
        for block in try #require(RedundantAudio(parsing: bytes)) {
          #expect(block.payloadType == codec)
          offsets.append(block.timestampOffset)
          blocks.append(Array(block.data))
        }
      }
      #expect(offsets == Array([0, 960, 1920].prefix(blocks.count).reversed()))
      return (packet.header, Array(blocks.dropLast()), try #require(blocks.last))
    }
  }

  /// The numbers of all payloads, received or restored from copies.
  func heard() throws -> Set<Int> {
    Set(try packets().flatMap { $0.copies + [$0.payload] }.map(VirtualSpeaker.number))
  }
}
