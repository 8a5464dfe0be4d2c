import RoomLiveOrigin
import RoomProtocol
import RoomRTP
import RoomRelay

// The program at the origin for viewers of a room that has no live and whose browser or network has no WebRTC.

/// What there is at the origin for viewers without WebRTC.
package enum WatchProgram: Sendable, Hashable {
  /// Nothing: it is off, nobody publishes, or it was refused.
  case none
  case starting
  case stream(StreamPath)
}

extension RoomCore {
  /// The time that the program continues after the last viewer has asked for it.
  private static let watchLease = Duration.seconds(30)
  /// The time in µs between two attempts to begin it.
  private static let watchPause: Int64 = 10_000_000

  /// Keeps the program of the stage on air for the next 30 s, and begins it if necessary.
  package mutating func watchProgram() -> WatchProgram {
    guard settings.watchFallback, !isClosed, let user = stage.user else { return .none }
    timers.set(.watchProgram, at: time(in: Self.watchLease))
    if let job = jobs[.watch] {
      // Whoever it shows has stopped: the next request begins one of who is there now.
      if !job.isStopping, let base = job.base, !publishes(base) { stop(.watch) }
      return job.info.stream.flatMap { StreamPath($0) }.map { .stream($0) } ?? .starting
    }
    guard newJobs[.watch] == nil else { return .starting }
    guard watchTried.map({ now.instant - $0 >= Self.watchPause }) ?? true else { return .none }
    watchTried = now.instant
    // Nobody can guess the name: the room may be private.
    let name = "watch-\(entropy.uuid())"
    do throws(RoomError) {
      try checkNewJob(.watch)
      let choice = Job.Choice(user: user, tag: nil)
      let job = NewJob(
        id: .watch, program: .forward(audio: choice, video: choice, .stage),
        url: try publishURL("rtmp://origin/\(PlayAddresses.app)/\(name)", user), claim: .trusted(self.name), requester: .room,
        startedAt: nil, by: "")
      begin(job, recording: nil)
      return .starting
    } catch {
      log(.warning, "job refused", ["job": "\(JobID.watch)", "reason": "\(error)"])
      return .none
    }
  }

  private func publishes(_ forward: Job.Forward) -> Bool {
    [forward.video, forward.audio].contains { choice in choice.map { roster[$0.user]?.tracks.isEmpty == false } ?? false }
  }

  /// Ends the program: no viewer has asked for it.
  mutating func endWatchProgram() {
    watchTried = nil
    if jobs[.watch]?.isStopping == false { stop(.watch) }
  }
}
