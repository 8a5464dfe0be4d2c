import RoomRTMP
import RoomRTP

/// A viewer's side of one protocol, without socket and clock: produces output and counts input.
protocol StreamPlayer {
  /// Returns and clears the pending output.
  mutating func takeOutput() -> [UInt8]

  /// Called often, also when nothing was received.
  mutating func tick(now: Instant)

  /// Processes what the socket read.
  /// - Throws: the reason if the stream can't continue.
  mutating func receive(
    _ bytes: UnsafeRawBufferPointer, now: Instant, into reception: inout ViewerReception, sample: (any MediaObserver)?
  ) throws(ChunkScanner.Failure)
}

extension StreamPlayer {
  mutating func tick(now: Instant) {}
}

/// Receives every complete message of a viewer. Confined to its loop's thread.
protocol MediaObserver: AnyObject {
  func look(at media: MediaMessage, now: Instant)
}

/// Checks every message of a few viewers: whether it matches what was published, and how late it arrives.
final class MediaSample: MediaObserver {
  private let clip: LiveClip
  /// The time at which the message with timestamp 0 was published.
  private let epoch: Instant
  /// Frames checked, and frames that were not published by this run.
  private(set) var frames = 0
  private(set) var altered = 0
  /// Milliseconds between a frame's time at the publisher and its arrival. Frames from the server's backlog are excluded.
  private(set) var delays: [Double] = []
  /// Whether delays are recorded. A new viewer first receives past frames, whose delay is meaningless.
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

/// For H.264 and AAC in FLV.
enum MediaRole {
  /// Returns whether the message is metadata or a decoder configuration rather than a frame.
  static func isHeader(_ media: MediaMessage) -> Bool {
    ScannedMessage(
      type: media.kind.messageType, length: media.payload.count, first: media.payload.first ?? 0,
      second: media.payload.dropFirst().first ?? 0
    ).kind == .other
  }
}
