import RoomCXCB
import RoomPeers
import RoomTestSupport
import Foundation
import Testing

/// An X server without a screen, of the test's own.
final class VirtualDisplay {
  let name: String
  private let program: Program

  init() async throws {
    program = try Program("Xvfb", ["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"])
    let program = program
    try await eventually("Xvfb serves", within: .seconds(20)) { program.text.contains(/(?m)^\d+$/) }
    name = ":" + (program.text.firstMatch(of: /(?m)^\d+$/)?.output ?? "0")
  }

  func stop() { program.stop() }
}

/// A window of four colours: red, green, blue and white, from the upper left to the lower right.
final class PaintedWindow {
  static let colours: [UInt32] = [0xFF0000, 0x00FF00, 0x0000FF, 0xFFFFFF]
  let id: UInt32
  private let connection: OpaquePointer

  init(on display: String, title: String, x: Int16, y: Int16, side: UInt16 = 100) throws {
    connection = try #require(xcb_connect(display, nil))
    let screen = try #require(xcb_setup_roots_iterator(xcb_get_setup(connection)).data).pointee
    id = xcb_generate_id(connection)
    Self.create(id, in: screen.root, x, y, side, 0, connection)
    for (index, colour) in Self.colours.enumerated() {
      let half = Int16(side / 2)
      let child = xcb_generate_id(connection)
      Self.create(child, in: id, Int16(index % 2) * half, Int16(index / 2) * half, side / 2, colour, connection)
      xcb_map_window(connection, child)
    }
    xcb_change_property(
      connection, UInt8(XCB_PROP_MODE_REPLACE.rawValue), id, XCB_ATOM_WM_NAME.rawValue, XCB_ATOM_STRING.rawValue, 8,
      UInt32(title.utf8.count), title)
    xcb_map_window(connection, id)
    sync()
  }

  deinit { xcb_disconnect(connection) }

  private static func create(
    _ id: UInt32, in parent: UInt32, _ x: Int16, _ y: Int16, _ side: UInt16, _ colour: UInt32, _ connection: OpaquePointer
  ) {
    xcb_create_window(
      connection, 24, id, parent, x, y, side, side, 0, UInt16(XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue), 0,
      XCB_CW_BACK_PIXEL.rawValue, [colour])
  }

  /// Moves the window, and gives it another size.
  func place(x: UInt32, y: UInt32, width: UInt32, height: UInt32) {
    let mask =
      XCB_CONFIG_WINDOW_X.rawValue | XCB_CONFIG_WINDOW_Y.rawValue | XCB_CONFIG_WINDOW_WIDTH.rawValue
      | XCB_CONFIG_WINDOW_HEIGHT.rawValue
    xcb_configure_window(connection, id, UInt16(mask), [x, y, width, height])
    sync()
  }

  /// Makes the pointer over the window an opaque square of 16 pixels in magenta, whose upper left pixel points, and moves it there.
  func point(at x: Int16, _ y: Int16) {
    let (mask, cursor, context) = (
      xcb_generate_id(connection), xcb_generate_id(connection), xcb_generate_id(connection)
    )
    xcb_create_pixmap(connection, 1, mask, id, 16, 16)
    xcb_create_gc(connection, context, mask, XCB_GC_FOREGROUND.rawValue, [1])
    xcb_poly_fill_rectangle(connection, mask, context, 1, [xcb_rectangle_t(x: 0, y: 0, width: 16, height: 16)])
    xcb_create_cursor(connection, cursor, mask, mask, .max, 0, .max, 0, 0, 0, 0, 0)
    xcb_change_window_attributes(connection, id, XCB_CW_CURSOR.rawValue, [cursor])
    xcb_warp_pointer(connection, 0, id, 0, 0, 0, 0, x, y)
    sync()
  }

  func close() {
    xcb_destroy_window(connection, id)
    sync()
  }

  /// Returns when the display has carried out all requests.
  private func sync() { free(xcb_get_input_focus_reply(connection, xcb_get_input_focus(connection), nil)) }
}
