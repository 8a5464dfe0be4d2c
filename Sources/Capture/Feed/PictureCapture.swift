/// Anything that delivers pictures until it is stopped: a camera, a screen, or a source of the app.
public protocol PictureCapture: Sendable {
  /// Why it may end.
  associatedtype Failure: Error
  /// Why capturing ended by itself; nil while it runs.
  var failure: Failure? { get }
  /// Ends capturing.
  func stop()
}
