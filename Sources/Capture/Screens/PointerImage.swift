import RoomCXCB

/// Draws the mouse pointer into pictures, because a display does not include it in what it returns (XFIXES).
struct PointerImage {
  /// Pixels with premultiplied alpha, and the one that points.
  private struct Cursor {
    var width = 0
    var height = 0
    var hotX = 0
    var hotY = 0
    var pixels: [UInt32] = []
  }

  private let display: Display

  /// Returns nil if the display lacks the extension.
  init?(_ display: Display) {
    let connection = display.connection
    guard display.has(xcb_extension_of_xfixes()) else { return nil }
    // A display refuses the other requests to a client that did not ask for the version.
    let version = xcb_xfixes_query_version(connection, 1, 0)
    guard
      (try? display.take("QueryVersion") {
        xcb_xfixes_query_version_reply(connection, version, &$0)
      } _: { _ in
      }) != nil
    else { return nil }
    self.display = display
  }

  /// Draws the pointer into the picture of a window, if it is in it.
  /// - Parameters:
  ///   - bytes: the pixels of `area`, four bytes each: blue, green, red, unused.
  ///   - area: the rectangle of the window.
  func draw(into bytes: UnsafeMutableRawBufferPointer, _ window: xcb_window_t, _ area: ScreenArea) throws(ScreenError) {
    let connection = display.connection
    let asked = (xcb_query_pointer(connection, window), xcb_xfixes_get_cursor_image(connection))
    let place = try? display.take("QueryPointer") {
      xcb_query_pointer_reply(connection, asked.0, &$0)
    } _: { reply -> (x: Int, y: Int)? in
      reply.pointee.same_screen == 1 ? (Int(reply.pointee.win_x) - area.x, Int(reply.pointee.win_y) - area.y) : nil
    }
    let cursor = try display.take("GetCursorImage") {
      xcb_xfixes_get_cursor_image_reply(connection, asked.1, &$0)
    } _: { reply in
      let values = reply.pointee
      var cursor = Cursor(
        width: Int(values.width), height: Int(values.height), hotX: Int(values.xhot), hotY: Int(values.yhot))
      if let pixels = xcb_xfixes_get_cursor_image_cursor_image(reply) {
        let count = max(0, Int(xcb_xfixes_get_cursor_image_cursor_image_length(reply)))
        cursor.pixels = Array(UnsafeBufferPointer(start: pixels, count: count))
      }
      return cursor
    }
    guard let place, (0..<area.width).contains(place.x), (0..<area.height).contains(place.y) else { return }
    Self.blend(cursor, into: bytes, area.width, area.height, place.x - cursor.hotX, place.y - cursor.hotY)
  }

  private static func blend(
    _ cursor: Cursor, into bytes: UnsafeMutableRawBufferPointer, _ width: Int, _ height: Int, _ left: Int, _ top: Int
  ) {
    guard cursor.pixels.count >= cursor.width * cursor.height, bytes.count >= width * height * 4 else { return }
    for row in max(0, -top)..<max(0, -top, min(cursor.height, height - top)) {
      for column in max(0, -left)..<max(0, -left, min(cursor.width, width - left)) {
        let pixel = cursor.pixels[row * cursor.width + column]
        let rest = 255 - pixel >> 24
        let offset = ((top + row) * width + left + column) * 4
        for part in 0..<3 {
          let under = UInt32(bytes[offset + part])
          bytes[offset + part] = UInt8(clamping: (pixel >> (8 * UInt32(part)) & 0xFF) + under * rest / 255)
        }
      }
    }
  }
}
