import RoomRTP
import RoomWebRTC

// Redundant audio (RED, RFC 2198): the copies that publishers send fill the ring's holes; the copies for subscribers are made in
// the ring, whatever the publisher sent.

extension Forwarder {
  /// The maximum number of packets that one packet restores. It bounds what a publisher's datagram causes for each subscriber.
  private static let copiesTaken = 4

  /// Splits a publisher's RED payload. Packets that are missing are stored first, from their copies, and then the packet itself:
  /// subscribers, taps and later copies see the numbers in order. Copies of packets that arrived are ignored, so each number is
  /// stored once.
  func storeRedundant(
    _ header: RTPHeader, payload: UnsafeRawPointer, audioLevel: UInt8?, track: Int, _ slot: UnsafeMutablePointer<TrackSlot>,
    now: Instant
  ) {
    let type = slot.pointee.payloadTypes[Int(slot.pointee.redCodec)]
    if header.payloadLength == 0 {
      // Padding, with which libwebrtc probes. It has a number, so it is stored as among plain packets.
      var empty = header
      empty.payloadType = type
      return store(empty, payload: payload, audioLevel: audioLevel, isRepair: false, track: track, slot, now: now)
    }
    guard let audio = RedundantAudio(parsing: UnsafeRawBufferPointer(start: payload, count: header.payloadLength)) else {
      return drop(.malformedRTP)
    }
    guard audio.primary.payloadType == type else { return drop(.unknownPayloadType) }
    for block in audio where !block.isPrimary && block.distance <= Self.copiesTaken && block.payloadType == type {
      guard let data = block.data.baseAddress, let number = missing(block, of: header, in: slot) else { continue }
      var restored = header
      restored.payloadType = type
      restored.sequenceNumber = UInt16(truncatingIfNeeded: number)
      restored.timestamp &-= block.timestampOffset
      restored.marker = false
      restored.payloadLength = block.data.count
      counters.audioRestored &+= 1
      // As a repair: it fills the gap, but reports still state the loss.
      store(restored, payload: data, audioLevel: nil, isRepair: true, track: track, slot, now: now)
    }
    var primary = header
    primary.payloadType = type
    primary.payloadLength = audio.primary.data.count
    store(
      primary, payload: audio.primary.data.baseAddress ?? payload, audioLevel: audioLevel, isRepair: false, track: track, slot,
      now: now)
  }

  /// Returns the number of the packet of this copy if the ring lacks it and may get it.
  @inline(__always) private func missing(
    _ block: RedundantAudio.Block, of header: RTPHeader, in slot: UnsafeMutablePointer<TrackSlot>
  ) -> Int64? {
    let highest = slot.pointee.highest
    guard highest != 0, !slot.pointee.isNewSource else { return nil }
    let ahead = Int64(Int16(bitPattern: header.sequenceNumber &- UInt16(truncatingIfNeeded: highest)))
    // A packet farther away may restart the stream.
    guard ahead <= RedundantAudio.Block.longestReach else { return nil }
    let ring = slot.pointee.ring
    let timestamp = header.timestamp &- block.timestampOffset &+ slot.pointee.timestampOffset
    let missing = block.missingNumber(before: highest &+ ahead, timestamp: timestamp) { number in
      ring[number].map { .init(timestamp: $0.pointee.timestamp, isEmpty: $0.pointee.length == 0) }
    }
    guard let missing, missing >= slot.pointee.restorableFrom, missing > highest &- Int64(ring.capacity) else { return nil }
    return missing
  }

  /// Adjusts the copies that a transport's audio gets to the loss in a report.
  func noteAudioLoss(_ fractionLost: UInt8, on index: Int, now: Instant) {
    let transport = transports[index]
    transport.pointee.redundancy.update(
      fractionLost: fractionLost, now: now, isAffordable: transport.pointee.affordsRedundancy)
    applyRedundancy(on: index)
  }

  /// Adjusts the copies to a larger loss that transport-wide feedback shows; reports of audio may take five seconds to state it.
  func raiseAudioLoss(to loss: Double, on index: Int) {
    let transport = transports[index]
    let before = transport.pointee.redundancy.distance
    transport.pointee.redundancy.raise(to: loss, isAffordable: transport.pointee.affordsRedundancy)
    if transport.pointee.redundancy.distance != before { applyRedundancy(on: index) }
  }

  /// Sets whether a transport's path has capacity for copies.
  func setAffordsRedundancy(_ affords: Bool, on index: Int) {
    let transport = transports[index]
    guard transport.pointee.affordsRedundancy != affords else { return }
    transport.pointee.affordsRedundancy = affords
    transport.pointee.redundancy.setAffordable(affords)
    applyRedundancy(on: index)
  }

  private func applyRedundancy(on index: Int) {
    let distance = transports[index].pointee.redundancy.distance
    for subscription in subscriptions(on: index) { setRedundancy(subscription, distance) }
  }

  /// Sets the number of earlier packets that each packet of a subscription repeats. The ring makes copies only while a
  /// subscription of the track gets some.
  func setRedundancy(_ index: Int, _ distance: UInt8) {
    let subscription = subscriptions[index]
    let distance = subscription.pointee.redPayloadType == TrackSlot.noPayloadType ? 0 : distance
    guard subscription.pointee.redundancy != distance else { return }
    if (subscription.pointee.redundancy > 0) != (distance > 0) {
      tracks[subscription.pointee.track].pointee.redundantSubscriptions &+= distance > 0 ? 1 : -1
    }
    subscription.pointee.redundancy = distance
  }
}
