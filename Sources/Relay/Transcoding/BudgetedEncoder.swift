import RoomCLinux
import RoomCodecs
import RoomRTP

/// Encodes decoded pictures at the size, the rate and a bitrate that fit them, within the budget of mixes. Encodes fewer pictures
/// than arrive if the source has more than 30 a second.
///
/// Has no thread and no clock. One owner at a time.
final class BudgetedEncoder {
  /// What the pictures become.
  enum Codec: Sendable, Hashable {
    case h264(H264Encoder.Profile)
    case vp8
  }

  /// Whether the next picture must be a key frame.
  var wantsKeyFrame = true
  /// Pictures that could not be encoded.
  private(set) var failed = 0

  private let codec: Codec
  private let budget: MixBudget
  private var share: (pixelRate: Int, share: MixBudget.Share)?
  private var pace = TranscodePace(.init())
  private var encoder: (any VideoEncoder)?
  /// The CPU time in µs since the start of the interval, a time of the source.
  private var used: (since: MediaTime, cpu: Int64)?

  init(_ codec: Codec, budget: MixBudget) {
    self.codec = codec
    self.budget = budget
  }

  /// Encodes a picture. Returns nil if the picture is skipped or can't be encoded.
  /// - Throws: if the budget has no room for the pictures.
  func take(_ picture: VideoFrame) throws(VideoTranscoder.Failure) -> EncodedPicture? {
    guard pace.takes(width: picture.width, height: picture.height, at: picture.timestamp) || wantsKeyFrame else { return nil }
    try reserve()
    do throws(CodecError) {
      guard let output = try encode(picture) else { return nil }
      wantsKeyFrame = false
      return output
    } catch {
      failed += 1
      return nil
    }
  }

  private func encode(_ picture: VideoFrame) throws(CodecError) -> EncodedPicture? {
    let settings = pace.encoder
    let encoder: any VideoEncoder
    if let running = self.encoder {
      encoder = running
      if encoder.settings != settings { try encoder.reconfigure(settings) }
    } else {
      encoder =
        switch codec {
        case .h264(let profile): try H264Encoder(settings, profile: profile, speed: .superfast)
        case .vp8: try VP8Encoder(settings)
        }
      self.encoder = encoder
    }
    return try encoder.encode(picture, forceKeyFrame: wantsKeyFrame)
  }

  /// Reserves the CPU for the current size and rate, if they have grown.
  private func reserve() throws(VideoTranscoder.Failure) {
    let settings = pace.encoder
    let pixelRate = settings.width * settings.height * settings.fps
    guard pixelRate > share?.pixelRate ?? 0 else { return }
    share = nil
    do throws(MixBudget.Refusal) {
      let picture = MixPicture(width: settings.width, height: settings.height, fps: settings.fps, bitrate: settings.bitrate)
      share = (pixelRate, try budget.reserve(picture, sources: 0))
    } catch { throw .budget(error) }
  }

  /// Adds to the CPU time, in µs, that the budget knows of.
  /// - Parameter time: the time of the source.
  func used(_ microseconds: Int64, at time: MediaTime) {
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
