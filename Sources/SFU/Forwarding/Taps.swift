import RoomRTP
import RoomWebRTC

// Taps: the plain packets of tracks for programs that are sent elsewhere.

extension Forwarder {
  func tap(_ index: Int, with tap: TrackTap) {
    guard let book = trackBooks[index], book.taps.count < TapList.capacity, !book.taps.contains(where: { $0 === tap }) else {
      tap.ring.write(TapRecord.headOfEnd, nil)
      return
    }
    book.taps.append(tap)
    let track = tracks[tappedLayer(of: index)]
    track.pointee.taps.append(tap.ring)
    if track.pointee.isMuted { tap.ring.write(TapRecord.head(muted: true), nil) }
    if let moment = track.pointee.clock.lastReport {
      let timestamp = moment.rtp &+ track.pointee.tapTimestampOffset
      tap.ring.write(TapRecord.head(ofReport: moment.ntp, timestamp: timestamp, arrival: moment.at), nil)
    }
    if track.pointee.isVideo { track.pointee.keyFrames.request() }
  }

  func setTapSize(_ size: PictureSize?, of index: Int, now: Instant) {
    guard let book = trackBooks[index], book.tapSize != size else { return }
    book.tapSize = size
    if tracks[index].pointee.isLayered { chooseLayers(of: index, now: now) }
  }

  func untap(_ index: Int, _ tap: TrackTap) {
    guard let book = trackBooks[index] else { return }
    book.taps.removeAll { $0 === tap }
    let track = tracks[tappedLayer(of: index)]
    track.pointee.taps.removeAll()
    for tap in book.taps { track.pointee.taps.append(tap.ring) }
  }

  /// Writes a packet, with the numbers that continue those of the layer before.
  func writeTaps(
    of track: UnsafeMutablePointer<TrackSlot>, _ packet: UnsafeMutablePointer<StoredPacket>, _ payload: UnsafeRawPointer,
    now: Instant
  ) {
    guard packet.pointee.sequence >= track.pointee.tapFrom else { return }
    let format = track.pointee.formats[Int(packet.pointee.codec)]
    var head = TapRecord.head(of: packet.pointee, format: format, arrival: now)
    head.sequence &+= track.pointee.tapSequenceOffset
    head.timestamp &+= track.pointee.tapTimestampOffset
    track.pointee.taps.write(head, payload)
  }

  /// Ends the track's taps.
  func endTaps(of index: Int) {
    let track = tracks[tappedLayer(of: index)]
    track.pointee.taps.write(TapRecord.headOfEnd)
    track.pointee.taps.removeAll()
    trackBooks[index]?.taps = []
  }
}
