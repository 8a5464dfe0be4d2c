import RoomRTP
import Synchronization

/// A consumer of a mix's output. The methods are called in order on the mix's thread and must not block.
public protocol MixSink: AnyObject, Sendable {
  /// Receives a picture or a block of audio.
  func take(_ output: ProgramOutput, now: Instant)
  /// Called after the last output.
  func end()
}

/// Adapts a mix to the ``Program`` protocol for a broadcast that runs on another thread. Several broadcasts can send the same
/// mix.
final class MixFeed: Program, MixSink {
  /// 5 s of audio and video.
  private static let most = 800

  private struct State {
    var outputs: [ProgramOutput] = []
    var emptySince: Instant?
    var dropped = 0
  }

  let mix: LiveMix
  private let state = Mutex(State())

  init(_ mix: LiveMix) { self.mix = mix }

  var emptySince: Instant? { state.withLock { $0.emptySince } }

  func setEmpty(since: Instant?) { state.withLock { $0.emptySince = since } }

  func wantKeyFrame(after moment: MediaTime?, _ output: (ProgramOutput) -> Void) { mix.wantKeyFrame(after: moment) }

  func take(_ output: ProgramOutput, now: Instant) {
    let isFull = state.withLock { state in
      guard state.outputs.count < Self.most else {
        state.dropped += state.outputs.count
        state.outputs = []
        return true
      }
      state.outputs.append(output)
      return false
    }
    // Decoding cannot continue after dropped output.
    if isFull { mix.wantKeyFrame(after: nil) }
  }

  func end() {}

  func advance(to now: Instant, _ output: (ProgramOutput) -> Void) {
    let outputs = state.withLock { state in
      defer { state.outputs = [] }
      return state.outputs
    }
    for item in outputs { output(item) }
  }
}
