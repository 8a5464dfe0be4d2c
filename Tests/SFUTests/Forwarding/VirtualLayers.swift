import RoomRTP
import RoomWebRTC

@testable import RoomSFU

/// A publisher of three VP8 layers with picture ids, in virtual time. Frames alternate over the layers as an encoder's do.
struct VirtualLayers {
  struct Layer {
    var ssrc: SSRC
    var width: UInt16
    var height: UInt16
    var sequence: UInt16
    /// The timestamp at the start; layers have different ones.
    var timestamp: UInt32
    var picture: UInt16
    var level0: UInt8
    var isOn = true
    /// The bytes of filling behind each packet's text.
    var filling = 0
    /// Whether the last packet of each frame is lost before the server.
    var losesEnds = false
  }

  static let ssrcs: [SSRC] = [1111, 2111, 3111]
  var layers = [
    Layer(ssrc: 1111, width: 160, height: 90, sequence: 65_000, timestamp: 5, picture: 32_700, level0: 250),
    Layer(ssrc: 2111, width: 320, height: 180, sequence: 7, timestamp: 4_000_000_000, picture: 100, level0: 3),
    Layer(ssrc: 3111, width: 640, height: 360, sequence: 30_000, timestamp: 1_000_000, picture: 20_000, level0: 77),
  ]
  /// 120, 400 and 1200 kbit/s at 30 frames a second.
  static var large: VirtualLayers {
    var large = VirtualLayers()
    large.packets = 5
    for (index, bytes) in [60, 290, 960].enumerated() { large.layers[index].filling = bytes }
    return large
  }

  private(set) var frames = 0
  private var started: Instant?
  private var answered = 0
  /// Packets of a frame.
  var packets = 2

  /// Sends a frame of each layer that is on; a key frame if it was requested. With `pause`, the packets of the layers alternate, and
  /// it is called between them, as the pacer of a browser does.
  mutating func sendFrames(
    from client: VirtualClient, at now: Instant, reportsClock: Bool = true, pause: (() -> Void)? = nil
  ) {
    let started = self.started ?? now
    self.started = started
    let requests = client.feedback.dropFirst(answered).compactMap { entry -> SSRC? in
      if case .pictureLoss(let ssrc) = entry.feedback { ssrc } else { nil }
    }
    answered = client.feedback.count
    var frame: [(isKey: Bool, timestamp: UInt32)?] = [nil, nil, nil]
    for index in layers.indices where layers[index].isOn {
      let isKey = frames == 0 || requests.contains(layers[index].ssrc) || layers[index].sequence == 0
      let ticks = UInt32(truncatingIfNeeded: (now - started) &* 9 / 100)
      let timestamp = layers[index].timestamp &+ ticks
      if reportsClock, frames % 30 == 0 {
        let ntp = NTPTime(unixMicroseconds: now.microseconds)
        client.sendRTCP {
          $0.senderReport(
            SenderInformation(
              ssrc: layers[index].ssrc, ntpTime: ntp, rtpTimestamp: timestamp, packetCount: 0, octetCount: 0))
        }
      }
      layers[index].picture = (layers[index].picture &+ 1) & 0x7FFF
      layers[index].level0 &+= 1
      frame[index] = (isKey, timestamp)
      if pause == nil { for part in 0..<packets { send(part, of: frame, layer: index, from: client) } }
    }
    if let pause {
      for part in 0..<packets {
        for index in layers.indices {
          send(part, of: frame, layer: index, from: client)
          pause()
        }
      }
    }
    frames += 1
  }

  private mutating func send(
    _ part: Int, of frame: [(isKey: Bool, timestamp: UInt32)?], layer index: Int, from client: VirtualClient
  ) {
    guard let (isKey, timestamp) = frame[index] else { return }
    let isEnd = part == packets - 1
    if !isEnd || !layers[index].losesEnds {
      client.sendRTP(
        payloadType: 96, sequence: layers[index].sequence, timestamp: timestamp, ssrc: layers[index].ssrc, marker: isEnd,
        payload: Self.payload(layers[index], frame: frames, isKey: isKey, part: part))
    }
    layers[index].sequence &+= 1
  }

  /// A packet's payload, with the layer's SSRC, the frame and the part as text in it.
  static func payload(_ layer: Layer, frame number: Int, isKey: Bool, part: Int) -> [UInt8] {
    let descriptor: [UInt8] = [
      part == 0 ? 0x90 : 0x80, 0xE0, UInt8(layer.picture >> 8) | 0x80, UInt8(truncatingIfNeeded: layer.picture), layer.level0,
      0x00,
    ]
    let size = [
      UInt8(truncatingIfNeeded: layer.width), UInt8(layer.width >> 8), UInt8(truncatingIfNeeded: layer.height),
      UInt8(layer.height >> 8),
    ]
    let frame: [UInt8] = isKey ? [0x10, 0x02, 0x00, 0x9D, 0x01, 0x2A] + size : [0x11, 0x02, 0x00]
    return descriptor + (part == 0 ? frame : []) + Array("\(layer.ssrc) \(number) \(part)".utf8)
      + [UInt8](repeating: UInt8(ascii: " "), count: layer.filling)
  }

  static func parameters(rtx: Bool = true) -> RTPParameters {
    var parameters = Parameters.video(ssrc: 1111, rtx: rtx ? 1112 : nil)
    parameters.encodings = ssrcs.map { RTPEncoding(ssrc: $0, rtxSSRC: rtx ? SSRC($0.rawValue + 1) : nil) }
    return parameters
  }
}

/// A packet of a layer as a subscriber received it.
struct ReceivedPicture {
  var at: Instant
  var number: UInt16
  var timestamp: UInt32
  var marker: Bool
  var picture: UInt16
  var level0: UInt8
  var isKeyFrame: Bool
  /// The SSRC and the frame that the publisher wrote into the payload.
  var layer: SSRC
  var frame: Int

  init?(at: Instant, _ packet: TestClient.Packet) {
    guard let descriptor = packet.payload.withUnsafeBytes({ VP8Descriptor(parsing: $0) }) else { return nil }
    self.at = at
    number = packet.header.sequenceNumber
    timestamp = packet.header.timestamp
    marker = packet.header.marker
    picture = descriptor.pictureID ?? 0
    level0 = descriptor.temporalLevel0Index ?? 0
    isKeyFrame = packet.payload.withUnsafeBytes { VP8Descriptor.startsKeyFrame($0) }
    let header = descriptor.length + (descriptor.startsPartition ? isKeyFrame ? 10 : 3 : 0)
    let words = Self.numbers(packet.payload.dropFirst(header))
    guard words.count == 3 else { return nil }
    layer = SSRC(words[0])
    frame = Int(words[1])
  }

  /// Returns the first three numbers of a text, with spaces between them; fewer if there are other characters before. Tests read
  /// many packets again and again, and strings would take most of their time.
  private static func numbers(_ text: ArraySlice<UInt8>) -> [UInt32] {
    var (numbers, number): ([UInt32], UInt32?) = ([], nil)
    for byte in text {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): number = (number ?? 0) &* 10 &+ UInt32(byte - UInt8(ascii: "0"))
      case UInt8(ascii: " "):
        if let ended = number { numbers.append(ended) }
        number = nil
      default: return numbers
      }
      if numbers.count == 3 { break }
    }
    return numbers + [number].compactMap { $0 }
  }
}

extension VirtualNetwork {
  /// Connects two clients: Alice publishes three layers; Bob receives them as 9001, with RTX 9002.
  /// - Parameter continues: Whether Bob's stream keeps its SSRC for other tracks, as a WHEP viewer's.
  func layersFromAliceToBob(rtx: Bool = true, continues: Bool = false) throws -> (alice: VirtualClient, bob: VirtualClient) {
    let clients = try connectedClients(2)
    order(
      .publish(MediaTrackID(1), on: clients[0].id, VirtualLayers.parameters()),
      .subscribe(
        SubscriptionID(1), to: MediaTrackID(1), on: clients[1].id,
        Parameters.video(mid: "v", ssrc: 9001, rtx: rtx ? 9002 : nil, payloadType: 100), continues: continues))
    return (clients[0], clients[1])
  }

  func setReception(_ reception: Reception) { order(.setReception(SubscriptionID(1), reception)) }

  /// Lets the publisher send frames, 30 a second.
  func run(frames: Int, of layers: inout VirtualLayers, from client: VirtualClient, reportsClock: Bool = true) {
    for _ in 0..<frames {
      layers.sendFrames(from: client, at: now, reportsClock: reportsClock)
      run(milliseconds: 33)
    }
  }
}

extension VirtualClient {
  /// The layered packets received as this SSRC, in the order of arrival.
  func pictures(of ssrc: SSRC = 9001) -> [ReceivedPicture] {
    packets.filter { $0.packet.header.ssrc == ssrc }.compactMap { ReceivedPicture(at: $0.at, $0.packet) }
  }
}
