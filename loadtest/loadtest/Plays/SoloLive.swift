import RoomClient
import RoomProtocol

/// One anchor. Viewers watch the broadcast over RTMP, HTTP-FLV and HLS, and the anchor over WHEP and in the room.
struct SoloLive: Play {
  static let rtmp = Parameter("rtmp", 20, 0...900, "number of RTMP viewers")
  static let flv = Parameter("flv", 20, 0...900, "number of HTTP-FLV viewers")
  static let hls = Parameter("hls", 10, 0...200, "number of HLS viewers")
  static let whep = Parameter("whep", 20, 0...900, "number of WHEP viewers")
  static let guests = Parameter("guests", 10, 0...900, "number of viewers in the room")
  static let sample = Parameter("sample", 1, 0...10, "additional viewers of each kind that decode the media")
  static let warmup = Parameter("warmup", 8.0, 0...600, "seconds that the anchor is live before the first viewer joins")
  static let parameters = [rtmp, flv, hls, whep, guests, sample, warmup] + SignalSource.Settings.parameters

  private let values: ParameterValues

  init(_ values: ParameterValues) { self.values = values }

  func perform(on stage: Stage) async throws {
    let name = stage.name("solo")
    stage.recorder.phase("the anchor goes live")
    try await stage.make(.init(name: name))
    let anchor = try await Anchor.goLive(in: name, as: "anchor", .init(values, number: 0), on: stage)
    let streams = try StreamAudience(stage)
    let room = try RoomGuests(stage)
    let hls = HLSAudience(stage)
    var watchers: [RoomWatcher] = []
    do {
      // A stream that has just started has no backlog for its viewers yet.
      try await Task.sleep(for: .seconds(values[Self.warmup]))
      stage.recorder.phase("viewers join")
      try await come(anchor, streams, room, hls, stage)
      for number in 0..<values.count(Self.sample) {
        let guest = try await stage.join(name, as: "eye-\(number)", grants: .subscribe)
        watchers.append(RoomWatcher(guest, of: anchor.user, SignalWatch(anchor.settings, hasOneClock: false)))
      }
      await streams.allSee()
      try await Task.sleep(for: .seconds(1))
      await streams.begin()
      for watcher in watchers { _ = watcher.watch.take() }
      stage.recorder.phase("everyone watches")
      let eyes = watchers
      try await Span(values.duration).perform {
        await streams.tell()
        await room.tell(hearing: false)
        for eye in eyes { eye.watch.take().tell(stage.recorder, of: "room-decoded", seconds: 1) }
      }
    } catch {
      await leave(anchor, streams, room, hls, watchers, stage)
      throw error
    }
    await leave(anchor, streams, room, hls, watchers, stage)
  }

  private func come(
    _ anchor: Anchor, _ streams: StreamAudience, _ room: RoomGuests, _ hls: HLSAudience, _ stage: Stage
  ) async throws {
    for (kind, count) in [(WatchingProtocol.rtmp, Self.rtmp), (.flv, Self.flv)] {
      for _ in 0..<values.count(count) { try await streams.watch(anchor.stream, over: kind) }
      for _ in 0..<values.count(Self.sample) {
        try await streams.watch(anchor.stream, over: kind, watch: SignalWatch(anchor.settings, hasOneClock: true))
      }
    }
    for number in 0..<values.count(Self.hls) {
      await hls.watch(anchor.stream, decodes: number < max(1, values.count(Self.sample)))
    }
    let (whep, guests) = (values.count(Self.whep), values.count(Self.guests))
    try await Several.each(whep + guests, atOnce: 2) { number in
      do {
        if number < whep {
          try await room.watch(anchor.user, in: anchor.roomName, as: "whep-\(number)")
        } else {
          try await room.join(anchor.roomName, as: "guest-\(number)")
        }
      } catch {
        try Task.checkCancellation()
        stage.recorder.fail("viewer \(number): \(error)")
      }
    }
  }

  private func leave(
    _ anchor: Anchor, _ streams: StreamAudience, _ room: RoomGuests, _ hls: HLSAudience, _ watchers: [RoomWatcher],
    _ stage: Stage
  ) async {
    stage.recorder.phase("everyone leaves")
    await hls.leave()
    await streams.leave()
    await room.leave()
    for watcher in watchers { await watcher.leave() }
    await anchor.leave()
    await stage.close(anchor.roomName)
  }
}
