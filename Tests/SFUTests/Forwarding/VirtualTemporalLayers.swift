import RoomRTP
import RoomWebRTC
import Testing

@testable import RoomSFU

/// A publisher of VP8 with three temporal layers (0 2 1 2) in one or more sizes, in virtual time. It answers NACKs and requests
/// for key frames. Each packet names its frame, and the frames that the frame refers to.
struct VirtualTemporalLayers {
  /// One size.
  struct Stream {
    var ssrc: SSRC
    var height: UInt16
    /// The bitrate in kbit/s: 40 % in layer 0, 20 in layer 1, 40 in layer 2.
    var kbps: Int
    var isOn = true
    fileprivate var sequence: UInt16
    fileprivate var picture: UInt16
    fileprivate var level0: UInt8
    fileprivate var repair: UInt16 = 1
    fileprivate var position = 0
    /// The frames in the encoder's buffers: the last of layer 0, and the last of layer 1.
    fileprivate var last = 0
    fileprivate var golden = 0
    fileprivate var answered = 0
    fileprivate var sent: [UInt16: (timestamp: UInt32, marker: Bool, payload: [UInt8])] = [:]

    init(ssrc: SSRC, height: UInt16 = 180, kbps: Int, sequence: UInt16 = 65_300, picture: UInt16 = 32_600, level0: UInt8 = 240)
    {
      self.ssrc = ssrc
      self.height = height
      self.kbps = kbps
      self.sequence = sequence
      self.picture = picture
      self.level0 = level0
    }
  }

  var streams: [Stream]
  private(set) var frames = 0
  static let framesPerSecond = 20
  private static let longestPayload = 1000

  /// Layer, whether it is a sync frame, and whether it refers to the last frame of layer 1. As libwebrtc encodes.
  private static let pattern: [(layer: UInt8, isSync: Bool, usesGolden: Bool)] = [
    (0, false, false), (2, true, false), (1, true, false), (2, false, true), (0, false, false), (2, false, true),
    (1, false, true),
    (2, false, true),
  ]

  init(_ streams: [Stream]) { self.streams = streams }

  /// Sends the next frame of each stream that is on.
  mutating func sendFrames(from client: VirtualClient) {
    frames += 1
    for index in streams.indices { answer(&streams[index], to: client) }
    for index in streams.indices where streams[index].isOn { send(&streams[index], from: client) }
  }

  private func answer(_ stream: inout Stream, to client: VirtualClient) {
    for entry in client.feedback.dropFirst(stream.answered) {
      switch entry.feedback {
      case .pictureLoss(stream.ssrc): stream.position = 0
      case .nack(stream.ssrc, let numbers):
        for number in numbers {
          guard let packet = stream.sent[number] else { continue }
          client.sendRTP(
            payloadType: 97, sequence: stream.repair, timestamp: packet.timestamp, ssrc: SSRC(stream.ssrc.rawValue + 1),
            marker: packet.marker, payload: [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] + packet.payload)
          stream.repair &+= 1
        }
      default: break
      }
    }
    stream.answered = client.feedback.count
  }

  private func send(_ stream: inout Stream, from client: VirtualClient) {
    let isKey = stream.position == 0 || stream.golden == 0
    if isKey { stream.position = 0 }
    let kind = Self.pattern[stream.position % Self.pattern.count]
    var references: [Int] = []
    if !isKey { references = kind.usesGolden ? [stream.last, stream.golden] : [stream.last] }
    if kind.layer == 0 { stream.last = frames }
    if kind.layer == 1 || isKey { stream.golden = frames }
    stream.position += 1
    stream.picture = (stream.picture &+ 1) & 0x7FFF
    if kind.layer == 0 { stream.level0 &+= 1 }
    // Bytes per second, divided by the frames of the layer in a second.
    let bytes = stream.kbps * 125 * (kind.layer == 1 ? 20 : 40) / 100 / (kind.layer == 2 ? 10 : 5)
    let parts = max(1, (bytes + Self.longestPayload - 1) / Self.longestPayload)
    for part in 0..<parts {
      let head: [UInt8] = [
        part == 0 ? 0x90 : 0x80, 0xE0, UInt8(stream.picture >> 8) | 0x80, UInt8(truncatingIfNeeded: stream.picture),
        stream.level0, kind.layer << 6 | (kind.isSync || isKey ? 0x20 : 0),
      ]
      let width = stream.height * 16 / 9
      let size = [
        UInt8(truncatingIfNeeded: width), UInt8(width >> 8), UInt8(truncatingIfNeeded: stream.height),
        UInt8(stream.height >> 8),
      ]
      let frame: [UInt8] = part > 0 ? [] : isKey ? [0x10, 0x02, 0x00, 0x9D, 0x01, 0x2A] + size : [0x11, 0x02, 0x00]
      let words = [Int(stream.ssrc.rawValue), frames, Int(kind.layer), part, parts] + references
      var payload = head + frame + Array(words.map(String.init).joined(separator: " ").utf8)
      payload += [UInt8](repeating: UInt8(ascii: " "), count: max(1, bytes / parts - payload.count))
      let timestamp = UInt32(frames) &* 4500
      client.sendRTP(
        payloadType: 96, sequence: stream.sequence, timestamp: timestamp, ssrc: stream.ssrc, marker: part == parts - 1,
        payload: payload)
      stream.sent[stream.sequence] = (timestamp, part == parts - 1, payload)
      stream.sequence &+= 1
    }
  }
}

extension VirtualNetwork {
  /// Connects Alice, who publishes one or more sizes with temporal layers, and subscribers that receive them as 9001, with RTX
  /// 9002.
  func temporalLayers(_ layers: VirtualTemporalLayers, subscribers: UInt32 = 1, rtx: Bool = true) throws -> [VirtualClient] {
    let clients = try connectedClients(1 + subscribers)
    var parameters = Parameters.video(ssrc: 1111, rtx: 1112)
    parameters.encodings = layers.streams.map { RTPEncoding(ssrc: $0.ssrc, rtxSSRC: SSRC($0.ssrc.rawValue + 1)) }
    order(.publish(MediaTrackID(1), on: clients[0].id, parameters))
    for number in 1...subscribers {
      order(
        .subscribe(
          SubscriptionID(number), to: MediaTrackID(1), on: clients[Int(number)].id,
          Parameters.video(mid: "v", ssrc: 9001, rtx: rtx ? 9002 : nil, payloadType: 100), continues: false))
    }
    return clients
  }

  /// Lets the publisher send frames.
  func run(frames: Int, of layers: inout VirtualTemporalLayers, from client: VirtualClient) {
    for _ in 0..<frames {
      layers.sendFrames(from: client)
      run(milliseconds: 50)
    }
  }
}

/// What a VP8 decoder makes of a subscriber's packets.
struct TemporalDecoder {
  struct Frame {
    /// When its last packet arrived.
    var at: Instant
    var stream: SSRC
    var frame: Int
    var layer: UInt8
    var picture: UInt16
    var level0: UInt8
    var isKey: Bool
    var bytes = 0
    var references: [Int]
  }

  private(set) var frames: [Frame] = []
  /// The numbers of which no packet arrived, between the first and the last.
  private(set) var missing: [Int64] = []
  /// The empty packets.
  private(set) var fillers = 0
  /// What a decoder would not accept.
  private(set) var errors: [String] = []

  /// Reads all that a subscriber received as 9001, with repairs as 9002.
  init(_ client: VirtualClient) {
    var unwrapper = SequenceUnwrapper()
    var received: [Int64: (at: Instant, marker: Bool, timestamp: UInt32, payload: [UInt8])] = [:]
    for (at, packet) in client.packets {
      var payload = packet.payload
      let number: Int64
      switch packet.header.ssrc {
      case 9001: number = unwrapper.unwrap(packet.header.sequenceNumber)
      case 9002 where payload.count >= 2:
        number = unwrapper.unwrap(UInt16(payload[0]) << 8 | UInt16(payload[1]))
        payload.removeFirst(2)
      default: continue
      }
      if let before = received[number] {
        if before.payload != payload || before.timestamp != packet.header.timestamp || before.marker != packet.header.marker {
          errors.append("\(number) has two contents")
        }
      } else {
        received[number] = (at, packet.header.marker, packet.header.timestamp, payload)
      }
    }
    guard let first = received.keys.min(), let last = received.keys.max() else { return }
    var parts = 0
    for number in first...last {
      guard let packet = received[number] else {
        missing.append(number)
        continue
      }
      guard !packet.payload.isEmpty else {
        fillers += 1
        continue
      }
      guard let part = Self.parse(packet.payload) else {
        errors.append("\(number) is unreadable")
        continue
      }
      if part.part == 0 {
        // A switch to another size may cut a frame off.
        if parts != 0, !part.frame.isKey { errors.append("\(number) begins frame \(part.frame.frame) within another") }
        frames.append(part.frame)
        frames[frames.count - 1].bytes = 0
        parts = part.parts
      } else if frames.last?.frame != part.frame.frame || frames.last?.picture != part.frame.picture
        || parts != part.parts - part.part
      {
        errors.append("\(number), part \(part.part) of frame \(part.frame.frame), is out of place")
      }
      guard !frames.isEmpty else { continue }
      parts -= 1
      frames[frames.count - 1].bytes += packet.payload.count
      frames[frames.count - 1].at = max(frames[frames.count - 1].at, packet.at)
      if packet.marker != (parts == 0) { errors.append("\(number) has a wrong marker") }
    }
    decode()
  }

  private mutating func decode() {
    var decoded: Set<[Int]> = []
    var before: Frame?
    for frame in frames {
      let name = "frame \(frame.frame) of \(frame.stream), layer \(frame.layer)"
      for reference in frame.references where !decoded.contains([Int(frame.stream.rawValue), reference]) {
        errors.append("\(name) refers to \(reference), which is not there")
      }
      if let before {
        if frame.picture != (before.picture &+ 1) & 0x7FFF {
          errors.append("\(name) has the picture id \(frame.picture) after \(before.picture)")
        }
        if frame.level0 != before.level0 &+ (frame.layer == 0 ? 1 : 0) {
          errors.append("\(name) has the TL0PICIDX \(frame.level0) after \(before.level0)")
        }
      }
      if before == nil || before?.stream != frame.stream, !frame.isKey { errors.append("\(name) begins without a key frame") }
      decoded.insert([Int(frame.stream.rawValue), frame.frame])
      before = frame
    }
  }

  private static func parse(_ payload: [UInt8]) -> (frame: Frame, part: Int, parts: Int)? {
    guard let descriptor = payload.withUnsafeBytes({ VP8Descriptor(parsing: $0) }) else { return nil }
    let isKey = payload.withUnsafeBytes { VP8Descriptor.startsKeyFrame($0) }
    let text = payload.dropFirst(descriptor.length + (descriptor.startsPartition ? isKey ? 10 : 3 : 0))
    let words = String(decoding: text, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
    guard words.count >= 5, let picture = descriptor.pictureID, let level0 = descriptor.temporalLevel0Index,
      descriptor.temporalLayer == UInt8(words[2])
    else { return nil }
    return (
      Frame(
        at: Instant(microseconds: 0), stream: SSRC(UInt32(words[0])), frame: words[1], layer: UInt8(words[2]), picture: picture,
        level0: level0, isKey: isKey, references: Array(words.dropFirst(5))), words[3], words[4]
    )
  }

  /// The frames that arrived in this time.
  func frames(from start: Instant, to end: Instant) -> [Frame] { frames.filter { $0.at >= start && $0.at < end } }
}
