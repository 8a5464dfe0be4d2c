import Glibc
import RoomCXCB

/// A connection to an X server. One thread uses it.
final class Display {
  let connection: OpaquePointer
  /// The number of the screen that the display's name selects.
  let preferred: Int

  /// Connects.
  /// - Parameter name: such as `:0`; nil for the environment's `DISPLAY`.
  init(_ name: String?) throws(ScreenError) {
    var number: Int32 = 0
    guard let connection = xcb_connect(name, &number) else { throw .noDisplay(name ?? "") }
    if xcb_connection_has_error(connection) != 0 {
      xcb_disconnect(connection)
      throw .noDisplay(name ?? "")
    }
    self.connection = connection
    preferred = Int(number)
  }

  deinit { xcb_disconnect(connection) }

  /// The roots of the display.
  var screens: [xcb_screen_t] {
    var iterator = xcb_setup_roots_iterator(xcb_get_setup(connection))
    var screens: [xcb_screen_t] = []
    while iterator.rem > 0, let screen = iterator.data {
      screens.append(screen.pointee)
      xcb_screen_next(&iterator)
    }
    return screens
  }

  /// Returns whether the display has an extension. A request of one that it lacks would end the connection.
  func has(_ name: OpaquePointer?) -> Bool {
    xcb_get_extension_data(connection, name)?.pointee.present == 1
  }

  /// Frees a reply, or throws its error.
  /// - Parameter request: the name of the request.
  func take<Reply, Result>(
    _ request: String, _ reply: (inout UnsafeMutablePointer<xcb_generic_error_t>?) -> UnsafeMutablePointer<Reply>?,
    _ read: (UnsafeMutablePointer<Reply>) -> Result
  ) throws(ScreenError) -> Result {
    var error: UnsafeMutablePointer<xcb_generic_error_t>?
    let answer = reply(&error)
    defer {
      free(answer)
      free(error)
    }
    if let answer { return read(answer) }
    guard xcb_connection_has_error(connection) == 0 else { throw .connectionLost }
    throw .refused(request: request, code: Int(error?.pointee.error_code ?? 0))
  }

  /// Throws if a request without a reply failed.
  func check(_ request: String, _ cookie: xcb_void_cookie_t) throws(ScreenError) {
    guard let error = xcb_request_check(connection, cookie) else {
      guard xcb_connection_has_error(connection) == 0 else { throw .connectionLost }
      return
    }
    defer { free(error) }
    throw .refused(request: request, code: Int(error.pointee.error_code))
  }

  func geometry(_ drawable: xcb_drawable_t) throws(ScreenError) -> xcb_get_geometry_reply_t {
    try take("GetGeometry") {
      xcb_get_geometry_reply(connection, xcb_get_geometry(connection, drawable), &$0)
    } _: {
      $0.pointee
    }
  }

  /// Returns an atom of a name that is known to exist on the display; 0 if it does not.
  func atom(_ name: String) throws(ScreenError) -> xcb_atom_t {
    try take("InternAtom") {
      xcb_intern_atom_reply(connection, xcb_intern_atom(connection, 1, UInt16(clamping: name.utf8.count), name), &$0)
    } _: {
      $0.pointee.atom
    }
  }

  /// Returns at most `most` bytes of a property; empty without it.
  func property(_ atom: xcb_atom_t, of window: xcb_window_t, most: Int) throws(ScreenError) -> [UInt8] {
    guard atom != 0 else { return [] }
    let cookie = xcb_get_property(connection, 0, window, atom, 0, 0, UInt32(clamping: (most + 3) / 4))
    return try take("GetProperty") {
      xcb_get_property_reply(connection, cookie, &$0)
    } _: { reply in
      guard let value = xcb_get_property_value(reply) else { return [] }
      return Array(UnsafeRawBufferPointer(start: value, count: Int(xcb_get_property_value_length(reply))).prefix(most))
    }
  }
}
