import RTP

/// What came and what is missing of one published stream.
final class ReceptionBook {
  var stream: ReceiveStream

  init(clockRate: UInt32, isVideo: Bool) {
    stream = ReceiveStream(ssrc: 0, clockRate: clockRate, policy: isVideo ? .video : .audio)
  }

  /// Another SSRC: all counting begins anew.
  func begin(ssrc: SSRC, clockRate: UInt32, isVideo: Bool) {
    guard stream.ssrc != ssrc else { return }
    stream = ReceiveStream(ssrc: ssrc, clockRate: clockRate, policy: isVideo ? .video : .audio)
  }
}

/// When the packets of a publishing transport came.
final class FeedbackBook {
  var recorder = TransportFeedbackRecorder()
}
