public import RoomRTMP

/// The next change to a recording's files.
public enum RecordingPart: Sendable, Equatable {
  /// Bytes to append. A file that ends with them is playable.
  case bytes([UInt8])
  /// The file is complete. What follows belongs to another file that is playable by itself.
  case nextFile
}

/// Converts a broadcast's messages to the contents of files, in memory. One owner at a time.
public protocol RecordingWriter: AnyObject {
  /// The number of messages that could not be recorded: before a key frame, or of an unknown codec.
  var dropped: Int { get }

  /// Accepts the next message of the broadcast.
  func take(_ message: MediaMessage) throws(RecordingFailure) -> [RecordingPart]

  /// Completes the recording after the last message.
  func finish() throws(RecordingFailure) -> [RecordingPart]
}

extension RecordingName {
  /// Returns a writer for the format of the name's extension.
  func writer() -> any RecordingWriter {
    switch format {
    case .mp4: MP4Recording()
    case .flv: FLVRecording()
    }
  }
}
