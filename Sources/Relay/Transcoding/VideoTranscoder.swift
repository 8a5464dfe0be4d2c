import RoomCLinux
public import RoomCodecs
public import RoomRTP

/// Turns video of any codec that libavcodec decodes, also with pictures that are sent in another order than they are shown, into
/// H.264 without reordering. Reserves its CPU in the budget of mixes, and encodes fewer pictures than arrive if the source has more
/// than 30 a second.
///
/// Has no thread and no clock. One owner at a time.
public final class VideoTranscoder {
  /// An access unit of the source.
  public struct Sample: Sendable {
    /// The format from this access unit on; nil if it is that of the one before.
    public var format: FragmentedMP4.Track?
    /// The data as MP4 carries it.
    public var data: [UInt8]
    /// The presentation time.
    public var time: MediaTime
    public var isKeyFrame: Bool

    public init(format: FragmentedMP4.Track?, data: [UInt8], time: MediaTime, isKeyFrame: Bool) {
      self.format = format
      self.data = data
      self.time = time
      self.isKeyFrame = isKeyFrame
    }
  }

  /// Why a stream can't be transcoded.
  public enum Failure: Error, Sendable, Hashable, CustomStringConvertible {
    case budget(MixBudget.Refusal)
    case codec(String)

    public var description: String {
      switch self {
      case .budget(let refusal): "\(refusal)"
      case .codec(let reason): reason
      }
    }
  }

  /// Whether the next picture must be a key frame.
  public var wantsKeyFrame = true
  /// Access units that could not be decoded, and pictures that could not be encoded.
  public private(set) var failed = 0

  private let profile: H264Encoder.Profile
  private let budget: MixBudget
  private var share: (pixelRate: Int, share: MixBudget.Share)?
  private var pace = TranscodePace(.init())
  private var decoder: ConfiguredVideoDecoder?
  private var encoder: H264Encoder?
  private var awaitsKeyFrame = true
  private var last: MediaTime?
  /// The CPU time in µs since the start of the interval, a time of the source.
  private var used: (since: MediaTime, cpu: Int64)?

  /// - Parameters:
  ///   - profile: the profile of the output.
  ///   - after: the time of the last picture that was shown before; earlier ones are only decoded.
  public init(profile: H264Encoder.Profile, budget: MixBudget, after last: MediaTime? = nil) {
    self.profile = profile
    self.budget = budget
    self.last = last
  }

  /// Decodes an access unit. Returns the pictures that are ready, in the order in which they are shown.
  /// - Throws: if the budget has no room for the pictures, or no decoder exists.
  public func take(_ sample: Sample) throws(Failure) -> [EncodedPicture] {
    if let format = sample.format {
      do throws(CodecError) {
        decoder = try ConfiguredVideoDecoder(format.codec, configuration: format.configuration)
      } catch { throw .codec("\(error)") }
      awaitsKeyFrame = true
    }
    guard let decoder else { return [] }
    if sample.isKeyFrame { awaitsKeyFrame = false }
    guard !awaitsKeyFrame else { return [] }
    let before = linux_thread_cpu_us()
    defer { measure(linux_thread_cpu_us() &- before, at: sample.time) }
    let pictures: [VideoFrame]
    do throws(CodecError) { pictures = try decoder.decode(sample.data, timestamp: sample.time) } catch {
      if case .unsupportedPixelFormat = error { throw .codec("\(error)") }
      failed += 1
      awaitsKeyFrame = true
      decoder.restart()
      return []
    }
    var encoded: [EncodedPicture] = []
    for picture in pictures where last.map({ picture.timestamp > $0 }) ?? true {
      last = picture.timestamp
      guard pace.takes(width: picture.width, height: picture.height, at: picture.timestamp) || wantsKeyFrame else { continue }
      try reserve()
      do throws(CodecError) {
        if let output = try encode(picture) { encoded.append(output) }
      } catch { failed += 1 }
    }
    return encoded
  }

  private func encode(_ picture: VideoFrame) throws(CodecError) -> EncodedPicture? {
    let settings = pace.encoder
    let encoder: H264Encoder
    if let running = self.encoder {
      encoder = running
      if encoder.settings != settings { try encoder.reconfigure(settings) }
    } else {
      encoder = try H264Encoder(settings, profile: profile, speed: .superfast)
      self.encoder = encoder
    }
    guard let output = try encoder.encode(picture, forceKeyFrame: wantsKeyFrame) else { return nil }
    wantsKeyFrame = false
    return output
  }

  /// Reserves the CPU for the current size and rate, if they have grown.
  private func reserve() throws(Failure) {
    let settings = pace.encoder
    let pixelRate = settings.width * settings.height * settings.fps
    guard pixelRate > share?.pixelRate ?? 0 else { return }
    share = nil
    do throws(MixBudget.Refusal) {
      let picture = MixPicture(width: settings.width, height: settings.height, fps: settings.fps, bitrate: settings.bitrate)
      share = (pixelRate, try budget.reserve(picture, sources: 0))
    } catch { throw .budget(error) }
  }

  private func measure(_ microseconds: Int64, at time: MediaTime) {
    guard var used else {
      self.used = (time, microseconds)
      return
    }
    used.cpu &+= microseconds
    let elapsed = time - used.since
    if elapsed >= 1_000_000 {
      share?.share.measured(Double(used.cpu) / Double(elapsed))
      used = (time, 0)
    }
    self.used = used
  }
}
