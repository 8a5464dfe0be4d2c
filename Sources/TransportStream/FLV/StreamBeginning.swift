import RoomRTMP
import RoomRTP

/// Keeps the first messages of a stream until its pictures and its sound have both begun.
///
/// RTMP encoders send both sequence headers first. In a transport stream, sound comes in packets of several frames, some hundred
/// milliseconds after its pictures, and a stream that is joined in the middle has sound before its first key frame. HLS would
/// begin with a segment of one kind, which some players keep.
struct StreamBeginning: Sendable {
  /// The media time in microseconds that pictures wait for sound, and that sound is kept for pictures.
  static let patience: Int64 = 1_000_000
  /// The media time in microseconds after which sound does not wait for pictures: longer than between most encoders' key frames.
  static let longest: Int64 = 5_000_000
  /// The bytes and the messages that wait at most.
  static let limits: (bytes: Int, messages: Int) = (4 << 20, 1000)

  /// The kinds that the program announces and that have not begun.
  private var missing: Set<MediaMessage.Kind> = []
  private var headers: [MediaMessage] = []
  private var media: [(time: MediaTime, message: MediaMessage)] = []
  private var bytes = 0
  private var start: MediaTime?

  /// Sets what the program announces.
  mutating func expect(hasVideo: Bool, hasAudio: Bool) {
    missing = Set((hasVideo ? [.video] : []) + (hasAudio ? [.audio] : []))
    missing.subtract(headers.map(\.kind) + media.map(\.message.kind))
  }

  /// Takes a message and its sequence header, if that is new. Returns all messages once the stream may begin, headers first.
  mutating func take(_ header: MediaMessage?, _ message: MediaMessage, at time: MediaTime) -> [MediaMessage]? {
    if let header {
      // What precedes a new header is no longer readable behind it.
      media.removeAll { $0.message.kind == header.kind }
      headers.removeAll { $0.kind == header.kind }
      headers.append(header)
    }
    // Sound of some codecs has no header.
    missing.remove(message.kind)
    media.append((time, message))
    bytes += message.payload.count
    let start = start ?? time
    self.start = start
    if missing == [.video], !isFull, (time - start).magnitude <= Self.longest {
      media.removeAll { time - $0.time > Self.patience }
      return nil
    }
    let waits = !missing.isEmpty && !isFull && (time - start).magnitude <= Self.patience
    return waits ? nil : headers + media.map(\.message)
  }

  private var isFull: Bool { bytes > Self.limits.bytes || headers.count + media.count > Self.limits.messages }
}
