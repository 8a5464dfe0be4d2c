import Glibc
import RoomCXCB

/// The memory into which the display writes pixels: shared with it if it is on this machine (MIT-SHM), else a copy of its answers.
final class SharedImage {
  private let width: Int
  private let height: Int
  private let display: Display
  /// The segment at the display; nil if there is none.
  private let segment: xcb_shm_seg_t?
  /// Four bytes for each pixel: blue, green, red, and one that is not used.
  let bytes: UnsafeMutableRawBufferPointer

  init(width: Int, height: Int, _ display: Display) throws(ScreenError) {
    (self.width, self.height, self.display) = (width, height, display)
    let count = width * height * 4
    if let shared = Self.share(count, display) {
      (segment, bytes) = shared
    } else {
      segment = nil
      bytes = .allocate(byteCount: count, alignment: 16)
    }
  }

  deinit {
    if let segment {
      xcb_shm_detach(display.connection, segment)
      shmdt(bytes.baseAddress)
    } else {
      bytes.deallocate()
    }
  }

  func fits(_ area: ScreenArea) -> Bool { area.width == width && area.height == height }

  /// Reads a rectangle.
  func read(_ drawable: xcb_drawable_t, _ area: ScreenArea) throws(ScreenError) {
    let connection = display.connection
    let format = UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue)
    let (x, y) = (Int16(clamping: area.x), Int16(clamping: area.y))
    let (width, height) = (UInt16(clamping: area.width), UInt16(clamping: area.height))
    if let segment {
      let cookie = xcb_shm_get_image(connection, drawable, x, y, width, height, ~0, format, segment, 0)
      return try display.take("ShmGetImage") {
        xcb_shm_get_image_reply(connection, cookie, &$0)
      } _: { _ in
      }
    }
    let cookie = xcb_get_image(connection, format, drawable, x, y, width, height, ~0)
    try display.take("GetImage") {
      xcb_get_image_reply(connection, cookie, &$0)
    } _: { reply in
      guard let data = xcb_get_image_data(reply) else { return }
      let count = min(Int(xcb_get_image_data_length(reply)), bytes.count)
      bytes.copyMemory(from: UnsafeRawBufferPointer(start: data, count: max(0, count)))
    }
  }

  /// Returns a segment that both sides use, or nil if the display cannot: it is on another machine, or lacks the extension.
  private static func share(_ count: Int, _ display: Display) -> (xcb_shm_seg_t, UnsafeMutableRawBufferPointer)? {
    let connection = display.connection
    guard display.has(xcb_extension_of_shm()) else { return nil }
    let id = shmget(IPC_PRIVATE, count, IPC_CREAT | 0o600)
    guard id >= 0 else { return nil }
    // The segment is removed when both sides have detached it, however this process ends.
    defer { shmctl(id, IPC_RMID, nil) }
    guard let start = shmat(id, nil, 0), start != UnsafeMutableRawPointer(bitPattern: -1) else { return nil }
    let segment = xcb_generate_id(connection)
    guard (try? display.check("ShmAttach", xcb_shm_attach_checked(connection, segment, UInt32(bitPattern: id), 0))) != nil
    else {
      shmdt(start)
      return nil
    }
    return (segment, UnsafeMutableRawBufferPointer(start: start, count: count))
  }
}
