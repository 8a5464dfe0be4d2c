import RTP
import Synchronization

/// Who takes what a mix makes. Called on the mix' thread, in order: it must not block.
public protocol MixSink: AnyObject, Sendable {
  /// A picture or a block of sound.
  func take(_ output: ProgramOutput, now: Instant)
  /// Nothing more comes.
  func end()
}

/// A mix as a program of a broadcast, which works on another thread: many broadcasts may send the same one.
final class MixFeed: Program, MixSink {
  /// 5 s of sound and pictures.
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
    // What was left out can't be gone on from.
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
