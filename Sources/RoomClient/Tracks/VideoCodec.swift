/// A video codec that tracks of this library carry; the library itself neither encodes nor decodes.
public enum VideoCodec: String, Sendable, Hashable, CaseIterable {
  case h264
  case vp8
}

/// The H.264 profiles that the server routes, by their `profile-level-id` at level 3.1. What is announced is the level that the size
/// and the frame rate of the track need, from 3.1 on.
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
