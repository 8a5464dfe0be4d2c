import Glibc

// The recordings in the directory, for their readers.

extension Recordings {
  /// Returns the facts of a recording; nil if there is none of this name.
  public func facts(of name: RecordingName) -> RecordingFacts? { catalogue.facts(of: "\(name)") }

  /// Returns the recordings before a position, the newest first.
  /// - Parameters:
  ///   - room: The room whose recordings are returned; nil for all.
  ///   - position: The position of the last one on the page before; nil for the first page.
  ///   - limit: The maximum number.
  /// - Returns: The recordings, and the position of the last one if others follow.
  public func page(
    of room: String?, after position: RecordingPosition?, limit: Int
  ) -> (recordings: [RecordingFacts], next: RecordingPosition?) {
    let (page, hasMore) = catalogue.page(of: room, after: position, limit: limit)
    return (page, hasMore ? page.last?.position : nil)
  }

  /// Deletes a recording. Blocks.
  /// - Returns: False if there is none of this name.
  /// - Throws: ``RecordingInUse`` if it is being written.
  public func delete(_ name: RecordingName) throws(RecordingInUse) -> Bool {
    guard try catalogue.delete("\(name)", .api) else { return false }
    count(.api)
    return true
  }

  /// Opens a recording to read it. Blocks.
  /// - Returns: The descriptor, which the caller closes; nil if there is no such recording, or its file is gone.
  public func openFile(of name: RecordingName) -> CInt? {
    guard catalogue.facts(of: "\(name)") != nil else { return nil }
    let descriptor = Glibc.open("\(catalogue.directory)/\(name)", O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    return descriptor < 0 ? nil : descriptor
  }
}
