import Foundation
import RoomRTMP

/// What a live server has received on one URL, as an FLV file: all connections one after the other, with the timestamps that were sent.
struct StreamRecording {
  /// The size at which the file ends, in bytes.
  private static let limit = 64 << 20

  private let file: FileHandle
  private var size = 0

  /// - Throws: an error of the file system.
  init(_ url: URL) throws {
    try Data(FLVStream.header(hasAudio: true, hasVideo: true)).write(to: url)
    file = try FileHandle(forWritingTo: url)
    try file.seekToEnd()
  }

  mutating func append(_ message: MediaMessage) {
    let tag = FLVStream.tag(message)
    guard size + tag.count <= Self.limit else { return }
    size += tag.count
    // A full disk is seen in the file, which lacks messages.
    try? file.write(contentsOf: tag)
  }
}
