/// Changes the pictures of a source before they are encoded.
public protocol FrameProcessor: Sendable {
  /// Returns the picture to encode in place of another.
  ///
  /// Called for the pictures of a source one after another, each with its capture time in `timestamp`, on the thread that
  /// encodes them. The time that it takes is lost to the encoder.
  func process(_ frame: VideoFrame) -> VideoFrame
}
