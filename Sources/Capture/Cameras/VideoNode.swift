import Foundation
import RoomCV4L2
import Synchronization

/// An open video device.
final class VideoNode: Sendable {
  let path: String
  private let opened: Atomic<Int32>

  /// Opens a device of video capture.
  init(path: String) throws(CameraError) {
    self.path = path
    let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw CameraError(path: path, call: "open", code: errno) }
    opened = Atomic(descriptor)
  }

  deinit { close() }

  /// The file descriptor; -1 after ``close()``.
  var descriptor: Int32 { opened.load(ordering: .relaxed) }

  func close() {
    let descriptor = opened.exchange(-1, ordering: .relaxed)
    if descriptor >= 0 { Glibc.close(descriptor) }
  }

  /// Passes a structure of the driver's interface to a call.
  func call<Argument>(
    _ name: String, _ function: (Int32, UnsafeMutablePointer<Argument>?) -> Int32, _ argument: inout Argument
  ) throws(CameraError) {
    try CameraError.check(function(descriptor, &argument), name, path)
  }

  /// Returns the answers of an enumeration with an index, up to `most` of them.
  func list<Argument, Element>(
    most: Int, _ function: (Int32, UnsafeMutablePointer<Argument>?) -> Int32, _ argument: (UInt32) -> Argument,
    _ element: (Argument) -> Element
  ) -> [Element] {
    var elements: [Element] = []
    while elements.count < most {
      var argument = argument(UInt32(elements.count))
      guard function(descriptor, &argument) == 0 else { break }
      elements.append(element(argument))
    }
    return elements
  }
}

extension String {
  /// Reads a C array of characters, which Swift imports as a tuple.
  init<Characters>(characters: Characters) {
    self = withUnsafeBytes(of: characters) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
