import Synchronization

/// An encoder that several streams of an ``AACEncoderPool`` feed with the same blocks. The first stream with a block encodes it, the others
/// get the frame that is there.
final class SharedAACEncoder: Sendable {
  enum Result {
    /// The frame of the previous block; nil for the first one.
    case frame([UInt8]?)
    /// The encoder has encoded another block of that number, or no longer has the block.
    case differs

    var frame: [UInt8]? { if case .frame(let data) = self { data } else { nil } }
  }

  private struct Encoded {
    let number: Int64
    let block: [Int16]
    let frame: [UInt8]?
  }

  private struct State {
    let encoder: AACEncoder
    var blocks: [Encoded] = []
    var streams = 1
  }

  /// The number of blocks that are kept. A stream may lag behind another one by those without the overlap: 280 ms at 44.1 kHz. Forward
  /// programs differ by up to 240 ms in their delay.
  private static let kept = 16

  let audioSpecificConfig: [UInt8]
  let delay: Int
  private let state: Mutex<State>

  /// Creates an encoder with one stream.
  init(_ settings: AACEncoderSettings) throws(CodecError) {
    let encoder = try AACEncoder(settings)
    audioSpecificConfig = encoder.audioSpecificConfig
    delay = encoder.delay
    state = Mutex(State(encoder: encoder))
  }

  /// Encodes a block, or returns the frame from when another stream passed the block.
  func encode(_ block: [Int16], _ number: Int64, _ settings: AACEncoderSettings) throws(CodecError) -> Result {
    try state.withLock { state throws(CodecError) in
      guard state.encoder.settings == settings else { return .differs }
      if let newest = state.blocks.last?.number, number != newest + 1 {
        if number <= newest {
          let known = state.blocks.first { $0.number == number && $0.block == block }
          return known.map { .frame($0.frame) } ?? .differs
        }
        guard state.streams == 1 else { return .differs }
        state.blocks = []
      }
      let frame = try state.encoder.encode(block)
      if state.blocks.count == Self.kept { state.blocks.removeFirst() }
      state.blocks.append(Encoded(number: number, block: block, frame: frame))
      return .frame(frame)
    }
  }

  /// Adds a stream whose last blocks are these.
  /// - Parameters:
  ///   - number: the number of the last block.
  ///   - frame: what the stream's encoder returned for that block.
  /// - Returns: false if the blocks differ from those of this encoder, or the next frame cannot follow `frame`.
  func join(_ blocks: [[Int16]], upTo number: Int64, _ frame: [UInt8], _ settings: AACEncoderSettings) -> Bool {
    state.withLock { state in
      guard state.encoder.settings == settings, state.streams > 0,
        let index = state.blocks.firstIndex(where: { $0.number == number }), index + 1 >= blocks.count,
        state.blocks[(index + 1 - blocks.count)...index].map(\.block) == blocks,
        let shape = Self.longWindow(of: frame, settings.format.channels),
        state.blocks[index].frame.flatMap({ Self.longWindow(of: $0, settings.format.channels) }) == shape
      else { return false }
      state.streams += 1
      return true
    }
  }

  /// Removes a stream. Returns whether it was the last one.
  func leave() -> Bool {
    state.withLock { state in
      state.streams -= 1
      return state.streams == 0
    }
  }

  /// Sets the bitrate in bps if the encoder has one stream only. Returns whether it has.
  func setBitrate(_ bitrate: Int) -> Bool {
    state.withLock { state in
      guard state.streams == 1 else { return false }
      state.encoder.setBitrate(bitrate)
      return true
    }
  }

  /// Returns the shape of the window of a frame that consists of one long window (ISO/IEC 14496-3 §4.4.2.1, §4.4.2.7), which any other such
  /// frame can follow; nil for other frames.
  private static func longWindow(of frame: [UInt8], _ channels: Int) -> UInt8? {
    guard frame.count > 3 else { return nil }
    if channels == 1 {
      // single_channel_element: 3 bits, tag: 4, global_gain: 8, reserved: 1, window_sequence: 2, window_shape: 1.
      return frame[0] >> 5 == 0 && frame[2] >> 6 == 0 ? frame[2] >> 5 & 1 : nil
    }
    // channel_pair_element: 3 bits, tag: 4, common_window: 1, reserved: 1, window_sequence: 2, window_shape: 1.
    return frame[0] >> 5 == 1 && frame[0] & 1 == 1 && frame[1] >> 5 & 3 == 0 ? frame[1] >> 4 & 1 : nil
  }
}
