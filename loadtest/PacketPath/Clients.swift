import RoomCLinux
import Glibc
import RoomRTP
import RoomSFU
import RoomWebRTC

/// A publisher and its subscribers, all driven by the calling thread.
final class Clients {
  /// The publisher's sending schedule.
  struct Pace {
    /// Payload sizes of a frame's packets, in bytes.
    var sizes: [Int]
    /// Microseconds between frames; nil sends each frame when the previous one has arrived.
    var interval: Int64?
    /// Microseconds between the packets of a frame.
    var spacing: Int64
  }

  private let publisher: Client
  private let subscribers: [Client]
  private let room: MediaRoom
  private let hasRTX: Bool
  private let isLayered: Bool
  private let isRedundant: Bool
  private let epoll = linux_epoll_create()
  private var slab = ReceiveSlab()
  private var nextAdvance = Instant(microseconds: 0)
  private var index: UInt64 = 1000
  private var timestamp: UInt32 = 0
  private let packet = UnsafeMutableRawBufferPointer.allocate(byteCount: 1500, alignment: 16)

  private static let track = MediaTrackID(1)
  private static let ssrc: SSRC = 1111
  /// Timeout for connecting all clients, in microseconds. A measurement may take ten times as long.
  private static let patience: Int64 = 60_000_000

  init(
    of plane: MediaPlane, subscribers count: Int, profile: SRTPProfile, hasRTX: Bool, isLayered: Bool, isRedundant: Bool
  ) throws {
    self.hasRTX = hasRTX
    self.isLayered = isLayered
    self.isRedundant = isRedundant
    room = plane.openRoom { _ in }
    let certificate = try Certificate()
    let room = room
    func client(_ number: Int) throws -> Client {
      try Client(UInt32(number), in: room, of: plane, certificate: certificate, profile: profile)
    }
    publisher = try client(0)
    subscribers = try (1...count).map(client)
    // A third without losses, a third with 3 %, a third with 20 %.
    if isRedundant {
      for (number, subscriber) in subscribers.enumerated() { subscriber.reportedLoss = [0, 8, 51][number % 3] }
    }
    for (number, client) in ([publisher] + subscribers).enumerated() {
      guard linux_epoll_add(epoll, client.descriptor, UInt64(number)) == 0 else { throw PacketPathError.noSocket }
    }
    packet.initializeMemory(as: UInt8.self, repeating: 0x5A)
  }

  deinit {
    packet.deallocate()
    if epoll >= 0 { close(epoll) }
  }

  /// Completes ICE and DTLS of all clients, then adds the track and its subscriptions.
  func connect() throws {
    let deadline = Client.now.advanced(microseconds: Self.patience)
    while !([publisher] + subscribers).allSatisfy(\.isConnected) {
      guard Client.now < deadline else { throw PacketPathError.notConnected }
      turn(waiting: 1000)
    }
    var published = parameters(ssrc: Self.ssrc, rtx: nil)
    if isLayered { published.encodings.append(RTPEncoding(ssrc: SSRC(Self.ssrc.rawValue + 1))) }
    room.publish(Self.track, on: publisher.id, parameters: published)
    for (number, subscriber) in subscribers.enumerated() {
      let ssrc = 10_000 + 2 * UInt32(number)
      room.subscribe(
        SubscriptionID(UInt32(number)), to: Self.track, on: subscriber.id,
        parameters: parameters(ssrc: SSRC(ssrc), rtx: hasRTX ? SSRC(ssrc + 1) : nil))
    }
    // Forwarding starts with a key frame: it is repeated until every subscriber has received a packet.
    while !subscribers.allSatisfy({ $0.received > 0 }) {
      guard Client.now < deadline else { throw PacketPathError.notConnected }
      sendPacket(200, isFirst: true, isLast: true, isKey: true)
      for _ in 0..<20 { turn(waiting: 1000) }
    }
  }

  private func parameters(ssrc: SSRC, rtx: SSRC?) -> RTPParameters {
    if isRedundant {
      return RTPParameters(
        mid: "a", kind: .audio,
        codecs: [
          RTPCodec(
            name: "opus", payloadType: Client.payloadType, rtxPayloadType: rtx == nil ? nil : 97,
            redPayloadType: Client.redPayloadType, clockRate: 48_000, channels: 2, feedback: [.nack, .transportCC])
        ],
        headerExtensions: Client.headerExtensions, encodings: [RTPEncoding(ssrc: ssrc, rtxSSRC: rtx)])
    }
    return RTPParameters(
      mid: "v", kind: .video,
      codecs: [
        RTPCodec(
          name: "VP8", payloadType: Client.payloadType, rtxPayloadType: rtx == nil ? nil : 97, clockRate: 90_000,
          feedback: [.nack, .pli, .transportCC])
      ],
      headerExtensions: Client.headerExtensions,
      encodings: [RTPEncoding(ssrc: ssrc, rtxSSRC: rtx)])
  }

  /// Sends frames until the subscribers have received `wanted` more packets in total.
  func drive(_ pace: Pace, until wanted: Int) throws {
    let goal = total + wanted
    let deadline = Client.now.advanced(microseconds: 10 * Self.patience)
    var next = Client.now
    while total < goal {
      guard Client.now < deadline else { throw PacketPathError.stalled }
      let before = total
      for (place, size) in pace.sizes.enumerated() {
        if place > 0, pace.spacing > 0 { wait(until: Client.now.advanced(microseconds: pace.spacing)) }
        sendPacket(size, isFirst: place == 0, isLast: place == pace.sizes.count - 1, isKey: false)
      }
      if let interval = pace.interval {
        next = next.advanced(microseconds: interval)
        wait(until: next)
      } else {
        // Packets dropped by a full socket buffer never arrive.
        let patience = Client.now.advanced(microseconds: 200_000)
        while total < before + pace.sizes.count * subscribers.count, Client.now < patience { turn(waiting: 1000) }
      }
    }
  }

  /// Total number of packets that the subscribers received.
  private var total: Int { subscribers.reduce(0) { $0 + $1.received } }

  private func wait(until time: Instant) {
    while true {
      let left = time - Client.now
      guard left > 0 else { return }
      turn(waiting: min(left, 1000))
    }
  }

  /// Runs one iteration of the loop: processes received datagrams, and advances the peers' clocks ten times a second.
  private func turn(waiting microseconds: Int64) {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 16) { tags in
      let ready = Int(linux_epoll_wait(epoll, tags.baseAddress, 16, microseconds))
      for place in 0..<max(0, ready) {
        let number = Int(tags[place])
        (number == 0 ? publisher : subscribers[number - 1]).receive(&slab)
      }
    }
    let now = Client.now
    guard now >= nextAdvance else { return }
    nextAdvance = now.advanced(microseconds: 100_000)
    publisher.advance()
    for subscriber in subscribers { subscriber.advance() }
  }

  /// Sends RED of three packets of this size. Each tenth number is left out, to be restored from a copy.
  private func sendRedundant(_ size: Int) {
    guard let base = packet.baseAddress else { return }
    let step: UInt64 = index % 10 == 0 ? 2 : 1
    index += step
    timestamp &+= 960 &* UInt32(step)
    base.store8(0x80, 0)
    base.store8(Client.redPayloadType, 1)
    base.store16(UInt16(truncatingIfNeeded: index), 2)
    base.store32(timestamp, 4)
    base.storeSSRC(Self.ssrc, 8)
    for copy in 0..<2 {
      RedundantAudio.writeHeader(
        to: base + (12 + copy * 4), payloadType: Client.payloadType, offset: UInt32(2 - copy) * 960, length: size)
    }
    base.store8(Client.payloadType, 20)
    publisher.sendRTP(UnsafeRawBufferPointer(rebasing: packet[..<(21 + 3 * size)]), index: index, ssrc: Self.ssrc)
  }

  private func sendPacket(_ size: Int, isFirst: Bool, isLast: Bool, isKey: Bool) {
    if isRedundant { return sendRedundant(size) }
    guard let base = packet.baseAddress else { return }
    if isFirst { timestamp &+= 3000 }
    index += 1
    base.store8(0x80, 0)
    base.store8((isLast ? 0x80 : 0) | Client.payloadType, 1)
    base.store16(UInt16(truncatingIfNeeded: index), 2)
    base.store32(timestamp, 4)
    base.storeSSRC(Self.ssrc, 8)
    // RFC 7741: the descriptor states whether a frame starts here; the frame's first bit states whether it is a key frame.
    base.store8((isFirst ? 0x10 : 0x00) | (isLayered ? 0x80 : 0), 12)
    if isLayered {
      // A picture id of 15 bits and TL0PICIDX.
      base.store8(0xC0, 13)
      base.store16(UInt16(truncatingIfNeeded: timestamp / 3000) | 0x8000, 14)
      base.store8(UInt8(truncatingIfNeeded: timestamp / 3000), 16)
    }
    base.store8(isKey ? 0x10 : 0x11, isLayered ? 17 : 13)
    publisher.sendRTP(UnsafeRawBufferPointer(rebasing: packet[..<(12 + size)]), index: index, ssrc: Self.ssrc)
  }
}
