import Synchronization

/// AAC encoders for streams that may carry the same sound, such as the broadcasts of one mix: streams whose blocks are equal share an
/// encoder.
///
/// A stream begins with an encoder of its own. As soon as its last blocks equal those of another encoder, the stream continues with the
/// frames of that one. At the first block that differs, the stream gets an encoder of its own again, which has encoded the blocks before.
/// Frames of AAC overlap by half. At both changes they overlap in blocks that both encoders have encoded, so a decoder outputs neither a
/// gap nor a click.
public final class AACEncoderPool: Sendable {
  /// The number of blocks that must be equal for a stream to join, and that an encoder gets before its first frame is sent.
  static let overlap = 4
  /// Streams join at blocks whose numbers are multiples of this one.
  static let interval: Int64 = 16

  fileprivate struct Sound: Hashable {
    let settings: AACEncoderSettings
    let number: Int64
    let hash: Int
  }

  private let known = Mutex<[Sound: SharedAACEncoder]>([:])
  private let running = Atomic(0)
  private let fed = Atomic(0)

  /// Creates a pool without encoders.
  public init() {}

  /// The number of encoders that run.
  public var encoders: Int { running.load(ordering: .relaxed) }
  /// The number of streams.
  public var streams: Int { fed.load(ordering: .relaxed) }

  /// Returns the encoder that is known for this sound. If there is none, the encoder becomes known for the sound, and no longer for the
  /// previous one.
  private func find(_ sound: Sound, after previous: inout Sound?, else encoder: SharedAACEncoder) -> SharedAACEncoder {
    known.withLock { known in
      if let previous { known[previous] = nil }
      previous = nil
      if let other = known[sound] { return other }
      known[sound] = encoder
      previous = sound
      return encoder
    }
  }

  private func forget(_ sound: Sound) { known.withLock { $0[sound] = nil } }

  /// One stream of AAC frames. One owner at a time.
  public final class Stream {
    /// The current settings.
    private(set) var settings: AACEncoderSettings
    private let pool: AACEncoderPool
    private var encoder: SharedAACEncoder
    /// The last blocks, the newest last.
    private var recent: [[Int16]] = []
    private var last: Int64?
    /// The sound that this stream made known.
    private var sound: Sound?

    /// - Throws: ``CodecError/invalidSetting(_:)``, ``CodecError/unavailable(codec:reason:)``
    public init(_ settings: AACEncoderSettings, of pool: AACEncoderPool) throws(CodecError) {
      self.settings = settings
      self.pool = pool
      encoder = try SharedAACEncoder(settings)
      pool.running.add(1, ordering: .relaxed)
      pool.fed.add(1, ordering: .relaxed)
    }

    deinit {
      leave()
      if let sound { pool.forget(sound) }
      pool.fed.subtract(1, ordering: .relaxed)
    }

    /// The AudioSpecificConfig (ISO/IEC 14496-3 §1.6.2.1), equal for all streams with the same format.
    public var audioSpecificConfig: [UInt8] { encoder.audioSpecificConfig }

    /// See ``AACEncoder/delay``.
    public var delay: Int { encoder.delay }

    /// Sets the bitrate in bps from the next frame on; see ``AACEncoder/setBitrate(_:)``.
    public func setBitrate(_ bitrate: Int) {
      let bitrate = AACEncoderSettings.valid(bitrate)
      guard bitrate != settings.bitrate else { return }
      settings.bitrate = bitrate
      if !encoder.setBitrate(bitrate) { try? separate() }
    }

    /// Encodes one block. Returns the frame of the previous block; nil on the first call.
    /// - Parameters:
    ///   - block: exactly ``AACEncoder/frameCount`` × channels samples, interleaved.
    ///   - number: the block's number on a timeline that the streams of the pool share.
    public func encode(_ block: [Int16], number: Int64) throws(CodecError) -> [UInt8]? {
      if last != number - 1 { recent = [] }
      let result: SharedAACEncoder.Result = try encoder.encode(block, number, settings)
      let frame: [UInt8]?
      switch result {
      case .frame(let data): frame = data
      case .differs:
        try separate()
        frame = try encoder.encode(block, number, settings).frame
      }
      recent = recent.suffix(AACEncoderPool.overlap - 1) + [block]
      last = number
      if number.isMultiple(of: AACEncoderPool.interval), let frame { join(number, frame) }
      return frame
    }

    private func join(_ number: Int64, _ frame: [UInt8]) {
      // Streams that are silent share no sound that would last.
      guard recent.count == AACEncoderPool.overlap, let block = recent.last, block.contains(where: { $0 != 0 }) else { return }
      let sound = Sound(settings: settings, number: number, hash: block.hashValue)
      let other = pool.find(sound, after: &self.sound, else: encoder)
      guard other !== encoder, other.join(recent, upTo: number, frame, settings) else { return }
      leave()
      encoder = other
    }

    /// Continues with an encoder of the stream's own.
    private func separate() throws(CodecError) {
      let own = try SharedAACEncoder(settings)
      // An encoder returns no frame of its first block.
      let before = recent.isEmpty ? [[Int16](repeating: 0, count: AACEncoder.frameCount * settings.format.channels)] : recent
      for (index, block) in before.enumerated() {
        _ = try own.encode(block, (last ?? 0) - Int64(before.count - 1 - index), settings)
      }
      leave()
      encoder = own
      pool.running.add(1, ordering: .relaxed)
    }

    private func leave() {
      if encoder.leave() { pool.running.subtract(1, ordering: .relaxed) }
    }
  }
}
