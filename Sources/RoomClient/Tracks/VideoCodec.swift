/// A video codec that tracks can carry. `RoomClient` itself neither encodes nor decodes.
public enum VideoCodec: String, Sendable, Hashable, CaseIterable {
  /// H.264 (RFC 6184).
  case h264
  /// VP8 (RFC 7741).
  case vp8
  /// VP9, profile 0 (RFC 9628).
  case vp9
  /// AV1, main profile (RTP Payload Format for AV1).
  case av1
}

/// The H.264 profiles that the server routes, by their `profile-level-id` at level 3.1.
///
/// The announced level is the one that the track's size and frame rate need, at least 3.1.
public enum H264Profile: String, Sendable, Hashable, CaseIterable {
  /// Constrained Baseline.
  case constrainedBaseline = "42e01f"
  /// Baseline.
  case baseline = "42001f"
  /// Main.
  case main = "4d001f"
  /// Constrained High.
  case high = "640c1f"
}
