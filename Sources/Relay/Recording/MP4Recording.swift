import RoomCodecs
import RoomLiveOrigin
public import RoomRTMP
import RoomRTP

/// Writes fragmented MP4 files, which are playable up to their last complete fragment.
///
/// H.264 that changes its size or profile continues in the same file. Each key frame is preceded by its parameter sets, which
/// ffmpeg, browsers and other decoders of `avc1` and `avc3` accept. Any other change starts a new file: a track that joins,
/// another codec, or another audio configuration. A file's first bytes determine its tracks.
public final class MP4Recording: RecordingWriter {
  private struct ParameterSets: Equatable {
    /// The size of a NAL unit's length prefix in bytes.
    var lengthSize = 0
    /// The parameter sets, each with a length prefix.
    var bytes: [UInt8] = []

    init() {}

    /// Returns nil if a parameter set is too long for the length prefix.
    init?(_ configuration: AVCConfiguration) {
      guard let units = configuration.parameterSetUnits else { return nil }
      lengthSize = configuration.lengthSize
      bytes = units
    }
  }

  public var dropped: Int { timeline.dropped + ownDropped + (file?.dropped ?? 0) }
  private var ownDropped = 0
  private var timeline = RecordingTimeline()
  private var file: MP4File?
  private var video: FragmentedMP4.Track?
  private var audio: FragmentedMP4.Track?
  /// The parameter sets of the incoming pictures; they may differ from those in the file's header.
  private var sets = ParameterSets()
  private var fileLengthSize = 0
  private var lastPicture: MediaTime?

  /// Creates a writer without content.
  public init() {}

  public func take(_ message: MediaMessage) throws(RecordingFailure) -> [RecordingPart] { try parts(timeline.take(message)) }

  public func finish() throws(RecordingFailure) -> [RecordingPart] {
    let rest = try parts(timeline.finish())
    let end = file?.finish() ?? []
    return end.isEmpty ? rest : rest + [.bytes(end)]
  }

  private func parts(_ messages: [RecordedMessage]) throws(RecordingFailure) -> [RecordingPart] {
    var parts: [RecordingPart] = []
    for message in messages {
      let fragment: [UInt8]
      switch message.content {
      case .metadata: continue
      case .header:
        announce(message.media)
        continue
      case .keyFrame, .picture: fragment = try add(picture: message, &parts)
      case .sound: fragment = try add(sound: message, &parts)
      }
      if !fragment.isEmpty { parts.append(.bytes(fragment)) }
    }
    return parts
  }

  private func announce(_ media: MediaMessage) {
    let payload = media.payload
    if media.kind == .audio {
      audio = payload.withUnsafeBytes { AudioTag(parsing: $0) }.flatMap { FragmentedMP4.Track($0, payload) }
      return
    }
    video = payload.withUnsafeBytes { VideoTag(parsing: $0) }.flatMap { FragmentedMP4.Track($0, payload) }
    sets = ParameterSets()
    guard let video, video.codec == .h264,
      let configuration = video.configuration.withUnsafeBytes({ AVCConfiguration(parsing: $0) }),
      let sets = ParameterSets(configuration)
    else { return }
    self.sets = sets
  }

  private func add(picture: RecordedMessage, _ parts: inout [RecordingPart]) throws(RecordingFailure) -> [UInt8] {
    let payload = picture.media.payload
    let isNext = lastPicture.map { picture.time > $0 } ?? true
    guard let video, let tag = payload.withUnsafeBytes({ VideoTag(parsing: $0) }), isNext else { return drop() }
    let isKeyFrame = picture.content == .keyFrame
    if isKeyFrame, !takes(video) || audio != nil && file?.audio != audio { try begin(at: picture.time, &parts) }
    guard takes(video) else { return drop() }
    lastPicture = picture.time
    let body = payload[tag.track.body]
    func carriesSets() -> Bool {
      body.withUnsafeBytes { AVCAccessUnit.carriesParameterSets(withLengths: $0, lengthSize: sets.lengthSize) }
    }
    let data = isKeyFrame && !carriesSets() ? sets.bytes + body : Array(body)
    return file?.add(
      .init(
        time: picture.time, offset: Int64(max(0, tag.track.compositionTime)), isKeyFrame: isKeyFrame, data: data)) ?? []
  }

  private func add(sound: RecordedMessage, _ parts: inout [RecordingPart]) throws(RecordingFailure) -> [UInt8] {
    let payload = sound.media.payload
    guard let audio, let tag = payload.withUnsafeBytes({ AudioTag(parsing: $0) }) else { return drop() }
    if file == nil {
      try begin(at: sound.time, &parts)
    } else if file?.audio != audio {
      // If there is video, its next key frame starts the next file.
      if let lastPicture, sound.time.milliseconds(since: lastPicture) <= RecordingTimeline.patience { return drop() }
      try begin(at: sound.time, &parts)
    }
    return file?.addSound(
      payload[tag.track.body], at: sound.time, samples: audio.samples(in: tag.track.body, of: payload)) ?? []
  }

  /// Returns whether the file accepts pictures of this track's format.
  private func takes(_ video: FragmentedMP4.Track) -> Bool {
    guard let own = file?.video, own.codec == video.codec else { return false }
    return own == video || video.codec == .h264 && !sets.bytes.isEmpty && sets.lengthSize == fileLengthSize
  }

  private func begin(at time: MediaTime, _ parts: inout [RecordingPart]) throws(RecordingFailure) {
    if var file {
      parts += [.bytes(file.finish()), .nextFile]
      ownDropped += file.dropped
      self.file = nil
    }
    do throws(CodecError) {
      let next = try MP4File(video: video, audio: audio, start: time)
      parts.append(.bytes(next.header))
      file = next
      fileLengthSize = sets.lengthSize
    } catch { throw .media("\(error)") }
  }

  private func drop() -> [UInt8] {
    ownDropped += 1
    return []
  }
}
