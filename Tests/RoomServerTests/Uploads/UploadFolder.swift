import Foundation
import RoomServer

/// A directory for uploads, removed with the test.
final class UploadFolder: Sendable {
  let path = FileManager.default.temporaryDirectory.appending(path: "uploads-\(UUID().uuidString)").path

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var settings: UploadSettings { UploadSettings(directory: path) }

  /// The names of its files, also hidden ones, in order.
  var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }

  func write(_ name: String, _ text: String = "x") throws {
    try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
  }

  func read(_ name: String) -> [UInt8]? { FileManager.default.contents(atPath: "\(path)/\(name)").map { [UInt8]($0) } }

  /// Makes a file as if it was last used some seconds ago.
  func age(_ name: String, _ seconds: Double) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: "\(path)/\(name)")
  }
}
