import Glibc
import RoomRTP

// Paced paths: video waits in the track's ring for its turn, so that audio does not wait behind it in the network. And probes:
// padding on the RTX stream of a video.

extension Forwarder {
  /// The longest wait of a packet in the ring in microseconds, and the longest in the first seconds after a key frame, which is
  /// larger than what follows. Video that waits longer continues at the next key frame.
  private static let longestLag: Int64 = 400_000
  private static let longestFirstLag: Int64 = 1_200_000
  private static let firstTime: Int64 = 2_500_000
  /// The packets of one subscription before it is the next one's turn.
  private static let turn = 8

  /// Serves all paced and probed paths. Called once in `paceInterval`.
  func serve(_ now: Instant) {
    setSendTime(now)
    for position in servedTransports.indices.reversed() {
      let index = servedTransports[position]
      guard let path = transports[index].pointee.path else { continue }
      path.pointee.refillPace(now: now)
      if path.pointee.isPaced {
        sendWaiting(on: index, path, now: now)
        if path.pointee.isFilling, path.pointee.probe == nil { pad(index) { path.pointee.pace.bytes > 0 } }
      }
      if path.pointee.probe != nil {
        pad(index) { path.pointee.padding(at: now) > 0 }
        path.pointee.endProbe(now: now)
      }
      if !path.pointee.isPaced, path.pointee.probe == nil {
        path.pointee.isServed = false
        servedTransports.remove(at: position)
      }
    }
  }

  /// Adds the transport to those that are served.
  func serve(_ index: Int, _ path: UnsafeMutablePointer<Path>) {
    guard !path.pointee.isServed else { return }
    path.pointee.isServed = true
    servedTransports.append(index)
  }

  /// Lets video of this path wait for its turn, or no longer.
  func setPaced(_ index: Int, _ path: UnsafeMutablePointer<Path>, _ isPaced: Bool, now: Instant) {
    if path.pointee.isPaced == isPaced, !isPaced { return }
    // Packets that are still pending would be sent twice.
    if path.pointee.isPaced != isPaced { forwardPending(now, all: true) }
    path.pointee.isPaced = isPaced
    for subscription in subscriptions(on: index) {
      let slot = subscriptions[subscription]
      let track = tracks[slot.pointee.track]
      if track.pointee.isVideo {
        if isPaced, slot.pointee.map.isOpen, slot.pointee.cursor == .max {
          // What is pending is sent at once.
          slot.pointee.cursor = track.pointee.highest &+ 1
        } else if !isPaced {
          while sendTurn(of: subscription, while: { true }) {}
          slot.pointee.cursor = .max
        }
      }
    }
    if isPaced { serve(index, path) }
  }

  /// Sends what the budget allows, a frame of each subscription at a time.
  private func sendWaiting(on index: Int, _ path: UnsafeMutablePointer<Path>, now: Instant) {
    let transport = transports[index]
    guard transport.pointee.isConnected else { return }
    var subscription = Int(path.pointee.nextSubscription)
    var idle = 0
    func hasBudget() -> Bool { path.pointee.pace.bytes > 0 || path.pointee.padding(at: now) > 0 }
    while idle <= transport.pointee.subscriptionCount, hasBudget() {
      if subscription < 0 { subscription = Int(transport.pointee.firstSubscription) }
      guard subscription >= 0 else { break }
      idle = sendTurn(of: subscription, while: hasBudget) ? 0 : idle + 1
      subscription = Int(subscriptions[subscription].pointee.nextInTransport)
    }
    path.pointee.nextSubscription = Int32(truncatingIfNeeded: subscription)
    for subscription in subscriptions(on: index) { catchUp(subscription, now: now) }
  }

  /// Sends up to a frame of the packets that wait. Returns false if there are none.
  private func sendTurn(of index: Int, while hasBudget: () -> Bool) -> Bool {
    let subscription = subscriptions[index]
    let track = tracks[subscription.pointee.track]
    guard subscription.pointee.cursor <= track.pointee.highest else { return false }
    let transport = transports[subscription.pointee.transport]
    outgoing.endMessage()
    let joins = outgoing.segments(to: transport.pointee.destination)
    // The ring no longer has what is older.
    subscription.pointee.cursor = max(
      subscription.pointee.cursor, track.pointee.highest &- Int64(track.pointee.ring.capacity) &+ 1)
    var count = 0
    while subscription.pointee.cursor <= track.pointee.highest, count < Self.turn, hasBudget() {
      let sequence = subscription.pointee.cursor
      subscription.pointee.cursor += 1
      // A packet that arrives later is sent when it arrives.
      guard let packet = track.pointee.ring[sequence],
        pass(packet, of: track, to: index, subscription, on: transport, joins: joins, isAscending: true)
      else {
        continue
      }
      count += 1
      // The gate closes if the socket accepts no more.
      if subscription.pointee.cursor == .max || packet.pointee.flags.contains(.marker) { break }
    }
    return true
  }

  /// Lets video that waits too long continue at a later key frame.
  private func catchUp(_ index: Int, now: Instant) {
    let subscription = subscriptions[index]
    let track = tracks[subscription.pointee.track]
    guard subscription.pointee.cursor <= track.pointee.highest, let first = track.pointee.ring[subscription.pointee.cursor]
    else {
      return
    }
    let ticks = Int64(Int32(bitPattern: track.pointee.lastTimestamp &- first.pointee.timestamp))
    let lag = ticks &* 1_000_000 / Int64(max(1, track.pointee.clockRate))
    let isNew = now - subscription.pointee.openedAt < Self.firstTime
    guard lag > (isNew ? Self.longestFirstLag : Self.longestLag) else { return }
    counters.laggingStreams &+= 1
    let keyFrame = newestKeyFrame(of: track, after: subscription.pointee.cursor)
    markLagging(index, asksForKeyFrame: keyFrame == nil)
    guard let keyFrame else { return }
    open(at: keyFrame, of: track, to: index, joins: false, now: now)
  }

  /// Returns the number of the newest packet after `sequence` that starts a key frame.
  private func newestKeyFrame(of track: UnsafeMutablePointer<TrackSlot>, after sequence: Int64) -> Int64? {
    var current = track.pointee.highest
    while current > sequence {
      if let packet = track.pointee.ring[current], packet.pointee.flags.contains(.keyFrame) {
        return track.pointee.frameStart(of: current) > sequence ? current : nil
      }
      current -= 1
    }
    return nil
  }

  // MARK: Probes

  /// Whether padding can be sent: on the RTX stream of a video.
  func canPad(_ index: Int) -> Bool { padder(of: index) != nil }

  private func padder(of index: Int) -> Int? {
    subscriptions(on: index).first { subscription in
      let slot = subscriptions[subscription]
      let track = tracks[slot.pointee.track]
      return track.pointee.isVideo && slot.pointee.rtxSSRC != 0 && slot.pointee.header.transportSequenceOffset > 0
        && slot.pointee.rtxPayloadTypes[Int(track.pointee.codec)] != TrackSlot.noPayloadType
    }
  }

  /// Sends a packet of padding on a path on which everything is paused: without feedback the estimate could not recover.
  func keepMeasuring(_ index: Int, now: Instant) {
    var isFirst = true
    setSendTime(now)
    pad(index) {
      defer { isFirst = false }
      return isFirst
    }
  }

  /// Sends padding while it is wanted.
  private func pad(_ index: Int, while isWanted: () -> Bool) {
    let transport = transports[index]
    guard transport.pointee.isConnected, let padder = padder(of: index) else { return }
    let subscription = subscriptions[padder]
    let payloadType = subscription.pointee.rtxPayloadTypes[Int(tracks[subscription.pointee.track].pointee.codec)]
    paddingPacket.head.pointee.timestamp = tracks[subscription.pointee.track].pointee.lastTimestamp
    outgoing.endMessage()
    while isWanted(), makeRoom() {
      let sealed = seal(
        paddingPacket.head, timestampOffset: subscription.pointee.map.offsets.timestamp, payload: paddingPacket.payload,
        length: 0, padding: PaddingPacket.length, payloadType: payloadType, ssrc: subscription.pointee.rtxSSRC,
        index: subscription.pointee.rtxNext, subscription, on: transport)
      guard sealed > 0 else { return drop(.sendFailed) }
      subscription.pointee.rtxNext &+= 1
      commit(sealed, to: transport.pointee.destination)
      counters.paddingBytes &+= UInt64(sealed)
      transport.pointee.sent(sealed)
    }
  }
}

/// A packet without payload, of RTP padding alone (RFC 3550 §5.1).
struct PaddingPacket {
  /// The most that one packet can have.
  static let length = 255

  private let memory: UnsafeMutableRawPointer

  init() {
    memory = .allocate(byteCount: PacketRing.payloadOffset + Self.length, alignment: 16)
    memset(memory, 0, PacketRing.payloadOffset + Self.length)
    (memory + PacketRing.payloadOffset + Self.length - 1).storeBytes(of: UInt8(Self.length), as: UInt8.self)
    memory.bindMemory(to: StoredPacket.self, capacity: 1)
      .initialize(to: StoredPacket(sequence: 0, timestamp: 0, length: 0, codec: 0, flags: [], audioLevel: 0))
  }

  func free() { memory.deallocate() }

  var head: UnsafeMutablePointer<StoredPacket> { memory.assumingMemoryBound(to: StoredPacket.self) }
  var payload: UnsafeRawPointer { UnsafeRawPointer(memory) + PacketRing.payloadOffset }
}
