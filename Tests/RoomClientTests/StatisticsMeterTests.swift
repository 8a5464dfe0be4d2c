import RoomProtocol
import Testing
import RoomWebRTC

@testable import RoomClient

@Suite("The statistics meter")
struct StatisticsMeterTests {
  private let start = ContinuousClock.now

  private func remote(frames: UInt64, bytes: UInt64, lost: Int64, expected: Int64) -> StatisticsMeter.Remote {
    var counts = ReceiverStatistics()
    counts.frames = frames
    counts.bytes = bytes
    counts.packetsLost = lost
    counts.packetsExpected = expected
    return StatisticsMeter.Remote(
      info: TrackInfo(trackId: "t", kind: .video, width: 320, height: 180), userId: "ada", counts: counts, unread: 2,
      roundTripTime: 25_000)
  }

  @Test("reports rates of the interval and totals since the start") func tellsRates() throws {
    var meter = StatisticsMeter(began: start)
    let first = meter.report(
      locals: [], remotes: [remote(frames: 30, bytes: 25_000, lost: 0, expected: 100)],
      transports: [TransportStatistics(direction: .subscribe, connected: true)], now: start + .seconds(2))
    #expect(first.remoteTracks.first?.fps == 15)
    #expect(first.transports.first?.kbps == 100)
    let second = meter.report(
      locals: [], remotes: [remote(frames: 90, bytes: 525_000, lost: 10, expected: 200)], transports: [],
      now: start + .seconds(6))
    let track = try #require(second.remoteTracks.first)
    #expect(track.fps == 15)
    #expect(track.kbps == 1000)
    #expect(track.loss == 0.1)
    #expect(track.frames == 90)
    #expect(track.packetsLost == 10)
    #expect(track.framesDropped == 2)
    #expect(track.roundTripTime == .milliseconds(25))
    #expect(track.width == 320)
  }

  @Test("a transport that restarts its counters results in no negative rates") func countsAnew() {
    var meter = StatisticsMeter(began: start)
    _ = meter.report(
      locals: [], remotes: [remote(frames: 90, bytes: 9000, lost: 5, expected: 100)], transports: [], now: start + .seconds(1))
    let report = meter.report(
      locals: [], remotes: [remote(frames: 3, bytes: 100, lost: 0, expected: 4)], transports: [], now: start + .seconds(2))
    #expect(report.remoteTracks.first?.fps == 0)
    #expect(report.remoteTracks.first?.loss == 0)
  }
}
