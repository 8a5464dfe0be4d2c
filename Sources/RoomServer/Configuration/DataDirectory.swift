import Foundation
import Glibc

/// The directory of the data that outlives the server. One server uses the directory at a time: the lock ends with the server, at the
/// latest with the process.
package final class DataDirectory: Sendable {
  package let path: String
  private let lock: CInt

  /// Locks the directory. Creates it, with its parents and for the server's user alone, if it does not exist.
  /// - Throws: `StartError.data` if that is not possible, or another server has it.
  package init(_ path: String) throws(StartError) {
    self.path = path
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .data(reason: "\(path) can't be created: \(error.localizedDescription)")
    }
    lock = open("\(path)/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw .data(reason: "\(path) can't be written to: \(String(cString: strerror(errno)))") }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      close(lock)
      throw .data(reason: "another server uses \(path); use a different --data for each")
    }
  }

  deinit { close(lock) }

  /// Lets another server use the directory. All files of this one are closed.
  func unlock() { _ = flock(lock, LOCK_UN) }

  /// Returns the path of a file in the directory.
  package func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Returns the text of a small file, and writes it at the first call.
  package func text(_ name: String, initially text: @autoclosure () -> String) throws(StartError) -> String {
    let path = privateFile(name)
    do {
      let read = try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
      if !read.isEmpty { return read }
      let text = text()
      try Data((text + "\n").utf8).write(to: URL(filePath: path))
      return text
    } catch {
      throw .data(reason: "\(path): \(error.localizedDescription)")
    }
  }

  /// Returns the path of a file that only the server's user may read, and creates the file if it does not exist. A database
  /// gives the mode of its file to the files that it creates next to it.
  package func privateFile(_ name: String) -> String {
    let path = file(name)
    if !FileManager.default.fileExists(atPath: path) {
      _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
    }
    return path
  }
}
