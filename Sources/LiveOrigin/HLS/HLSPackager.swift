import RoomCodecs
import RoomRTMP
import RoomRTP

/// Packages a stream as HLS: fragmented MP4, cut into segments at key frames, and segments into parts.
///
/// - There is one timeline. Segment times are the stream's times for every publisher, so a gap in the stream is a gap for
///   players. The gap is marked as a discontinuity.
/// - Another codec, size or configuration, or a track that appears or disappears, starts a new form. The form has a new
///   initialization section after a discontinuity, at a key frame if there is video.
/// - A sample waits for the next one of its kind, which determines its duration. A part is therefore cut only once the
///   following sample exists, so a part hinted at in the playlist always follows.
///
/// Has no clock, threads or sockets. One owner at a time.
public final class HLSPackager {
  /// Counters since the start.
  public struct Counters: Sendable, Hashable {
    public var segments = 0
    public var parts = 0
    /// Dropped samples: of unknown codecs, before a key frame, or rejected by the muxer.
    public var dropped = 0
    /// Changes of form and gaps.
    public var discontinuities = 0
  }

  struct Picture {
    var time: MediaTime
    /// The composition time offset in ms.
    var offset: Int64
    var isKeyFrame: Bool
    var payload: [UInt8]
    var body: Range<Int>
  }

  public let settings: HLSSettings
  public internal(set) var window: HLSWindow
  /// The UNIX time in ms at the start of the stream's timeline; nil before the first message.
  public private(set) var epoch: Int64?
  public internal(set) var counters = Counters()

  /// The tracks last announced by the stream.
  var announced = HLSTracks()
  /// The tracks of the current form.
  var tracks = HLSTracks()
  var muxer: FragmentedMP4?
  var soundClock = SoundClock(rate: 1)
  private let sound = HLSSound()
  /// The picture that waits for the next one.
  var waiting: Picture?
  /// The last interval between two pictures in ms.
  var pictureStep: Int64 = 40
  var lastPictureTime: MediaTime?
  var lastPicture: MediaTime?
  var lastSound: MediaTime?
  /// The time of the first audio before the first picture or after a gap.
  var soundAlone: MediaTime?
  /// The end of the media so far.
  var end: MediaTime?
  var partStart = MediaTime.zero
  var partIsIndependent = false
  var partHasSamples = false
  var partBytes = 0
  /// Whether video waits for a key frame.
  var awaitsKeyFrame = true
  private var hasMedia = false
  var nextNumber = 0
  var initialisation = 0

  /// Creates a packager. The settings must be valid.
  /// - Parameters:
  ///   - epoch: The UNIX time in ms at the start of the timeline. Renditions of one stream share it.
  ///   - codecs: The codecs of the stream, as far as they are known.
  public init(_ settings: HLSSettings = HLSSettings(), epoch: Int64? = nil, codecs: MediaCodecs = MediaCodecs()) {
    self.settings = settings
    self.epoch = epoch
    window = HLSWindow(settings)
    // Otherwise the first form would lack the sound, which has no header and comes after the key frame.
    announced.audio = codecs.audio.flatMap { sound.expect($0) }
  }

  /// Accepts the messages since the last call, in order. Without an epoch, the first call determines it from the last of its
  /// messages.
  /// - Parameter unixTime: The current time in ms since 1970.
  public func take(_ media: [LiveMedia], unixTime: Int64) {
    if !hasMedia, let last = media.last {
      hasMedia = true
      if epoch == nil { epoch = unixTime - last.time.milliseconds }
      // Segment numbers increase across runs of a stream, so that no cache serves the wrong segment.
      nextNumber = Int(clamping: max(0, unixTime / max(1, settings.segmentLength)))
    }
    for message in media { take(message) }
  }

  /// Ends the stream. The remaining media becomes the last segment.
  public func finish() {
    guard !window.hasEnded else { return }
    flushWaiting(next: nil)
    closeSegment(at: end ?? partStart)
    window.end()
  }

  private func take(_ message: LiveMedia) {
    let payload = message.media.payload
    switch message.media.kind {
    case .data: break
    case .video:
      guard let tag = payload.withUnsafeBytes({ VideoTag(parsing: $0) }), tag.track.id == 0 else { return drop() }
      let track = FragmentedMP4.Track(tag, payload)
      // libavformat writes no VP8 into MP4.
      if tag.isSequenceHeader || track != nil { announced.video = track?.codec == .vp8 ? nil : track }
      if tag.packetType == .codedFrames || tag.packetType == .codedFramesX {
        take(
          Picture(
            time: message.time, offset: Int64(max(0, tag.track.compositionTime)), isKeyFrame: tag.isKeyFrame, payload: payload,
            body: tag.track.body))
      }
    case .audio:
      guard let tag = payload.withUnsafeBytes({ AudioTag(parsing: $0) }), tag.track.id == 0 else { return drop() }
      for sound in sound.take(message, tag) { take(sound: sound) }
    }
  }

  private func take(sound: LiveMedia) {
    let payload = sound.media.payload
    guard let tag = payload.withUnsafeBytes({ AudioTag(parsing: $0) }) else { return drop() }
    if tag.isSequenceHeader {
      announced.audio = FragmentedMP4.Track(tag, payload)
    } else if tag.packetType == .codedFrames {
      takeSound(sound.time, payload, tag.track.body)
    }
  }

  func drop() { counters.dropped &+= 1 }

  /// Returns whether media at this time follows a gap.
  private func isHole(before time: MediaTime) -> Bool {
    end.map { time.milliseconds(since: $0) > settings.longestGap } ?? false
  }

  // MARK: Pictures

  private func take(_ picture: Picture) {
    let isNext = lastPictureTime.map { picture.time > $0 } ?? true
    guard announced.video != nil, picture.time >= .zero, !picture.body.isEmpty, isNext else { return drop() }
    let isHole = isHole(before: picture.time)
    if isHole { awaitsKeyFrame = true }
    guard picture.isKeyFrame || (!awaitsKeyFrame && tracks.video == announced.video) else { return drop() }
    awaitsKeyFrame = false
    lastPicture = picture.time
    soundAlone = nil
    if let last = lastPictureTime {
      let step = picture.time.milliseconds(since: last)
      if step <= settings.longestGap { pictureStep = step }
    }
    if !isHole { cutBeforeWaiting(next: picture.time) }
    if picture.isKeyFrame {
      let wanted = HLSTracks(
        video: announced.video, audio: isAudioActive(at: picture.time, isHole: isHole) ? announced.audio : nil)
      if isHole || wanted != tracks || muxer == nil {
        guard begin(wanted, at: picture.time, isHole: isHole) else { return drop() }
      } else if picture.time.milliseconds(since: segmentStart) >= settings.segmentLength - settings.segmentLength / 20 {
        flushWaiting(next: picture.time)
        closeSegment(at: picture.time)
      }
    }
    flushWaiting(next: picture.time)
    cutIfDue(at: picture.time, lasting: pictureStep)
    openIfNeeded(at: picture.time, isIndependent: picture.isKeyFrame)
    if !partHasSamples { partIsIndependent = picture.isKeyFrame }
    partHasSamples = true
    partBytes += picture.body.count
    waiting = picture
    lastPictureTime = picture.time
  }

  /// Passes the waiting picture to the muxer. The next picture, or the cut, determines its duration.
  func flushWaiting(next: MediaTime?) {
    guard let picture = waiting, let index = tracks.videoIndex else { return }
    waiting = nil
    let step = next.map { $0.milliseconds(since: picture.time) } ?? pictureStep
    let duration = step > 0 && step <= settings.longestGap ? step : pictureStep
    add(
      .init(
        track: index, decodingTime: picture.time.ticks(rate: 90_000), offset: picture.offset * 90, duration: duration * 90,
        isKeyFrame: picture.isKeyFrame), data: picture.payload[picture.body])
    window.growing?.pictures += 1
    end = max(end ?? .zero, picture.time.advanced(milliseconds: duration))
  }

  // MARK: Sound

  private func takeSound(_ time: MediaTime, _ payload: [UInt8], _ body: Range<Int>) {
    guard let audio = announced.audio, time >= .zero, !body.isEmpty else { return drop() }
    lastSound = time
    let isHole = isHole(before: time)
    if picturesLead(at: time, isHole: isHole) {
      // A change waits for the next key frame.
      guard tracks.audio == audio, !isHole else { return drop() }
    } else if isHole || tracks != HLSTracks(audio: audio) || muxer == nil {
      guard begin(HLSTracks(audio: audio), at: time, isHole: isHole) else { return drop() }
    }
    guard let index = tracks.audioIndex else { return drop() }
    let samples = audio.samples(in: body, of: payload)
    let start = soundClock.place(time, samples: samples)
    let duration = max(1, samples * 1000 / Int64(audio.sampleRate))
    if tracks.video == nil {
      if time.milliseconds(since: segmentStart) >= settings.segmentLength { closeSegment(at: time) }
      cutIfDue(at: time, lasting: duration)
    } else if let length = settings.partLength, time.milliseconds(since: partStart) > 2 * length {
      // No picture arrived for too long: continue with audio only.
      cutIfDue(at: time, lasting: duration)
    }
    openIfNeeded(at: time, isIndependent: tracks.video == nil)
    if !partHasSamples { partIsIndependent = tracks.video == nil }
    partHasSamples = true
    partBytes += body.count
    window.growing?.soundBytes += body.count
    add(.init(track: index, decodingTime: start, duration: samples, isKeyFrame: true), data: payload[body])
    end = max(end ?? .zero, time.advanced(milliseconds: duration))
  }

  /// Returns whether video determines the form: it is present, or still expected.
  private func picturesLead(at time: MediaTime, isHole: Bool) -> Bool {
    guard announced.video != nil else { return false }
    if soundAlone == nil, isHole || lastPicture == nil { soundAlone = time }
    return time.milliseconds(since: soundAlone ?? lastPicture ?? time) <= settings.trackPatience
  }

  private func isAudioActive(at time: MediaTime, isHole: Bool) -> Bool {
    guard announced.audio != nil else { return false }
    // A publisher that returns sends what it sent before, in any order.
    if isHole, tracks.audio != nil { return true }
    // If no audio has arrived yet, it is expected while the form is young.
    let since = max(lastSound ?? (muxer == nil ? time : formStart), resumed)
    return time.milliseconds(since: since) <= settings.trackPatience
  }

  var segmentStart: MediaTime { window.growing?.start ?? partStart }
  /// The start of the current form.
  var formStart = MediaTime.zero
  /// The end of the last gap.
  var resumed = MediaTime.zero
}
