import RoomRTMP

/// The files of one recording, usually one. One owner at a time.
struct RecordingFiles {
  /// Creates a file with this name.
  typealias Create = @Sendable (String) throws(RecordingFailure) -> any RecordedFile

  /// The maximum number of files per recording, not counting those from before a restart.
  private static let mostFiles = 100
  /// The highest number in a file name.
  private static let lastNumber = 10_000
  /// The interval between two syncs to disk.
  private static let syncInterval = Duration.seconds(1)

  /// The names of the created files, in order.
  private(set) var names: [String] = []
  /// The total size of all files in bytes.
  private(set) var bytes: Int64 = 0
  var dropped: Int { writer.dropped }

  private let name: RecordingName
  private let writer: any RecordingWriter
  private let limit: Int64
  private let create: Create
  private var file: (any RecordedFile)?
  /// The playable size of the current file in bytes.
  private var size: Int64 = 0
  private var number = 1
  private var synced = ContinuousClock.now

  /// Creates the first file.
  /// - Parameters:
  ///   - resumes: Whether to use the next free name, as the second and later files do.
  ///   - limit: The maximum size of a file in bytes.
  init(
    _ name: RecordingName, resumes: Bool = false, writer: any RecordingWriter, limit: Int64, create: @escaping Create
  ) throws(RecordingFailure) {
    self.name = name
    self.writer = writer
    self.limit = limit
    self.create = create
    if resumes {
      number = 0
      try beginNext()
    } else {
      file = try create(name.part(1))
      names = [name.part(1)]
    }
  }

  mutating func write(_ messages: [MediaMessage]) throws(RecordingFailure) {
    var together: [UInt8] = []
    for message in messages {
      for part in try writer.take(message) {
        switch part {
        // FLV tags are many and small, so they are written together.
        case .bytes(let bytes) where together.isEmpty: together = bytes
        case .bytes(let bytes): together += bytes
        case .nextFile:
          try append(together)
          together = []
          try beginNext()
        }
      }
    }
    try append(together)
  }

  /// Completes the file. Deletes it if it is empty.
  mutating func finish() throws(RecordingFailure) {
    for part in try writer.finish() {
      switch part {
      // The index may exceed the limit.
      case .bytes(let bytes): try append(bytes, limit: .max)
      case .nextFile: try beginNext()
      }
    }
    try complete()
  }

  /// Stops writing. The data written so far stays playable.
  /// - Parameter failure: why; nil if there was nothing to write.
  mutating func abandon(_ failure: RecordingFailure? = nil) {
    guard let file else { return }
    self.file = nil
    if let failure { file.failed(failure) }
    if size > 0 {
      file.truncate(to: size)
    } else {
      file.remove()
      names.removeLast()
    }
    file.close()
  }

  private mutating func append(_ part: [UInt8], limit: Int64? = nil) throws(RecordingFailure) {
    guard !part.isEmpty, let file else { return }
    guard Int64(part.count) <= (limit ?? self.limit) - size else { throw .limit(self.limit) }
    try file.write(part)
    size += Int64(part.count)
    bytes += Int64(part.count)
    let now = ContinuousClock.now
    guard now - synced >= Self.syncInterval else { return }
    synced = now
    try file.sync()
  }

  private mutating func complete() throws(RecordingFailure) {
    guard let file else { return }
    guard size > 0 else { return abandon() }
    try file.sync()
    self.file = nil
    file.close()
  }

  private mutating func beginNext() throws(RecordingFailure) {
    try complete()
    size = 0
    while true {
      number += 1
      guard names.count < Self.mostFiles, number <= Self.lastNumber else {
        throw .media("too many changes: \(name) has \(max(number - 1, names.count)) files")
      }
      do throws(RecordingFailure) {
        file = try create(name.part(number))
        names.append(name.part(number))
        return
      } catch .exists {
        // The file belongs to someone else and is kept.
      }
    }
  }
}
