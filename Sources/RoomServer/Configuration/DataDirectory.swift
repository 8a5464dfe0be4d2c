import Foundation
import Glibc

/// The directory of what outlives the server. One server uses it at a time: a lock on it goes with the process that holds it.
final class DataDirectory: Sendable {
  let path: String
  private let lock: CInt

  /// Makes the directory, with its parents, for the server's user alone where it is not there, and takes it.
  /// - Throws: `StartError.data` where that is not possible, or another server has it.
  init(_ path: String) throws(StartError) {
    self.path = path
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .data(reason: "\(path) can't be made: \(error.localizedDescription)")
    }
    lock = open("\(path)/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw .data(reason: "\(path) can't be written to: \(String(cString: strerror(errno)))") }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      close(lock)
      throw .data(reason: "another server uses \(path); give each its own by --data")
    }
  }

  deinit { close(lock) }

  /// The path of a file in it.
  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The path of a file in it for the server's user alone, which is made where it is not there: a database has the mode of its file
  /// for all that it keeps beside it.
  func privateFile(_ name: String) -> String {
    let path = file(name)
    if !FileManager.default.fileExists(atPath: path) {
      _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
    }
    return path
  }
}
