import RoomRTP

/// Why bytes are not a valid FLV stream.
public enum FLVError: Error, Hashable, Sendable {
  /// The stream does not begin with "FLV" and version 1.
  case notFLV
  /// The header's length is invalid.
  case headerLength(UInt32)
  /// A tag's announced length exceeds the limit.
  case tagTooLong(Int)
}

/// Reads an FLV stream (FLV 10.1 §E.2, §E.3), fed in pieces of any size. Skips tags of unknown or encrypted content. Does not
/// check the lengths between the tags, because many writers get them wrong.
public struct FLVDemuxer: Sendable {
  private enum State {
    case start
    /// The rest of the header and the length after it.
    case skip(Int)
    case tag
    case data(kind: MediaMessage.Kind?, length: Int, timestamp: UInt32)
    case failed(FLVError)
  }

  private let longestTag: Int
  private var state = State.start
  private var buffer: [UInt8] = []

  /// Whether the header announced audio; nil before the header has been read.
  public private(set) var announcesAudio: Bool?
  /// Whether the header announced video; nil before the header has been read.
  public private(set) var announcesVideo: Bool?

  /// Creates a demuxer at the start of a stream. `longestTag` is the maximum size of a tag's data in bytes.
  public init(longestTag: Int = 8 << 20) { self.longestTag = longestTag }

  /// Consumes `bytes` until a tag is complete. Returns nil if all are consumed and no tag is complete.
  public mutating func read(_ bytes: inout UnsafeRawBufferPointer) throws(FLVError) -> MediaMessage? {
    while true {
      switch state {
      case .start:
        guard collect(9, &bytes) else { return nil }
        try readHeader()
      case .skip(let count):
        let skipped = min(count, bytes.count)
        bytes = bytes.part(from: skipped)
        guard skipped == count else {
          state = .skip(count - skipped)
          return nil
        }
        state = .tag
      case .tag:
        guard collect(FLVTagHeader.byteCount, &bytes) else { return nil }
        try readTagHeader()
      case .data(let kind, let length, let timestamp):
        guard collect(length, &bytes) else { return nil }
        let payload = buffer
        buffer = []
        state = .skip(4)
        if let kind { return MediaMessage(kind, timestamp: timestamp, payload: payload) }
      case .failed(let error): throw error
      }
    }
  }

  /// Returns whether the buffer now has `count` bytes.
  private mutating func collect(_ count: Int, _ bytes: inout UnsafeRawBufferPointer) -> Bool {
    let taken = min(count - buffer.count, bytes.count)
    buffer.append(contentsOf: bytes.part(0, taken))
    bytes = bytes.part(from: taken)
    return buffer.count == count
  }

  private mutating func fail(_ error: FLVError) -> FLVError {
    state = .failed(error)
    buffer = []
    return error
  }

  private mutating func readHeader() throws(FLVError) {
    guard buffer.starts(with: [0x46, 0x4c, 0x56, 1]) else { throw fail(.notFLV) }
    announcesAudio = buffer[4] & 0x04 != 0
    announcesVideo = buffer[4] & 0x01 != 0
    let length = buffer[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard (9...1024).contains(length) else { throw fail(.headerLength(length)) }
    buffer = []
    state = .skip(Int(length) - 9 + 4)
  }

  private mutating func readTagHeader() throws(FLVError) {
    let header = buffer.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      return FLVTagHeader(&reader)
    }
    buffer = []
    guard let header else { return }
    guard header.length <= longestTag else { throw fail(.tagTooLong(header.length)) }
    let kind = header.isEncrypted ? nil : MediaMessage.Kind.allCases.first { $0.messageType == header.type }
    state = .data(kind: kind, length: header.length, timestamp: header.timestamp)
  }
}
