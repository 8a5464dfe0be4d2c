import Foundation
import Glibc

/// The files of uploads. Every call blocks.
///
/// The file of an upload has the upload's id as its name. Beside it are its facts, `.{id}.json`. A file that is arriving is
/// `.{id}.part`. The modification time of a file is the time of its last use.
final class UploadDirectory: Sendable {
  /// What is known of a stored file.
  struct Entry: Sendable, Hashable {
    var upload: Upload
    /// Milliseconds since 1970.
    var usedAt: Int64
  }

  /// What only the client knew.
  struct Facts: Codable, Sendable {
    var name: String
    /// Milliseconds since 1970.
    var createdAt: Int64
  }

  private static let partEnding = ".part"
  private static let factsEnding = ".json"

  let path: String
  /// Locked until ``unlock()``, because a start removes what is arriving.
  private let descriptor: CInt

  /// - Throws: ``UploadFailure/disk(_:)`` if the directory can't be opened, or another server has it.
  init(_ path: String) throws(UploadFailure) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .disk("\(path): \(String(cString: strerror(errno)))") }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw .disk("another server uses \(path)")
    }
    self.path = path
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Lets another server use the directory.
  func unlock() { flock(descriptor, LOCK_UN) }

  func path(of id: UploadID) -> String { "\(path)/\(id)" }
  private func part(_ id: UploadID) -> String { "\(path)/.\(id)\(Self.partEnding)" }
  private func facts(_ id: UploadID) -> String { "\(path)/.\(id)\(Self.factsEnding)" }

  // MARK: At the start

  /// Returns the stored files, and removes what a kill has left: unfinished files, and facts without a file.
  func load() -> [Entry] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    let entries = names.compactMap { UploadID($0) }.compactMap { entry($0) }
    let stored = Set(entries.map(\.upload.id))
    for name in names {
      if Self.hidden(name, Self.partEnding) != nil {
        unlink("\(path)/\(name)")
      } else if let id = Self.hidden(name, Self.factsEnding), !stored.contains(id) {
        unlink("\(path)/\(name)")
      }
    }
    return entries
  }

  /// Returns the id in the name of a hidden file with this ending.
  private static func hidden(_ name: String, _ ending: String) -> UploadID? {
    guard name.hasPrefix("."), name.hasSuffix(ending) else { return nil }
    return UploadID(String(name.dropFirst().dropLast(ending.count)))
  }

  private func entry(_ id: UploadID) -> Entry? {
    var status = stat()
    guard lstat(path(of: id), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let modified = Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
    let facts = FileManager.default.contents(atPath: facts(id)).flatMap { try? JSONDecoder().decode(Facts.self, from: $0) }
    return Entry(
      upload: Upload(
        id: id, name: facts?.name ?? "\(id)", bytes: Int64(status.st_size), createdAt: facts?.createdAt ?? modified),
      usedAt: modified)
  }

  // MARK: One file

  /// Creates the file of an upload that is arriving.
  func begin(_ id: UploadID) throws(UploadFailure) -> UploadFile { try UploadFile(creating: part(id)) }

  /// Makes a complete file durable under its own name: a kill leaves the whole upload or nothing that is listed.
  func complete(_ file: UploadFile, _ id: UploadID, _ facts: Facts) throws(UploadFailure) {
    try file.sync()
    guard let data = try? JSONEncoder().encode(facts) else { throw .disk("facts") }
    let beside = try UploadFile(creating: self.facts(id))
    do throws(UploadFailure) {
      try beside.write([UInt8](data))
      try beside.sync()
      guard rename(part(id), path(of: id)) == 0 else { throw UploadFailure(errno) }
      try sync()
    } catch {
      try? remove(id)
      throw error
    }
  }

  /// Removes a file that is stored or arriving, with its facts. Facts without a file are removed at the next start.
  func remove(_ id: UploadID) throws(UploadFailure) {
    for path in [part(id), path(of: id), facts(id)] where unlink(path) != 0 && errno != ENOENT { throw UploadFailure(errno) }
  }

  /// Stores the time of the last use: now.
  func touch(_ id: UploadID) { utimensat(AT_FDCWD, path(of: id), nil, CInt(AT_SYMLINK_NOFOLLOW)) }

  /// Makes created, renamed and removed files durable.
  func sync() throws(UploadFailure) {
    guard fsync(descriptor) == 0 else { throw UploadFailure(errno) }
  }
}
