/// The header extension that describes which frames a frame of a scalable video needs (RTP Payload Format for AV1, appendix A).
///
/// A server that forwards all frames passes it on as it is. Only the frame number must continue for a receiver when the sender
/// restarts, or when another sender takes over the stream.
public enum DependencyDescriptor {
  /// The length of the mandatory fields in bytes: start and end of frame, template, frame number.
  public static let minimumLength = 3
  /// The maximum length in bytes of the data of a header extension element (RFC 8285 §4.3). Descriptors of key frames list all
  /// templates of the stream, so they rarely fit into the 16 bytes of the one-byte form.
  public static let maximumLength = 255

  /// Returns the frame number, modulo 2¹⁶. `descriptor` has at least `minimumLength` bytes.
  @inlinable public static func frameNumber(_ descriptor: UnsafeRawPointer) -> UInt16 { descriptor.load16(1) }

  /// Replaces the frame number. `descriptor` has at least `minimumLength` bytes.
  @inlinable public static func setFrameNumber(_ number: UInt16, in descriptor: UnsafeMutableRawPointer) {
    descriptor.store16(number, 1)
  }
}
