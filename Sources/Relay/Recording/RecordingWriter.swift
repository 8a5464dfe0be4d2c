public import RTMP

/// What a recording's file is to have next.
public enum RecordingPart: Sendable, Equatable {
  /// Behind what is there. A file that ends with it plays.
  case bytes([UInt8])
  /// The file is complete; what follows belongs into another, which plays by itself.
  case nextFile
}

/// Makes files of a broadcast's messages, in memory. One owner at a time.
public protocol RecordingWriter: AnyObject {
  /// Messages that had no place in it so far: before a key frame, or of an unknown codec.
  var dropped: Int { get }

  /// Takes the next message of the broadcast.
  func take(_ message: MediaMessage) throws(RecordingFailure) -> [RecordingPart]

  /// Nothing more comes.
  func finish() throws(RecordingFailure) -> [RecordingPart]
}

extension RecordingName {
  /// A writer of what the name's end says.
  func writer() -> any RecordingWriter {
    switch format {
    case .mp4: MP4Recording()
    case .flv: FLVRecording()
    }
  }
}
