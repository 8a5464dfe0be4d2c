import RoomCClient
import RoomStreaming

extension StreamingState {
  /// The state in the form of the app.
  var forApp: rc_streaming_state {
    switch self {
    case .unknown: RC_STREAMING_UNKNOWN
    case .connecting: RC_STREAMING_CONNECTING
    case .connected: RC_STREAMING_CONNECTED
    case .autoReconnecting: RC_STREAMING_RECONNECTING
    case .disconnecting: RC_STREAMING_DISCONNECTING
    case .disconnected: RC_STREAMING_DISCONNECTED
    case .error: RC_STREAMING_ERROR
    }
  }
}

extension StreamingEvent {
  /// Calls `body` with the event in the form of the app. The pointers are invalid after it.
  func withEvent(_ body: (UnsafePointer<rc_streaming_event>) -> Void) {
    switch self {
    case .state(let state, let failure):
      let refusal = failure.map { Refusal($0) }
      (refusal?.message ?? "").withCString { message in
        var event = rc_streaming_event(
          state: state.forApp, failure: refusal?.status ?? Int32(RC_OK), message: message, status: nil)
        body(&event)
      }
    case .status(let status):
      var report = rc_streaming_status(
        video_fps: status.videoFPS, audio_fps: status.audioFPS, video_kbps: Int32(clamping: status.videoKilobits),
        audio_kbps: Int32(clamping: status.audioKilobits), queued_ms: Int32(clamping: status.queued),
        target_bitrate: Int32(clamping: status.targetBitrate), target_fps: Int32(clamping: status.targetFPS),
        connections: Int32(clamping: status.connections), dropped_frames: status.droppedFrames)
      withUnsafePointer(to: &report) { report in
        "".withCString { message in
          var event = rc_streaming_event(
            state: status.state.forApp, failure: Int32(RC_OK), message: message, status: report)
          body(&event)
        }
      }
    }
  }
}
