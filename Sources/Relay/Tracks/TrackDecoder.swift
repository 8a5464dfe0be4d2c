import Codecs
import Mixing
public import RTP

/// A track, decoded once for all programs that show or play it.
///
/// Pictures begin at a key frame and go on after whatever could not be decoded with the next one; sound is placed on the media clock's
/// grid, so that all programs hear the same samples at the same time. Sans-I/O but for the tap; one owner at a time.
public final class TrackDecoder {
  /// Since the start.
  public struct Counters: Sendable, Hashable {
    /// Pictures or packets decoded.
    public var decoded: UInt64 = 0
    /// Those that could not be.
    public var broken: UInt64 = 0
  }

  /// Since the start.
  public private(set) var counters = Counters()
  /// Whether anybody listens.
  public var isAttached: Bool { !inboxes.isEmpty }

  private let reader: TrackReader
  private let isVideo: Bool
  private var inboxes: [DecodedInbox] = []
  private var sound: OpusSound?
  private var decoder: (any VideoDecoder)?
  private var format: PayloadFormat?
  private var needsKeyFrame = true
  private var askedAt: Instant?
  private var last: (picture: VideoFrame, came: Instant)?
  private var isMuted = false
  /// How early what came lately came, in microseconds: less than nothing.
  private var earliness = SlidingMinimum(window: 12_000_000)
  private var lastTime: MediaTime?

  /// - Parameter reader: of the track; nobody else polls it.
  public init(_ reader: TrackReader, isVideo: Bool) {
    self.reader = reader
    self.isVideo = isVideo
  }

  /// Hands over to this one too, from now on; of a picture track the last picture at once. It is told how late things come.
  public func attach(_ inbox: DecodedInbox) {
    guard !inboxes.contains(where: { $0 === inbox }) else { return }
    inboxes.append(inbox)
    if let least = earliness.value { inbox.put(.lateness(0 &- least)) }
    if isMuted { inbox.put(.muted(true)) } else if let last { inbox.put(.picture(last.picture, came: last.came)) }
  }

  /// Hands over to this one no more.
  public func detach(_ inbox: DecodedInbox) { inboxes.removeAll { $0 === inbox } }

  /// Takes what came.
  /// - Parameter wantKeyFrame: the publisher has to be asked for one.
  public func poll(now: Instant, wantKeyFrame: () -> Void) {
    reader.poll(now: now) { event in
      switch event {
      case .frame(let frame, let format, let time):
        if isVideo { show(frame, format, at: time, now: now, wantKeyFrame) } else { hear(frame, format, at: time, now: now) }
      case .keyFrameNeeded:
        needsKeyFrame = true
        wantKeyFrame()
      case .muted(let isMuted):
        self.isMuted = isMuted
        put(.muted(isMuted))
      case .ended: put(.ended)
      }
    }
    for inbox in inboxes { inbox.looked(at: now) }
  }

  private func put(_ item: DecodedInbox.Item) {
    for inbox in inboxes { inbox.put(item) }
  }

  private func hear(_ frame: EncodedFrame, _ format: PayloadFormat, at time: MediaTime, now: Instant) {
    guard format == .opus else { return }
    if sound == nil { sound = try? OpusSound() }
    guard let sound else { return }
    for block in sound.decode(frame, at: time) { put(.sound(block.samples, at: block.position, came: now)) }
    earliness.insert(time - now.mediaTime, at: now)
    counters.decoded += 1
    counters.broken = sound.broken
  }

  private func show(
    _ frame: EncodedFrame, _ format: PayloadFormat, at time: MediaTime, now: Instant, _ wantKeyFrame: () -> Void
  ) {
    if self.format != format {
      self.format = format
      decoder = Self.decoder(of: format)
      needsKeyFrame = true
    }
    guard !needsKeyFrame || frame.isKeyFrame else {
      // Once a second, beside what the jitter buffer asks for.
      if askedAt.map({ now - $0 >= 1_000_000 }) ?? true {
        askedAt = now
        wantKeyFrame()
      }
      return
    }
    needsKeyFrame = false
    // Times never go back, but for a publisher that began anew.
    var time = time
    if let lastTime, time <= lastTime, lastTime - time < 1_000_000 { time = lastTime.advanced(microseconds: 1) }
    lastTime = time
    do throws(CodecError) {
      guard let picture = try decoder?.decode(frame.data, timestamp: time) else { return }
      counters.decoded += 1
      last = (picture, now)
      earliness.insert(time - now.mediaTime, at: now)
      put(.picture(picture, came: now))
    } catch {
      counters.broken += 1
      needsKeyFrame = true
      askedAt = now
      wantKeyFrame()
    }
  }

  static func decoder(of format: PayloadFormat) -> (any VideoDecoder)? {
    switch format {
    case .vp8: try? VP8Decoder()
    case .vp9: try? VP9Decoder()
    case .av1: try? AV1Decoder()
    case .h264: try? H264Decoder()
    case .opus: nil
    }
  }
}
