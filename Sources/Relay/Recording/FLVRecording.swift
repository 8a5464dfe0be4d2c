public import RoomRTMP
import RoomRTP

/// Writes FLV files (FLV 10.1 §E.2, §E.3): a header, then each message as a tag. A file is playable up to its last complete
/// tag.
///
/// Changes of codec parameters continue in the same file. Only a track that joins starts another file, because players detect
/// the tracks in a file's first seconds.
public final class FLVRecording: RecordingWriter {
  private struct File {
    /// The file's start on the recording's timeline.
    var start: MediaTime
    var hasVideo: Bool
    var hasAudio: Bool
  }

  public var dropped: Int { timeline.dropped + ownDropped }
  private var ownDropped = 0
  private var timeline = RecordingTimeline()
  private var file: File?
  /// The newest header of each kind.
  private var headers: [MediaMessage.Kind: MediaMessage] = [:]
  private var lastPicture: MediaTime?

  /// Creates a writer without content.
  public init() {}

  public func take(_ message: MediaMessage) -> [RecordingPart] { parts(timeline.take(message)) }

  public func finish() -> [RecordingPart] { parts(timeline.finish()) }

  private func parts(_ messages: [RecordedMessage]) -> [RecordingPart] {
    var parts: [RecordingPart] = []
    var bytes: [UInt8] = []
    for message in messages {
      // An FLV tag cannot hold a longer payload; no RTMP message is longer either.
      guard message.media.payload.count < 1 << 24 else {
        ownDropped += 1
        continue
      }
      if message.content == .metadata || message.content == .header { headers[message.media.kind] = message.media }
      if beginsFile(message) {
        if file != nil { parts += [.bytes(bytes), .nextFile] }
        bytes = begin(at: message.time)
      }
      append(message, to: &bytes)
    }
    return bytes.isEmpty ? parts : parts + [.bytes(bytes)]
  }

  private func beginsFile(_ message: RecordedMessage) -> Bool {
    guard let file else { return message.content == .keyFrame || message.content == .sound }
    switch message.content {
    case .metadata, .header, .picture: return false
    case .keyFrame: return !file.hasVideo || !file.hasAudio && headers[.audio] != nil
    case .sound:
      // If there is video, its next key frame starts the next file.
      let isAlone = lastPicture.map { message.time.milliseconds(since: $0) > RecordingTimeline.patience } ?? true
      return !file.hasAudio && isAlone
    }
  }

  private func begin(at time: MediaTime) -> [UInt8] {
    let file = File(start: time, hasVideo: headers[.video] != nil, hasAudio: headers[.audio] != nil)
    self.file = file
    var bytes = FLVStream.header(hasAudio: file.hasAudio, hasVideo: file.hasVideo)
    for kind in [MediaMessage.Kind.data, .video, .audio] {
      guard var header = headers[kind] else { continue }
      header.timestamp = 0
      FLVStream.appendTag(header, to: &bytes)
    }
    return bytes
  }

  private func append(_ message: RecordedMessage, to bytes: inout [UInt8]) {
    guard let file else { return }
    var media = message.media
    // Metadata is always at time 0: ffmpeg treats metadata at any other time as a subtitle.
    let time = message.content == .metadata ? .zero : message.time.relative(to: file.start)
    media.timestamp = MediaMessage.timestamp(of: time)
    switch message.media.kind {
    case .data: break
    case .video:
      guard file.hasVideo else { return drop(message) }
      if message.content != .header { lastPicture = message.time }
    case .audio: guard file.hasAudio else { return drop(message) }
    }
    FLVStream.appendTag(media, to: &bytes)
  }

  private func drop(_ message: RecordedMessage) { if message.content != .header { ownDropped += 1 } }
}
