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
    let track = tracks[index]
    track.pointee.taps.append(tap.ring)
    if track.pointee.isMuted { tap.ring.write(TapRecord.head(muted: true), nil) }
    if let moment = track.pointee.clock.lastReport {
      tap.ring.write(TapRecord.head(ofReport: moment.ntp, timestamp: moment.rtp, arrival: moment.at), nil)
    }
    if track.pointee.isVideo { track.pointee.keyFrames.request() }
  }

  func untap(_ index: Int, _ tap: TrackTap) {
    guard let book = trackBooks[index] else { return }
    book.taps.removeAll { $0 === tap }
    tracks[index].pointee.taps.removeAll()
    for tap in book.taps { tracks[index].pointee.taps.append(tap.ring) }
  }

  /// Ends the track's taps.
  func endTaps(of index: Int) {
    let track = tracks[index]
    track.pointee.taps.write(TapRecord.headOfEnd)
    track.pointee.taps.removeAll()
    trackBooks[index]?.taps = []
  }
}
