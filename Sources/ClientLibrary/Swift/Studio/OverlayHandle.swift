import RoomCClient
import RoomCodecs
import RoomStudio
import Synchronization

/// A sticker, a text or a watermark of the app.
final class OverlayHandle: Handle {
  private let state: Mutex<Overlay>

  init(_ overlay: Overlay) { state = Mutex(overlay) }

  var overlay: Overlay { state.withLock { $0 } }

  func move(x: Int, y: Int) {
    state.withLock { overlay in
      overlay.x = x
      overlay.y = y
    }
  }

  func close() {}

  static func named(_ handle: OpaquePointer?) throws(Refusal) -> OverlayHandle {
    try HandleTable.shared.find(handle, OverlayHandle.self, "overlay")
  }

  /// Returns the overlays of an array argument.
  static func named(_ handles: UnsafePointer<OpaquePointer?>?, _ count: Int) throws(Refusal) -> [Overlay] {
    let handles = try elements(handles, count, "overlays", most: PictureSettings.maximumOverlays)
    return try handles.map { handle throws(Refusal) in try named(handle).overlay }
  }
}
