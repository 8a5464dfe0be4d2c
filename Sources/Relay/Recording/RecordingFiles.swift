import RTMP

/// The files of one recording: most often one. One owner at a time.
struct RecordingFiles {
  /// Makes a file of this name.
  typealias Create = @Sendable (String) throws(RecordingFailure) -> any RecordedFile

  /// Files of one recording at most, not counting those from before a restart.
  private static let mostFiles = 100
  /// The largest number in a file's name.
  private static let lastNumber = 10_000
  /// Between two calls that bring what was written to the disk.
  private static let syncInterval = Duration.seconds(1)

  /// The files that were made, in their order.
  private(set) var names: [String] = []
  /// Of all files.
  private(set) var bytes: Int64 = 0
  var dropped: Int { writer.dropped }

  private let name: RecordingName
  private let writer: any RecordingWriter
  private let limit: Int64
  private let create: Create
  private var file: (any RecordedFile)?
  /// Of the file that grows, up to where it plays.
  private var size: Int64 = 0
  private var number = 1
  private var synced = ContinuousClock.now

  /// Makes the first file.
  /// - Parameters:
  ///   - resumes: whether it takes the next free name, as the second and later files do.
  ///   - limit: bytes of a file.
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
        // Tags of FLV are many and small.
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

  /// Completes the file. One with nothing in it is removed.
  mutating func finish() throws(RecordingFailure) {
    for part in try writer.finish() {
      switch part {
      // It may be more than the limit by its index.
      case .bytes(let bytes): try append(bytes, limit: .max)
      case .nextFile: try beginNext()
      }
    }
    try complete()
  }

  /// Nothing more is written. What is there plays.
  mutating func abandon() {
    guard let file else { return }
    self.file = nil
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
        throw .media("it changed too often: \(name) has \(max(number - 1, names.count)) files")
      }
      do throws(RecordingFailure) {
        file = try create(name.part(number))
        names.append(name.part(number))
        return
      } catch .exists {
        // Of somebody else: it stays.
      }
    }
  }
}
