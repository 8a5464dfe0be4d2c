import RoomRTP

/// The reception statistics and the missing packets of one published stream.
final class ReceptionState {
  var stream: ReceiveStream

  init(clockRate: UInt32, isVideo: Bool) {
    stream = ReceiveStream(ssrc: 0, clockRate: clockRate, policy: isVideo ? .video : .audio)
  }

  /// Resets all counts for a new SSRC.
  func begin(ssrc: SSRC, clockRate: UInt32, isVideo: Bool) {
    guard stream.ssrc != ssrc else { return }
    stream = ReceiveStream(ssrc: ssrc, clockRate: clockRate, policy: isVideo ? .video : .audio)
  }
}

/// The arrival times of a publishing transport's packets.
final class ArrivalRecorder {
  var recorder = TransportFeedbackRecorder()
}
