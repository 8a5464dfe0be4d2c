public import RoomCodecs
import RoomRTP
import Synchronization

/// Feeds one sink, such as `VideoSource.push`, from one capture at a time. The capture can be replaced while the track is live.
///
/// ```swift
/// let feed = CaptureFeed { camera.push($0) }
/// try feed.start { try ScreenCapture(.screen, deliver: $0) }
/// try feed.start { try ScreenCapture(.window(id), deliver: $0) }
/// feed.stop()
/// ```
///
/// Each picture is later than the one before, whichever capture it is from. A released feed stops.
public final class CaptureFeed: Sendable {
  private struct State: Sendable {
    var capture: (any PictureCapture)?
    /// The number of the capture whose pictures pass.
    var current = 0
    var opened = 0
    var last: MediaTime?
  }

  private let state = Mutex(State())
  private let sink: @Sendable (VideoFrame) -> Void

  /// Creates a feed without a capture.
  /// - Parameter sink: gets the pictures on the captures' threads, one at a time.
  public init(_ sink: @escaping @Sendable (VideoFrame) -> Void) { self.sink = sink }

  deinit { state.withLock { $0.capture }?.stop() }

  /// Why the current capture ended by itself; nil while it runs, and without one.
  public var failure: (any Error)? { state.withLock { $0.capture }?.failure }

  /// Opens a capture, and ends the one before once the new one is open. If it cannot be opened, the one before continues.
  /// - Parameter open: opens a capture that delivers to the given closure.
  public func start<Failure: Error>(
    _ open: (@escaping @Sendable (VideoFrame) -> Void) throws(Failure) -> any PictureCapture
  ) throws(Failure) {
    let number = state.withLock { state in
      state.opened += 1
      return state.opened
    }
    let capture = try open { [weak self] frame in self?.pass(frame, from: number) }
    let previous: (any PictureCapture)? = state.withLock { state in
      // A capture that was started later has already replaced this one.
      guard number > state.current else { return capture }
      defer { (state.current, state.capture) = (number, capture) }
      return state.capture
    }
    previous?.stop()
  }

  /// Ends the current capture. Another one can be started.
  public func stop() {
    let previous: (any PictureCapture)? = state.withLock { state in
      state.opened += 1
      state.current = state.opened
      defer { state.capture = nil }
      return state.capture
    }
    previous?.stop()
  }

  private func pass(_ frame: VideoFrame, from number: Int) {
    let passes = state.withLock { state in
      guard number == state.current, state.last.map({ $0 < frame.timestamp }) ?? true else { return false }
      state.last = frame.timestamp
      return true
    }
    if passes { sink(frame) }
  }
}
