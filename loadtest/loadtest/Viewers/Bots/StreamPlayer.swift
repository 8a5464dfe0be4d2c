import RTMP
import RTP

/// A viewer's side of one protocol, without socket and clock: says what is to be sent, and counts what comes.
protocol StreamPlayer {
  /// What is to be sent, and is then forgotten here.
  mutating func takeOutput() -> [UInt8]

  /// Takes what the socket read; throws the reason where the stream can't go on.
  mutating func receive(
    _ bytes: UnsafeRawBufferPointer, now: Instant, into reception: inout ViewerReception, sample: (any MediaObserver)?
  ) throws(ChunkScanner.Failure)
}

/// Looks at every message of a viewer whole. Belongs to its loop's thread.
protocol MediaObserver: AnyObject {
  func look(at media: MediaMessage, now: Instant)
}

/// Looks at every message of a few viewers whole: whether it is what was published, and how late it comes.
final class MediaSample: MediaObserver {
  private let clip: LiveClip
  /// When the message with timestamp 0 was published.
  private let epoch: Instant
  /// Frames that were looked at, and those that nobody published.
  private(set) var frames = 0
  private(set) var altered = 0
  /// Milliseconds between a frame's time at the publisher and its coming, of those that did not lie at the server.
  private(set) var delays: [Double] = []
  /// Whether what comes has its time now: a newcomer is given what is past.
  var isTimed = false

  init(_ clip: LiveClip, epoch: Instant) {
    self.clip = clip
    self.epoch = epoch
  }

  func look(at media: MediaMessage, now: Instant) {
    guard !MediaRole.isHeader(media) else { return }
    frames += 1
    if !clip.payloads.contains(media.payload) { altered += 1 }
    if isTimed { delays.append(Double(now - epoch) / 1000 - Double(media.timestamp)) }
  }
}

/// Of H.264 and AAC in the form of FLV.
enum MediaRole {
  /// Whether the message is metadata or a decoder's configuration, and no frame.
  static func isHeader(_ media: MediaMessage) -> Bool {
    ScannedMessage(
      type: media.kind.messageType, length: media.payload.count, first: media.payload.first ?? 0,
      second: media.payload.dropFirst().first ?? 0
    ).kind == .other
  }
}
