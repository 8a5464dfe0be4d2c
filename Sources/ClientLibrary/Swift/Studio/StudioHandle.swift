import Foundation
import RoomCClient
import RoomCodecs
import RoomStudio
import Synchronization

/// A studio of the app. The studio is also the effect that calls the app.
final class StudioHandle: Handle, PictureEffect {
  let studio = PictureStudio()
  /// Locked while settings are read, changed and set, so that no change is lost.
  private let changes = Mutex(())
  /// Locked while the callback runs. Recursive, because the callback may remove itself. Apart from `changes`, so that settings
  /// can be changed meanwhile.
  private let running = NSRecursiveLock()
  private let callback = Mutex<Callback<rc_on_frame>?>(nil)

  /// Changes the settings.
  func change(_ body: (inout PictureSettings) throws -> Void) rethrows {
    try changes.withLock { _ in
      var settings = studio.settings
      try body(&settings)
      studio.settings = settings
    }
  }

  /// Sets the app's callback. Waits for the one before, if it runs on another thread.
  func set(_ callback: Callback<rc_on_frame>?) {
    change { $0.effects = callback == nil ? [] : [self] }
    running.lock()
    defer { running.unlock() }
    self.callback.withLock { $0 = callback }
  }

  func apply(to frame: inout VideoFrame) {
    running.lock()
    defer { running.unlock() }
    guard let callback = callback.withLock({ $0 }) else { return }
    let time = frame.timestamp.microseconds
    frame.withMutablePlanes { planes in
      var picture = rc_frame(
        width: Int32(planes.width), height: Int32(planes.height), y: planes.y, u: planes.u, v: planes.v,
        stride_y: Int32(planes.yStride), stride_uv: Int32(planes.chromaStride), time_us: time)
      callback.function(callback.context, &picture)
    }
  }

  func close() {
    // The tracks that use the studio keep it, without the app's callback.
    set(nil)
  }

  static func named(_ handle: OpaquePointer?) throws(Refusal) -> StudioHandle {
    try HandleTable.shared.find(handle, StudioHandle.self, "studio")
  }
}
