import RoomProtocol
import RoomWebRTC

/// Converts the counters of transports to rates since the last report. Pure: the caller passes the time.
struct StatisticsMeter: Sendable {
  private struct Counts {
    var time: ContinuousClock.Instant
    var frames: UInt64
    var bytes: UInt64
    var lost: Int64
    var expected: Int64
  }

  /// The counters of the last report by track.
  private var last: [TrackID: Counts] = [:]
  private var lastTime: ContinuousClock.Instant

  init(began: ContinuousClock.Instant) { lastTime = began }

  /// A track's counters and its description in the room.
  struct Local {
    var info: TrackInfo
    var userId: UserID
    var counts: SenderStatistics
    var framesDropped: UInt64
  }

  struct Remote {
    var info: TrackInfo
    var userId: UserID
    var counts: ReceiverStatistics
    var unread: UInt64
    var roundTripTime: Int64?
  }

  mutating func report(
    locals: [Local], remotes: [Remote], transports: [TransportStatistics], now: ContinuousClock.Instant
  ) -> RoomStatistics {
    var next: [TrackID: Counts] = [:]
    var report = RoomStatistics(transports: transports)
    for local in locals {
      let counts = Counts(
        time: now, frames: local.counts.frames, bytes: local.counts.bytes, lost: local.counts.packetsLost,
        expected: Int64(local.counts.packets))
      next[local.info.trackId] = counts
      var track = rates(local.info, local.userId, counts)
      track.loss = local.counts.fractionLost
      track.jitter = .microseconds(local.counts.jitter)
      track.roundTripTime = local.counts.roundTripTime.map { .microseconds($0) }
      track.packets = local.counts.packets
      track.packetsLost = UInt64(max(0, local.counts.packetsLost))
      track.retransmitted = local.counts.retransmitted
      track.nacks = local.counts.nacks
      track.keyFrameRequests = local.counts.keyFrameRequests
      track.framesDropped = local.framesDropped
      report.localTracks.append(track)
    }
    for remote in remotes {
      let counts = Counts(
        time: now, frames: remote.counts.frames, bytes: remote.counts.bytes, lost: remote.counts.packetsLost,
        expected: remote.counts.packetsExpected)
      next[remote.info.trackId] = counts
      var track = rates(remote.info, remote.userId, counts)
      track.jitter = .microseconds(remote.counts.jitter)
      track.roundTripTime = remote.roundTripTime.map { .microseconds($0) }
      track.packets = remote.counts.packets
      track.packetsLost = UInt64(max(0, remote.counts.packetsLost))
      track.retransmitted = remote.counts.repaired
      track.nacks = remote.counts.nacks
      track.keyFrameRequests = remote.counts.keyFrameRequests
      track.framesDropped = remote.counts.framesDropped + remote.unread
      track.firstPacketAt = remote.counts.firstPacketAt
      report.remoteTracks.append(track)
    }
    last = next
    lastTime = now
    for index in report.transports.indices {
      let tracks = report.transports[index].direction == .publish ? report.localTracks : report.remoteTracks
      report.transports[index].kbps = tracks.reduce(0) { $0 + $1.kbps }
    }
    return report
  }

  private func rates(_ info: TrackInfo, _ userId: UserID, _ counts: Counts) -> TrackStatistics {
    var track = TrackStatistics(trackId: info.trackId, userId: userId)
    track.width = info.width
    track.height = info.height
    track.frames = counts.frames
    track.bytes = counts.bytes
    // A track that is new since the last report started from zero.
    let before = last[info.trackId] ?? Counts(time: lastTime, frames: 0, bytes: 0, lost: 0, expected: 0)
    // A new transport starts from zero.
    guard counts.frames >= before.frames, counts.bytes >= before.bytes else { return track }
    let elapsed = (counts.time - before.time) / .seconds(1)
    guard elapsed > 0 else { return track }
    track.fps = Double(counts.frames - before.frames) / elapsed
    track.kbps = Double(counts.bytes - before.bytes) * 8 / 1000 / elapsed
    let expected = counts.expected - before.expected
    if expected > 0 { track.loss = min(1, max(0, Double(counts.lost - before.lost) / Double(expected))) }
    return track
  }
}
