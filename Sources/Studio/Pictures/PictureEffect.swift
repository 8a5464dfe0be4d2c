public import RoomCodecs

/// A step that changes a picture: one of this module's, or an app's own.
///
/// An app that finds faces, blurs a background or counts frames writes an effect and adds it to ``PictureSettings/effects``.
public protocol PictureEffect: Sendable {
  /// Changes a picture in place, or replaces it.
  ///
  /// `frame.timestamp` is its capture time. Calls come one after another for the pictures of one studio, while the encoder
  /// waits. Planes that no other frame shares are changed without a copy: `frame.withMutablePlanes`.
  func apply(to frame: inout VideoFrame)
}

/// An effect that calls a closure.
public struct PictureHook: PictureEffect {
  private let body: @Sendable (inout VideoFrame) -> Void

  /// - Parameter body: changes a picture in place, or replaces it.
  public init(_ body: @escaping @Sendable (inout VideoFrame) -> Void) { self.body = body }

  /// Calls the closure.
  public func apply(to frame: inout VideoFrame) { body(&frame) }
}
