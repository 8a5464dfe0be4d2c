import Glibc
import RoomCXCB

/// What can be captured of a display.
public struct ScreenDevices: Sendable, Hashable {
  /// A monitor, or a whole screen if the display does not say which monitors it has.
  public struct Monitor: Sendable, Hashable {
    /// The name, such as `DP-1`.
    public var name: String
    /// The rectangle on the screen, in pixels.
    public var area: ScreenArea
  }

  /// A visible window of an app.
  public struct Window: Sendable, Hashable {
    /// The id that ``ScreenSource/window(_:)`` takes.
    public var id: UInt32
    /// The title; empty if it has none.
    public var title: String
    /// The size in pixels.
    public var width: Int
    public var height: Int
  }

  /// The most windows and monitors that are listed.
  public static let most = 256

  /// The monitors, the primary first.
  public private(set) var monitors: [Monitor] = []
  /// The windows, from the bottom to the top.
  public private(set) var windows: [Window] = []

  /// Asks a display.
  /// - Parameter display: such as `:0`; nil for the environment's `DISPLAY`.
  public init(display name: String? = nil) throws(ScreenError) {
    let display = try Display(name)
    guard display.screens.indices.contains(display.preferred) else { throw .notFound("screen \(display.preferred)") }
    let screen = display.screens[display.preferred]
    monitors = (try? Self.monitors(of: screen, display)) ?? []
    if monitors.isEmpty {
      let area = ScreenArea(x: 0, y: 0, width: Int(screen.width_in_pixels), height: Int(screen.height_in_pixels))
      monitors = [Monitor(name: "screen", area: area)]
    }
    windows = try Self.windows(of: screen, display)
  }

  private static func monitors(of screen: xcb_screen_t, _ display: Display) throws(ScreenError) -> [Monitor] {
    let connection = display.connection
    guard display.has(xcb_extension_of_randr()) else { return [] }
    let cookie = xcb_randr_get_monitors(connection, screen.root, 1)
    let listed = try display.take("GetMonitors") {
      xcb_randr_get_monitors_reply(connection, cookie, &$0)
    } _: { reply in
      var infos: [xcb_randr_monitor_info_t] = []
      var iterator = xcb_randr_get_monitors_monitors_iterator(reply)
      while iterator.rem > 0, infos.count < most, let info = iterator.data {
        infos.append(info.pointee)
        xcb_randr_monitor_info_next(&iterator)
      }
      return infos
    }
    var monitors: [Monitor] = []
    for info in listed.sorted(by: { $0.primary > $1.primary }) {
      let name = try display.take("GetAtomName") {
        xcb_get_atom_name_reply(connection, xcb_get_atom_name(connection, info.name), &$0)
      } _: { reply in
        String(
          decoding: UnsafeRawBufferPointer(
            start: xcb_get_atom_name_name(reply), count: Int(xcb_get_atom_name_name_length(reply))), as: UTF8.self)
      }
      let area = ScreenArea(x: Int(info.x), y: Int(info.y), width: Int(info.width), height: Int(info.height))
      monitors.append(Monitor(name: name, area: area))
    }
    return monitors
  }

  /// Returns the windows that the window manager lists; without one, the visible windows below the root.
  private static func windows(of screen: xcb_screen_t, _ display: Display) throws(ScreenError) -> [Window] {
    let listed = try display.property(try display.atom("_NET_CLIENT_LIST_STACKING"), of: screen.root, most: most * 4)
    var ids = stride(from: 0, to: listed.count / 4 * 4, by: 4).map { start in
      listed[start..<start + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    if ids.isEmpty {
      let cookie = xcb_query_tree(display.connection, screen.root)
      ids = try display.take("QueryTree") {
        xcb_query_tree_reply(display.connection, cookie, &$0)
      } _: { reply in
        Array(
          UnsafeBufferPointer(start: xcb_query_tree_children(reply), count: Int(xcb_query_tree_children_length(reply)))
            .suffix(most))
      }
    }
    let names = (try display.atom("_NET_WM_NAME"), XCB_ATOM_WM_NAME.rawValue)
    // A window may close meanwhile: it is left out.
    return ids.compactMap { id in try? Self.window(id, names, display) }
  }

  private static func window(_ id: UInt32, _ names: (xcb_atom_t, xcb_atom_t), _ display: Display) throws(ScreenError) -> Window?
  {
    let cookie = xcb_get_window_attributes(display.connection, id)
    let isVisible = try display.take("GetWindowAttributes") {
      xcb_get_window_attributes_reply(display.connection, cookie, &$0)
    } _: { reply in
      UInt32(reply.pointee.map_state) == XCB_MAP_STATE_VIEWABLE.rawValue
        && UInt32(reply.pointee._class) == XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue
    }
    guard isVisible else { return nil }
    var title = try display.property(names.0, of: id, most: 256)
    if title.isEmpty { title = try display.property(names.1, of: id, most: 256) }
    let geometry = try display.geometry(id)
    return Window(
      id: id, title: String(decoding: title, as: UTF8.self), width: Int(geometry.width), height: Int(geometry.height))
  }
}
