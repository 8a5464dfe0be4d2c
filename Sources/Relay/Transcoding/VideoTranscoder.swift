import RoomCLinux
public import RoomCodecs
public import RoomRTP

/// Turns video of any codec that libavcodec decodes, also with pictures that are sent in another order than they are shown, into
/// H.264 without reordering, within the budget of mixes.
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

  /// Access units that could not be decoded, and pictures that could not be encoded.
  public var failed: Int { broken + encoder.failed }

  private let encoder: BudgetedEncoder
  private var decoder: ConfiguredVideoDecoder?
  private var broken = 0
  private var awaitsKeyFrame = true
  private var last: MediaTime?

  /// - Parameters:
  ///   - profile: the profile of the output.
  ///   - after: the time of the last picture that was shown before; earlier ones are only decoded.
  public init(profile: H264Encoder.Profile, budget: MixBudget, after last: MediaTime? = nil) {
    encoder = BudgetedEncoder(.h264(profile), budget: budget)
    self.last = last
  }

  /// Makes the next picture a key frame.
  public func requestKeyFrame() { encoder.wantsKeyFrame = true }

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
    defer { encoder.used(linux_thread_cpu_us() &- before, at: sample.time) }
    let pictures: [VideoFrame]
    do throws(CodecError) { pictures = try decoder.decode(sample.data, timestamp: sample.time) } catch {
      if case .unsupportedPixelFormat = error { throw .codec("\(error)") }
      broken += 1
      awaitsKeyFrame = true
      decoder.restart()
      return []
    }
    var encoded: [EncodedPicture] = []
    for picture in pictures where last.map({ picture.timestamp > $0 }) ?? true {
      last = picture.timestamp
      if let output = try encoder.take(picture) { encoded.append(output) }
    }
    return encoded
  }
}
