/// Anything that delivers pictures until it is stopped: a camera, a screen, or a source of the app.
public protocol PictureCapture: Sendable {
  /// Why capturing ended by itself; nil while it runs.
  var reasonOfEnd: (any Error)? { get }
  /// Ends capturing.
  func stop()
}
