import CLinux
import Linux
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Relay
import RoomProtocol

/// The threads that decode, mix and encode for all rooms, and how much of the machine is left for another mix.
package final class MixDirectory: Sendable {
  let budget: MixBudget
  let decoding = DecodingCounters()
  private let threads: Int
  private let state = NIOLockedValueBox(State())

  private struct State {
    var group: MultiThreadedEventLoopGroup?
    /// Running mixes; what has ended is forgotten.
    var mixes: [Weak] = []
    var isTidying = false
  }

  private struct Weak: Sendable { weak var mix: LiveMix? }

  package init(_ settings: RelaySettings) {
    budget = MixBudget(limit: settings.mixCores ?? Double(System.coreCount) * 0.85, decoding: decoding)
    threads = max(1, settings.mixThreads ?? System.coreCount)
  }

  /// A thread of the pool; made with the first one.
  func loop() -> any EventLoop {
    state.withLockedValue { state in
      let group = state.group ?? MultiThreadedEventLoopGroup(numberOfThreads: threads)
      state.group = group
      return group.next()
    }
  }

  /// Begins a mix that works as soon as somebody takes what it makes.
  /// - Throws: 80201 where the machine has no room for it, or the encoder refuses.
  func make(_ picture: MixPicture?, _ scene: MixScene, sources: Int) throws(RoomError) -> LiveMix {
    do {
      let share = try budget.reserve(picture, sources: sources)
      let mix = try LiveMix(picture: picture, scene: scene, share: share, loop: loop())
      state.withLockedValue { state in
        state.mixes.removeAll { $0.mix == nil }
        state.mixes.append(Weak(mix: mix))
      }
      return mix
    } catch {
      throw RoomError(.publishFailed, "\(error)")
    }
  }

  /// A mix has ended. Its encoder and pictures were large, and lay between what others have: the allocator would keep most of it, and
  /// more with every PK. It is given back a moment later, all that ended meanwhile at once.
  func ended() {
    let isFirst = state.withLockedValue { state in
      defer { state.isTidying = true }
      return !state.isTidying
    }
    guard isFirst else { return }
    Task { [weak self] in
      try? await Task.sleep(for: .seconds(2))
      self?.state.withLockedValue { $0.isTidying = false }
      await blocking(named: "memory") { linux_release_freed_memory() }
    }
  }

  /// What the metrics tell beside the mixes' own status.
  package struct Totals: Sendable {
    package var budget: MixBudget.Snapshot
    package var limit: Double
    package var decoding: DecodingCounters.Snapshot
  }

  package var totals: Totals { Totals(budget: budget.snapshot, limit: budget.limit, decoding: decoding.snapshot) }

  /// How all mixes go.
  package func status() async -> [LiveMix.Status] {
    var all: [LiveMix.Status] = []
    for mix in state.withLockedValue({ $0.mixes.compactMap(\.mix) }) {
      let status = await mix.status()
      if status.sinks > 0 { all.append(status) }
    }
    return all
  }

  /// Ends the threads; nothing mixes any more.
  package func stop() async {
    let group = state.withLockedValue { state in
      defer { state.group = nil }
      return state.group
    }
    guard let group else { return }
    // What a mix was told last makes it let go of its decoders, which may be on another thread: two rounds.
    for _ in 0..<2 {
      for loop in group.makeIterator() { try? await loop.submit {}.get() }
    }
    try? await group.shutdownGracefully()
  }
}
