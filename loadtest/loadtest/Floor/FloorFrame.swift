import RoomCFloor
import RoomRTP
import RoomWebRTC
import Synchronization

/// The packets of a frame, which are sent together, as the viewers receive them: with numbers of their own.
struct FloorFrame {
  static let audio: SSRC = 0x464C_4F01, video: SSRC = 0x464C_4F02
  /// How long packets of a video frame wait for the rest, in microseconds: as in the server.
  private static let patience: Int64 = 1000
  /// How many bytes of padding make packets of one frame equal, so that the kernel cuts them from one message: as in the server.
  private static let paddingLimit = 32
  private static let limit = 256

  private struct Packet {
    var header: [UInt8]
    var payload: [UInt8]
    var ssrc: SSRC
    var index: UInt64
  }

  private var packets: [Packet] = []
  private(set) var isComplete = false
  private(set) var deadline = Instant(microseconds: 0)
  private var nextIndex: [SSRC: UInt64] = [:]
  private var payloadTypes: [SSRC: UInt8] = [:]

  var isEmpty: Bool { packets.isEmpty }

  /// Takes the payload types that viewers expect. All viewers are bots with the same offer.
  mutating func setViewer(_ media: [RTPParameters]) {
    for parameters in media {
      payloadTypes[parameters.kind == .audio ? Self.audio : Self.video] = parameters.codecs.first?.payloadType
    }
  }

  /// Adds a packet of the publisher, and first sends a complete frame before it.
  mutating func add(_ packet: UnsafeRawBufferPointer, of publisher: FloorPeer, by floor: OpaquePointer, now: Instant) {
    guard let header = RTPHeader(parsing: packet),
      let media = publisher.media.first(where: { $0.codecs.contains { $0.payloadType == header.payloadType } })
    else { return }
    let ssrc = media.kind == .audio ? Self.audio : Self.video
    guard let payloadType = payloadTypes[ssrc] else { return }
    if isComplete || packets.count == Self.limit || packets.last.map({ $0.ssrc != ssrc }) ?? false { send(by: floor) }
    if packets.isEmpty { deadline = now.advanced(microseconds: Self.patience) }
    let index = nextIndex[ssrc] ?? 1
    nextIndex[ssrc] = index + 1
    var bytes = [UInt8](packet.prefix(12))
    bytes.withUnsafeMutableBytes { place in
      guard let base = place.baseAddress else { return }
      base.store8(0x80, 0)
      base.store8((header.marker ? 0x80 : 0) | payloadType, 1)
      base.store16(UInt16(truncatingIfNeeded: index), 2)
      base.storeSSRC(ssrc, 8)
    }
    let payload = packet[header.headerLength..<(header.headerLength + header.payloadLength)]
    packets.append(Packet(header: bytes, payload: Array(payload), ssrc: ssrc, index: index))
    isComplete = media.kind == .audio || header.marker
  }

  /// Sends what there is to all viewers.
  mutating func send(by floor: OpaquePointer) {
    defer {
      packets.removeAll(keepingCapacity: true)
      isComplete = false
    }
    equalise()
    let payloads = packets.flatMap(\.payload)
    payloads.withUnsafeBufferPointer { payloads in
      var offset = 0
      let ready = packets.map { packet in
        var wire = floor_packet()
        packet.header.withUnsafeBytes { header in withUnsafeMutableBytes(of: &wire.header) { $0.copyMemory(from: header) } }
        (wire.ssrc, wire.index, wire.length) = (packet.ssrc.rawValue, packet.index, UInt32(packet.payload.count))
        wire.payload = payloads.baseAddress.map { $0 + offset }
        wire.joins = packet.ssrc == Self.video ? 1 : 0
        offset += packet.payload.count
        return wire
      }
      _ = floor_send(floor, ready, ready.count)
    }
  }

  /// Pads the packets of a frame to one length, except the last, which may be shorter (RFC 3550 §5.1).
  private mutating func equalise() {
    guard let longest = packets.map(\.payload.count).max() else { return }
    for place in packets.indices.dropLast() {
      let missing = longest - packets[place].payload.count
      guard (1...Self.paddingLimit).contains(missing) else { continue }
      packets[place].payload += [UInt8](repeating: 0, count: missing - 1) + [UInt8(missing)]
      packets[place].header[0] |= 0x20
    }
  }
}

/// Gives the SSRCs of the floor's streams in the order of the m-lines: audio, video, then any.
final class FloorSSRCs: Sendable {
  private let next: Mutex<[SSRC]>

  init(_ next: [SSRC]) { self.next = Mutex(next.reversed()) }

  func take() -> SSRC { next.withLock { $0.popLast() } ?? .random() }
}
