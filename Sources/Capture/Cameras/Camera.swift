import Foundation
import RoomCLinux
public import RoomCodecs
import Synchronization

/// Captures from a camera (V4L2). A released camera stops.
public final class Camera: PictureCapture {
  /// What happened to the pictures since the start.
  public struct Counters: Sendable, Hashable {
    /// Delivered to the app.
    public var delivered = 0
    /// Dropped because they were damaged.
    public var damaged = 0
    /// Not captured, because the app did not return the last ones in time.
    public var missed = 0
  }

  /// After this time without a picture, the camera ends with ``CameraError/noPictures(path:)``: 10 s. Slow cameras need 3 s to
  /// start.
  public static let patience = Duration.seconds(10)

  private final class State: Sendable {
    let failure = Mutex<CameraError?>(nil)
    let counters = Mutex(Counters())
    let isStopped = Atomic(false)
    /// Wakes the thread.
    let wake = linux_eventfd()

    deinit { if wake >= 0 { close(wake) } }
  }

  /// What the camera was set to, the nearest to what was wanted.
  public let setting: CameraSetting
  /// The path of the device.
  public let path: String
  private let state = State()

  /// Opens a camera and starts to capture.
  /// - Parameters:
  ///   - path: that of a ``CameraDevice``.
  ///   - width: the wanted width in pixels; see ``CameraSetting/nearest(width:height:rate:in:)``.
  ///   - height: the wanted height in pixels.
  ///   - rate: the wanted frames per second. In the dark, many cameras deliver fewer.
  ///   - pool: keeps the memory of released frames.
  ///   - ended: is called once, after the device was released: with nil after ``stop()``, else with the reason. The closure may
  ///     open the camera again.
  ///   - deliver: gets the frames on a thread of the camera. Their time is that of the capture on the monotonic clock. While it
  ///     runs, the driver has three further buffers; then pictures are missed.
  /// - Throws: ``CameraError`` if the camera cannot be opened.
  public init(
    path: String, width: Int = 1280, height: Int = 720, rate: Double = 30, pool: FramePool = .shared,
    ended: @escaping @Sendable (CameraError?) -> Void = { _ in }, deliver: @escaping @Sendable (VideoFrame) -> Void
  ) throws(CameraError) {
    let node = try VideoNode(path: path)
    let formats = try CameraDevice(node).formats
    guard let wanted = CameraSetting.nearest(width: width, height: height, rate: rate, in: formats) else {
      var codes: [FourCC] = []
      for format in formats where !codes.contains(format.code) { codes.append(format.code) }
      throw .noUsableFormat(path: path, formats: codes)
    }
    let stream = try CameraStream(node, wanted)
    self.path = path
    setting = stream.setting
    let state = state
    let thread = Thread {
      let failure = Self.run(stream, state, pool, deliver)
      stream.close()
      state.failure.withLock { $0 = failure }
      ended(failure)
    }
    thread.name = "camera"
    thread.start()
  }

  deinit { stop() }

  /// Why capturing ended by itself, for example because the camera was unplugged; nil while it runs.
  public var failure: CameraError? { state.failure.withLock { $0 } }

  /// What happened to the pictures since the start.
  public var counters: Counters { state.counters.withLock { $0 } }

  /// Stops soon, and then releases the device. Returns at once.
  public func stop() {
    state.isStopped.store(true, ordering: .relaxed)
    linux_eventfd_signal(state.wake)
  }

  private static func run(
    _ stream: CameraStream, _ state: State, _ pool: FramePool, _ deliver: (VideoFrame) -> Void
  ) -> CameraError? {
    do {
      let pictures = try CameraPictures(stream.setting, stride: stream.stride, pool: pool)
      var last: UInt32?
      while !state.isStopped.load(ordering: .relaxed) {
        _ = try stream.next(wake: state.wake, milliseconds: Int32(patience.components.seconds) * 1000) { picture in
          let missed = last.map { Int(picture.sequence &- $0) - 1 } ?? 0
          last = picture.sequence
          let frame = picture.isDamaged ? nil : try? pictures.frame(picture.bytes, time: picture.time)
          state.counters.withLock { counters in
            // A larger step is a restarted sequence.
            if (1..<1000).contains(missed) { counters.missed &+= missed }
            if frame == nil { counters.damaged &+= 1 } else { counters.delivered &+= 1 }
          }
          if let frame { deliver(frame) }
        }
      }
      return nil
    } catch let error as CameraError {
      return error
    } catch {
      // libavcodec was built without MJPEG.
      return .noUsableFormat(path: stream.path, formats: [stream.setting.code])
    }
  }
}
