import Glibc

/// A file that is only appended to. One owner at a time.
protocol RecordedFile: AnyObject {
  func write(_ bytes: [UInt8]) throws(RecordingFailure)
  /// Flushes the written data to disk, so that it survives a system crash.
  func sync() throws(RecordingFailure)
  /// Truncates the file to `count` bytes, as far as possible.
  func truncate(to count: Int64)
  /// Notes why the recording ended early. Called before ``close()``.
  func failed(_ failure: RecordingFailure)
  /// Deletes the file.
  func remove()
  func close()
}

extension RecordedFile {
  func failed(_ failure: RecordingFailure) {}
}

/// A file on disk, created by its first owner.
final class DiskFile: RecordedFile {
  private let path: String
  private var descriptor: CInt

  /// - Throws: ``RecordingFailure/exists(_:)``, ``RecordingFailure/full``, ``RecordingFailure/directory(_:)``
  init(_ name: String, in directory: String) throws(RecordingFailure) {
    path = "\(directory)/\(name)"
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o640)
    guard descriptor < 0 else { return }
    throw switch errno {
    case EEXIST: .exists(name)
    case ENOSPC, EDQUOT: .full
    case let error: .directory(String(cString: strerror(error)))
    }
  }

  deinit { close() }

  func write(_ bytes: [UInt8]) throws(RecordingFailure) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { bytes in
        bytes.baseAddress.map { Glibc.write(descriptor, $0 + written, bytes.count - written) } ?? 0
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure(count < 0 ? errno : EIO) }
      written += count
    }
  }

  func sync() throws(RecordingFailure) {
    // EINVAL: the file does not support syncing.
    while fdatasync(descriptor) != 0 {
      if errno == EINTR { continue }
      if errno == EINVAL { return }
      throw Self.failure(errno)
    }
  }

  func truncate(to count: Int64) { _ = ftruncate(descriptor, off_t(count)) }

  func remove() { unlink(path) }

  func close() {
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    descriptor = -1
  }

  private static func failure(_ error: CInt) -> RecordingFailure {
    error == ENOSPC || error == EDQUOT ? .full : .write(String(cString: strerror(error)))
  }
}
