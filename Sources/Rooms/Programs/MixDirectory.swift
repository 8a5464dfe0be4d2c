import RoomCLinux
import RoomLinux
import Logging
import NIOCore
import NIOPosix
import RoomCodecs
import RoomRTP
import RoomRelay
import RoomProtocol
import Synchronization

/// The threads that decode, mix and encode for all rooms, with the CPU capacity left for further mixes.
package final class MixDirectory: Sendable {
  let budget: MixBudget
  let decoding = DecodingCounters()
  /// The mixes that several rooms send.
  let shared = SharedMixes()
  private let threads: Int
  private let state = Mutex(State())

  private struct State {
    var group: MultiThreadedEventLoopGroup?
    /// Running mixes; those that have ended are removed.
    var mixes: [Weak] = []
    var isTidying = false
  }

  private struct Weak: Sendable { weak var mix: LiveMix? }

  package init(_ settings: RelaySettings) {
    budget = MixBudget(limit: settings.mixCores ?? Double(System.coreCount) * 0.85, decoding: decoding)
    threads = max(1, settings.mixThreads ?? System.coreCount)
  }

  /// Returns a thread of the pool, which is created on first use.
  func loop() -> any EventLoop {
    state.withLock { state in
      let group = state.group ?? MultiThreadedEventLoopGroup(numberOfThreads: threads)
      state.group = group
      return group.next()
    }
  }

  /// Creates a mix, which runs as soon as it has a sink.
  /// - Parameter isAdmitted: whether the mix replaces one that was admitted before, so that no limit applies.
  /// - Throws: 80201 if the machine has no capacity for it, or the encoder can't be opened.
  func make(_ picture: MixPicture?, _ scene: MixScene, sources: Int, isAdmitted: Bool = false) throws(RoomError) -> LiveMix {
    do {
      let share = try budget.reserve(picture, sources: sources, isAdmitted: isAdmitted)
      let mix = try LiveMix(picture: picture, scene: scene, share: share, loop: loop())
      state.withLock { state in
        state.mixes.removeAll { $0.mix == nil }
        state.mixes.append(Weak(mix: mix))
      }
      return mix
    } catch {
      throw RoomError(.publishFailed, "\(error)")
    }
  }

  /// Makes a stage that transcodes video to H.264 on one of the threads.
  /// - Parameters:
  ///   - last: the time of the last picture that was shown before.
  ///   - receive: receives the output, on that thread.
  package func transcode(
    to profile: H264Encoder.Profile, after last: MediaTime?,
    receive: @escaping @Sendable (TranscodingStage.Output) -> Void
  ) -> TranscodingStage {
    TranscodingStage(VideoTranscoder(profile: profile, budget: budget, after: last), on: loop(), receive: receive)
  }

  /// Trims the heap after a mix has ended. A mix's large encoder and picture buffers lie between other allocations, so the
  /// allocator would keep most of their memory, and more with every PK. A short delay covers all mixes that end meanwhile.
  func ended() {
    let isFirst = state.withLock { state in
      defer { state.isTidying = true }
      return !state.isTidying
    }
    guard isFirst else { return }
    Task { [weak self] in
      try? await Task.sleep(for: .seconds(2))
      self?.state.withLock { $0.isTidying = false }
      await blocking(named: "memory") { linux_release_freed_memory() }
    }
  }

  /// Metrics in addition to the mixes' own status.
  package struct Totals: Sendable {
    package var budget: MixBudget.Snapshot
    package var limit: Double
    package var decoding: DecodingCounters.Snapshot
    /// The number of rooms that send the mix of another one.
    package var shared: Int
  }

  package var totals: Totals {
    Totals(budget: budget.snapshot, limit: budget.limit, decoding: decoding.snapshot, shared: shared.followers)
  }

  /// Returns the status of all mixes.
  package func status() async -> [LiveMix.Status] {
    var all: [LiveMix.Status] = []
    for mix in state.withLock({ $0.mixes.compactMap(\.mix) }) {
      let status = await mix.status()
      if status.sinks > 0 { all.append(status) }
    }
    return all
  }

  /// Stops the threads; all mixing ends.
  package func stop() async {
    let group = state.withLock { state in
      defer { state.group = nil }
      return state.group
    }
    guard let group else { return }
    // A mix's last task releases its decoders, which may be on another thread: hence two rounds.
    for _ in 0..<2 {
      for loop in group.makeIterator() { try? await loop.submit {}.get() }
    }
    try? await group.shutdownGracefully()
  }
}
