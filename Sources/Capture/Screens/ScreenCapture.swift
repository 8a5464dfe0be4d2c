import Foundation
public import RoomCodecs
import RoomLinux
import RoomRTP
import Synchronization

/// Captures a screen, a part of it, or a window of an X11 display, with or without the mouse pointer. A released capture stops.
public final class ScreenCapture: PictureCapture {
  private final class State: Sendable {
    let isStopped = Atomic(false)
    let failure = Mutex<ScreenError?>(nil)
  }

  private let state = State()

  /// Starts to capture.
  /// - Parameters:
  ///   - source: what of the display.
  ///   - display: such as `:0`; nil for the environment's `DISPLAY`.
  ///   - fps: pictures per second, 1…60. A picture that is late is left out.
  ///   - showsPointer: whether the mouse pointer is in the pictures.
  ///   - pool: keeps the memory of released frames.
  ///   - deliver: gets each picture on the capture's thread, with its time on the monotonic clock.
  /// - Throws: ``ScreenError`` if the display or the source does not exist.
  public init(
    _ source: ScreenSource, display: String? = nil, fps: Int = 15, showsPointer: Bool = true, pool: FramePool = .shared,
    deliver: @escaping @Sendable (VideoFrame) -> Void
  ) throws(ScreenError) {
    let reader = Reader(try ScreenReader(source, display: display, showsPointer: showsPointer))
    let interval = 1_000_000 / Int64(min(max(fps, 1), 60))
    let thread = Thread { [state] in
      var due = Instant.now
      while !state.isStopped.load(ordering: .relaxed) {
        do throws(ScreenError) {
          deliver(try reader.value.read(at: Instant.now.mediaTime, pool: pool))
        } catch .notFound {
          // A window that is hidden: it may be shown again.
        } catch {
          state.failure.withLock { $0 = error }
          return
        }
        due = due.advanced(microseconds: interval)
        let wait = due.microseconds - Instant.now.microseconds
        if wait > 0 { usleep(UInt32(clamping: wait)) } else { due = .now }
      }
    }
    thread.name = "screen"
    thread.start()
  }

  deinit { stop() }

  /// Why capturing ended by itself, for example because the window was closed; nil while it runs.
  public var failure: ScreenError? { state.failure.withLock { $0 } }

  /// Stops within one picture.
  public func stop() { state.isStopped.store(true, ordering: .relaxed) }

  /// Unchecked: the reader is made by the caller's thread and from then on used by the capture's thread alone.
  private struct Reader: @unchecked Sendable {
    let value: ScreenReader
    init(_ value: ScreenReader) { self.value = value }
  }
}
