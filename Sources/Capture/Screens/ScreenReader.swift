import Glibc
import RoomCXCB
import RoomCodecs
import RoomRTP

/// Reads pictures of one source from a display. One thread uses it.
final class ScreenReader {
  private let display: Display
  private let source: ScreenSource
  private let root: xcb_window_t
  /// Whether windows are redirected into pictures of their own, which include what others cover.
  private let isComposed: Bool
  /// nil if the pointer is not in the pictures.
  private let pointer: PointerImage?
  private var memory: SharedImage?
  /// The redirected window's picture, and its size; it is renewed with the size.
  private var pixmap: (id: xcb_pixmap_t, width: Int, height: Int)?

  /// Connects, and checks that the source exists.
  init(_ source: ScreenSource, display name: String?, showsPointer: Bool) throws(ScreenError) {
    let display = try Display(name)
    guard display.screens.indices.contains(display.preferred) else { throw .notFound("screen \(display.preferred)") }
    let screen = display.screens[display.preferred]
    let isLittleEndian =
      UInt32(xcb_get_setup(display.connection).pointee.image_byte_order) == XCB_IMAGE_ORDER_LSB_FIRST.rawValue
    guard screen.root_depth == 24 || screen.root_depth == 32, isLittleEndian else {
      throw .unsupportedPixels(depth: Int(screen.root_depth))
    }
    self.display = display
    self.source = source
    root = screen.root
    pointer = showsPointer ? PointerImage(display) : nil
    if case .window(let id) = source {
      do { _ = try display.geometry(id) } catch { throw .notFound("window \(id)") }
      isComposed = Self.redirect(id, display)
    } else {
      isComposed = false
    }
    _ = try area()
  }

  private static func redirect(_ window: xcb_window_t, _ display: Display) -> Bool {
    let connection = display.connection
    guard display.has(xcb_extension_of_composite()) else { return false }
    let version = xcb_composite_query_version(connection, 0, 4)
    guard
      (try? display.take("QueryVersion") {
        xcb_composite_query_version_reply(connection, version, &$0)
      } _: { _ in
      }) != nil
    else { return false }
    let cookie = xcb_composite_redirect_window_checked(connection, window, UInt8(XCB_COMPOSITE_REDIRECT_AUTOMATIC.rawValue))
    return (try? display.check("RedirectWindow", cookie)) != nil
  }

  /// Returns the next picture.
  func read(at time: MediaTime, pool: FramePool) throws(ScreenError) -> VideoFrame {
    let (drawable, area) = try area()
    let memory = try image(area)
    try memory.read(drawable, area)
    // If it fails, the picture has no pointer; a display that is gone fails in the next picture.
    try? pointer?.draw(into: memory.bytes, window, area)
    do throws(CodecError) {
      return try VideoFrame(
        bgra: UnsafeRawBufferPointer(memory.bytes).bindMemory(to: UInt8.self), width: area.width, height: area.height,
        timestamp: time, pool: pool)
    } catch {
      // A screen of more pixels than a picture may have.
      throw .unsupportedPixels(depth: 32)
    }
  }

  /// The window in which the source's rectangle is.
  private var window: xcb_window_t { if case .window(let id) = source { id } else { root } }

  /// Returns what to read, and the rectangle in it.
  private func area() throws(ScreenError) -> (xcb_drawable_t, ScreenArea) {
    switch source {
    case .screen, .area:
      let geometry = try display.geometry(root)
      let (width, height) = (Int(geometry.width), Int(geometry.height))
      var wanted = ScreenArea(x: 0, y: 0, width: width, height: height)
      if case .area(let area) = source { wanted = area }
      guard let area = wanted.inside(width: width, height: height) else { throw .notFound("such rectangle") }
      return (root, area)
    case .window(let id):
      let geometry: xcb_get_geometry_reply_t
      do { geometry = try display.geometry(id) } catch .refused { throw .windowClosed(id) }
      let (width, height) = (Int(geometry.width), Int(geometry.height))
      guard let area = ScreenArea(x: 0, y: 0, width: width, height: height).inside(width: width, height: height) else {
        throw .notFound("picture of window \(id): it is smaller than 2x2")
      }
      return (try picture(of: id, width, height), area)
    }
  }

  /// Returns the picture of a window: itself if it is not redirected.
  private func picture(of window: xcb_window_t, _ width: Int, _ height: Int) throws(ScreenError) -> xcb_drawable_t {
    guard isComposed else { return window }
    if let pixmap, pixmap.width == width, pixmap.height == height { return pixmap.id }
    if let pixmap { xcb_free_pixmap(display.connection, pixmap.id) }
    pixmap = nil
    let id = xcb_generate_id(display.connection)
    do {
      try display.check("NameWindowPixmap", xcb_composite_name_window_pixmap_checked(display.connection, window, id))
    } catch .refused {
      // A hidden window has no picture, and may be shown again.
      throw .notFound("visible picture of window \(window)")
    }
    pixmap = (id, width, height)
    return id
  }

  private func image(_ area: ScreenArea) throws(ScreenError) -> SharedImage {
    if let memory, memory.fits(area) { return memory }
    memory = nil
    let made = try SharedImage(width: area.width, height: area.height, display)
    memory = made
    return made
  }
}
