import RoomCLinux
import RoomClient
import RoomMedia
import RoomProtocol
import RoomRTP

/// Joins a room as an app does, decodes one picture, and leaves.
struct Visitor: Sendable {
  let server: RoomserverAddress
  let plan: FirstPicturePlan

  private static var now: Instant { Instant(microseconds: linux_now_us()) }

  func visit(_ number: Int) async -> Visit {
    var visit = Visit()
    do {
      let token = try server.tokens.token(for: UserID("visitor-\(number)"), in: plan.room, grants: .subscribe)
      let start = Self.now
      let room = try await Room.connect(to: server.signalling, token: token, options: RoomOptions(statisticsInterval: nil))
      visit.joined = Self.milliseconds(since: start)
      let late = Task { [plan] in
        try await Task.sleep(for: .seconds(plan.patience))
        // The stream of events ends.
        await room.leave()
      }
      await watch(room, since: start, &visit)
      late.cancel()
      if visit.picture == nil { visit.failure = "no picture within \(plan.patience) s" }
      try? await Task.sleep(for: .milliseconds(Int64(plan.stay * 1000 - Self.milliseconds(since: start))))
      await room.leave()
    } catch {
      visit.failure = "\(error)"
    }
    return visit
  }

  /// Returns with the first picture, or at the end of the room.
  private func watch(_ room: Room, since start: Instant, _ visit: inout Visit) async {
    // Retained until the first picture: a playback that is released stops.
    var playback: VideoPlayback?
    for await event in room.events() {
      switch event {
      case .trackSubscribed(let track) where track.kind == .video && playback == nil:
        visit.offered = Self.milliseconds(since: start)
        playback = try? VideoPlayback(track, backlog: 1)
      case .mediaConnectionChanged(.subscribe, connected: true) where visit.connected == nil:
        visit.connected = Self.milliseconds(since: start)
      case .firstFrame(let track) where track.kind == .video: visit.keyFrame = Self.milliseconds(since: start)
      case .firstVideoFrameDecoded(let track):
        visit.picture = Self.milliseconds(since: start)
        let packet = await room.statistics().remoteTracks.first { $0.trackId == track.trackId }?.firstPacketAt
        visit.packet = packet.map { Self.milliseconds(from: start, to: $0) }
        return
      default: break
      }
    }
  }

  private static func milliseconds(since start: Instant) -> Double { milliseconds(from: start, to: now) }

  private static func milliseconds(from start: Instant, to end: Instant) -> Double { Double(end - start) / 1000 }
}
