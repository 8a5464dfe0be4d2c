import Glibc

/// A file that is being written. Every call blocks; one task uses it.
final class UploadFile: Sendable {
  /// Bytes between two syncs. They bound what a slow disk has yet to write, so that its speed is the speed of the upload, and the
  /// last sync is short.
  private static let syncInterval: Int64 = 32 << 20

  private let descriptor: CInt

  /// - Throws: ``UploadFailure`` if the file exists, or can't be created.
  init(creating path: String) throws(UploadFailure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o640)
    guard descriptor >= 0 else { throw UploadFailure(errno) }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Appends bytes.
  /// - Parameter offset: the bytes that the file has.
  func write(_ bytes: [UInt8], after offset: Int64 = 0) throws(UploadFailure) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written) }
      if count > 0 {
        written += count
      } else if errno != EINTR {
        throw UploadFailure(errno)
      }
    }
    if (offset + Int64(bytes.count)) / Self.syncInterval > offset / Self.syncInterval { try sync() }
  }

  func sync() throws(UploadFailure) { guard fsync(descriptor) == 0 else { throw UploadFailure(errno) } }
}

extension UploadFailure {
  /// - Parameter code: of `errno`.
  init(_ code: CInt) {
    self = code == ENOSPC || code == EDQUOT ? .diskFull : .disk(String(cString: strerror(code)))
  }
}
