import RoomCodecs
import RoomMixing
public import RoomRTP

/// Decodes a track once for all programs that use it.
///
/// Video starts at a key frame, and resumes with the next one after a decoding error. Audio is placed on the media clock's
/// grid, so that all programs play the same samples at the same time. Sans-I/O except for the tap. Not thread-safe; one owner
/// at a time.
public final class TrackDecoder {
  /// Counters since the start.
  public struct Counters: Sendable, Hashable {
    /// The number of decoded pictures or packets.
    public var decoded: UInt64 = 0
    /// The number of pictures or packets that could not be decoded.
    public var broken: UInt64 = 0
  }

  /// Counters since the start.
  public private(set) var counters = Counters()
  /// Whether an inbox is attached.
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
  /// How early recent media arrived relative to its media time, in µs; negative.
  private var earliness = SlidingMinimum(window: 12_000_000)
  private var lastTime: MediaTime?

  /// - Parameter reader: The track's reader, which must not be polled elsewhere.
  public init(_ reader: TrackReader, isVideo: Bool) {
    self.reader = reader
    self.isVideo = isVideo
  }

  /// Starts delivery to an inbox. The inbox immediately receives the current lateness and, for a video track, the last picture.
  public func attach(_ inbox: DecodedInbox) {
    guard !inboxes.contains(where: { $0 === inbox }) else { return }
    inboxes.append(inbox)
    if let least = earliness.value { inbox.put(.lateness(0 &- least)) }
    if isMuted { inbox.put(.muted(true)) } else if let last { inbox.put(.picture(last.picture, came: last.came)) }
  }

  /// Stops delivery to an inbox.
  public func detach(_ inbox: DecodedInbox) { inboxes.removeAll { $0 === inbox } }

  /// Processes what has arrived.
  /// - Parameter wantKeyFrame: Called when the publisher must be asked for a key frame.
  public func poll(now: Instant, wantKeyFrame: () -> Void) {
    reader.poll(now: now) { event in
      switch event {
      case .frame(let frame, let format, let time):
        if isVideo {
          show(frame, format, at: time, now: now, wantKeyFrame)
        } else {
          decodeAudio(frame, format, at: time, now: now)
        }
      case .keyFrameNeeded:
        needsKeyFrame = true
        wantKeyFrame()
      case .muted(let isMuted):
        self.isMuted = isMuted
        put(.muted(isMuted))
      case .ended: put(.ended)
      }
    }
    for inbox in inboxes { inbox.polled(at: now) }
  }

  private func put(_ item: DecodedInbox.Item) {
    for inbox in inboxes { inbox.put(item) }
  }

  private func decodeAudio(_ frame: EncodedFrame, _ format: PayloadFormat, at time: MediaTime, now: Instant) {
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
      decoder = try? format.makeVideoDecoder()
      needsKeyFrame = true
    }
    guard !needsKeyFrame || frame.isKeyFrame else {
      // Once a second, in addition to the requests of the jitter buffer.
      if askedAt.map({ now - $0 >= 1_000_000 }) ?? true {
        askedAt = now
        wantKeyFrame()
      }
      return
    }
    needsKeyFrame = false
    // Times never decrease unless the publisher restarts.
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
}
