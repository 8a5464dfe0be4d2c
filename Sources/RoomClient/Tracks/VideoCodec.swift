/// A video codec that tracks of this library carry; the library itself neither encodes nor decodes.
public enum VideoCodec: String, Sendable, Hashable, CaseIterable {
  case h264
  case vp8
}

/// The H.264 profiles and levels that the server routes, by their `profile-level-id`.
public enum H264Profile: String, Sendable, Hashable, CaseIterable {
  /// Constrained baseline 3.1.
  case constrainedBaseline = "42e01f"
  /// Baseline 3.1.
  case baseline = "42001f"
  /// Main 3.1.
  case main = "4d001f"
  /// Constrained high 3.1.
  case high = "640c1f"
}
