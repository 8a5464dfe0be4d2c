import Foundation
import RoomClient
import RoomCodecs
import RoomMedia
import RoomProtocol
import RoomRelay
import RoomTestSupport
import Synchronization
import Testing

/// Tests what the CDN, a recording and the audience see of a stage that changes.
extension RealMedia {
  @Suite("The stage on air")
  struct StageProgramTests {
    private static let fps = 15.0

    /// The looks of the audience's mix.
    private final class Audience: Sendable {
      let looks = Mutex(StageLooks())
      let label = Mutex("")
      private let playing = Mutex<[VideoPlayback]>([])

      init(_ room: Room) {
        let events = room.events()
        Task { [weak self] in
          for await event in events {
            if case .trackSubscribed(let track) = event, track.kind == .video { self?.watch(track) }
          }
        }
      }

      private func watch(_ track: RemoteTrack) {
        guard let playback = try? VideoPlayback(track, backlog: 64) else { return }
        playing.withLock { $0.append(playback) }
        Task { [weak self, frames = playback.frames] in
          for await picture in frames {
            let look = StageLook(picture)
            self?.label.withLock { $0 = look.label }
            if track.userId == "@mix" { self?.looks.withLock { $0.add(look) } }
          }
        }
      }

      func sees(_ look: String) -> Bool { label.withLock { $0 } == look }
    }

    @Test(
      "solo, a guest, a PK, its end, the guest's end: one RTMP connection without a gap, the same picture at the CDN, in the recording and in @mix",
      .timeLimit(.minutes(4)))
    func stage() async throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "stage-\(UUID().uuidString)").path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let looks = Mutex(StageLooks())
      try await withServer(adjust: { configuration in
        configuration.relay.broadcasts.targets = try RelayTargets(parsing: ["127.0.0.1"])
        configuration.relay.recordings = .init(directory: folder)
        configuration.relay.mixCores = 8
      }) { server in
        let settings = #""stage":{"width":640,"height":360,"fps":15,"videoKbps":800,"preset":"ultrafast"}"#
        let pk =
          #""pk":{"width":640,"height":360,"fps":15,"videoKbps":800,"preset":"ultrafast","own":{"x":0,"y":90,"width":320,"height":180},"peer":{"x":320,"y":90,"width":320,"height":180}}"#
        for name in ["a", "b"] {
          let made = try await server.api("POST", "/v1/rooms", json: #"{"name":"\#(name)",\#(settings),\#(pk)}"#)
          #expect(made.status == 201, "\(String(decoding: made.body, as: UTF8.self))")
        }
        let sink = try RTMPSink { picture in
          let look = StageLook(picture)
          looks.withLock { $0.add(look) }
          return look.label
        }
        let all: Grants = [.publish, .subscribe, .relay, .admin]
        let host = try await Participant.join(server, room: "a", as: "host", grants: all)
        let peer = try await Participant.join(server, room: "b", as: "peer", grants: all)
        let listener = try await Participant.join(server, room: "a", as: "listener", grants: [.subscribe])
        let audience = Audience(listener.room)
        let side = SeatFrame(x: 0, y: 0.25, width: 0.5, height: 0.5)
        let other = SeatFrame(x: 0.5, y: 0.25, width: 0.5, height: 0.5)
        try await host.room.seats.setLayout(.custom, canvas: CanvasSize(width: 640, height: 360), frames: [side, other])
        try await host.publish(video: .h264, tone: 440, colour: 0)
        try await peer.publish(video: .h264, tone: 600, colour: 2)
        try await host.room.jobs.start(ForwardParams(jobId: "live", publishUrl: sink.url, follow: .stage))
        try await host.room.jobs.start(ForwardParams(jobId: "file", publishUrl: "file:show.mp4", follow: .stage))
        let log = JobLog(host.room)
        func isShown(_ look: String, mixed: Bool) async throws {
          try await eventually("the CDN shows \(look)") { try sink.shows(look, for: 1) }
          try await eventually("the audience sees \(look)") { audience.sees(look) }
          #expect(listener.room.remoteTracks.contains { $0.userId == "@mix" } == mixed)
        }
        try await isShown("host", mixed: false)

        let guest = try await Participant.join(server, room: "a", as: "guest", grants: [.publish, .subscribe])
        _ = try await guest.room.seats.take(1)
        try await guest.publish(video: .h264, tone: 800, colour: 1)
        try await isShown("host|guest", mixed: true)
        let mixes = try await server.metric("roomserver_mixes")
        #expect(mixes == 1, "the CDN, the recording and the audience share one encoder")

        try await Anchors.meet(host.room, in: "a", peer.room, in: "b")
        try await isShown("host|peer+guest", mixed: true)
        try await host.room.pk.quit()
        try await isShown("host|guest", mixed: true)
        try await guest.room.seats.leave()
        try await isShown("host", mixed: false)

        try await host.room.jobs.stop("live")
        try await host.room.jobs.stop("file")
        let recording = try await sink.received()
        // A status of the first second may precede the connection.
        let connections = log.reported.statuses.filter { $0.jobId == "live" }.map(\.connections)
        #expect(connections.last == 1 && connections.allSatisfy { $0 <= 1 }, "\(connections)")
        let expected = ["host", "host|guest", "host|peer+guest", "host|guest", "host"]
        let seen = looks.withLock { $0 }
        check(recording, seen, "the CDN", expected)
        try await eventually("the recording is complete") { try await server.metric("roomserver_recordings") == 0 }
        let (file, filed) = try read("\(folder)/show.mp4")
        check(file, filed, "the recording", expected)
        #expect(file.video?.color_space == "smpte170m" && file.video?.color_range == "tv")
        let mixed = audience.looks.withLock { $0 }
        #expect(mixed.shown == ["host|guest", "host|peer+guest", "host|guest"])
        for participant in [guest, listener, peer, host] { await participant.leave() }
      }
    }

    /// Reads a finished recording.
    private func read(_ file: String) throws -> (Recording, StageLooks) {
      let copy = file + ".flv"
      _ = try run(["ffmpeg", "-v", "error", "-y", "-i", file, "-c", "copy", copy])
      var looks = StageLooks()
      let reader = try GrowingRecording(copy) { picture in
        let look = StageLook(picture)
        looks.add(look)
        return look.label
      }
      _ = try reader.shows("", for: 0)
      return (try Recording(file), looks)
    }

    private func check(_ recording: Recording, _ looks: StageLooks, _ name: String, _ expected: [String]) {
      #expect(looks.shown == expected, "\(name): \(looks.labels)")
      // A frame may be empty until the first picture of its user is decoded.
      #expect(looks.labels.count <= expected.count + 4, "\(name): \(looks.labels)")
      #expect(looks.legible * 10 > looks.compositions * 8, "\(name): \(looks.legible) of \(looks.compositions) show two clocks")
      #expect(looks.frozen.isEmpty, "\(name): \(looks.frozen)")
      let pictures = recording.steps("video")
      let sounds = recording.steps("audio")
      // Lasts longer than an interval between pictures by at most two of them. The machine may stall the publishers.
      let long = pictures.filter { $0 > 3 / Self.fps + 0.002 }
      #expect(pictures.allSatisfy { $0 > 0 } && long.count <= 1, "\(name): \(long)")
      #expect(sounds.allSatisfy { $0 > 0.0205 && $0 < 0.0245 }, "\(name): \(sounds.filter { $0 < 0.0205 || $0 > 0.0245 })")
      print(
        "\(name): \(zip(looks.labels, looks.runs).map { "\($0) \($1)" }), \(looks.pictures) pictures, \(looks.legible) of \(looks.compositions) compositions with two clocks,",
        "the longest step \(Int((pictures.max() ?? 0) * 1000)) ms,",
        "audio steps \(Int((sounds.min() ?? 0) * 1000)) to \(Int((sounds.max() ?? 0) * 1000)) ms")
    }
  }
}
