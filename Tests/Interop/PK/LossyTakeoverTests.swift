import Foundation
import RoomClient
import RoomLinkModel
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

/// Tests takeovers while packets of the anchors are lost.
extension RealMedia {
  @Suite("PK takeovers with lossy uplinks")
  struct LossyTakeoverTests {
    /// Lasts longer than an interval between pictures by at most two of them, in seconds.
    private static let longestStep = 3.0 / Double(FlashAndBeep.fps) + 0.002

    @Test(
      "with 5 % loss on both uplinks, each publish URL gets one connection, AAC without a gap, and no step of over 3 pictures",
      .timeLimit(.minutes(20)))
    func takeovers() async throws {
      let rounds = TestLength.pick(3, long: 50)
      try await withServer(adjust: Anchors.settings(.separate)) { server in
        try await Anchors.makeRooms(server)
        let up = LinkConditions(loss: 0.05, delay: 20_000, jitter: 5_000)
        let network = BadNetwork(toServer: up, toClients: LinkConditions(delay: 20_000), seed: 100)
        let sources = try Anchors.names.map { try Anchors.source($0) }
        let sinks = [try RTMPSink(), try RTMPSink()]
        var anchors: [Room] = []
        for (index, name) in Anchors.names.enumerated() {
          anchors.append(
            try await Anchors.live(server, name, sources[index], to: sinks[index].url, through: network))
        }
        let logs = anchors.map { JobLog($0) }
        try await areShown(sinks, together: false)
        for round in 0..<rounds {
          try await Anchors.meet(anchors[0], anchors[1])
          try await areShown(sinks, together: true)
          try await anchors[(round + 1) % 2].pk.quit()
          try await eventually("the PK is over") { [anchors] in anchors.allSatisfy { $0.pk.current == nil } }
          try await areShown(sinks, together: false)
        }
        #expect(network.lost.toServer > 50)
        for anchor in anchors { try await anchor.jobs.stop("live") }
        for (index, name) in Anchors.names.enumerated() {
          let recording = try await sinks[index].received()
          #expect(logs[index].reported.statuses.last?.connections == 1)
          // The first attempt may come before ffmpeg listens.
          #expect(logs[index].states.drop { $0 != "connected" } == ["connected"], "\(logs[index].states)")
          let seen = try Seen(sinks[index].file)
          #expect(seen.looks.count == 2 * rounds + 1, "\(name): \(seen.looks)")
          check(recording, of: name, sources[index], seen)
          try await decodes(sinks[index].file)
          let steps = zip(seen.runs.dropFirst(), seen.runs).map { $0.from - $1.to }
          print("\(name): \(2 * rounds) takeovers, the longest step between looks \(milliseconds(steps.max())) ms")
        }
        for anchor in anchors { await anchor.leave() }
      }
    }

    private func areShown(_ sinks: [RTMPSink], together: Bool) async throws {
      for (index, name) in Anchors.names.enumerated() {
        let look = together ? "\(name)|\(Anchors.names[1 - index])" : name
        try await eventually("\(name)'s URL shows \(look)") { try sinks[index].shows(look, for: 0.5) }
      }
    }

    private func check(_ recording: Recording, of name: String, _ source: FlashAndBeep, _ seen: Seen) {
      let pictures = recording.steps("video")
      for (time, step) in zip(recording.times("video"), pictures) where step > Self.longestStep {
        let looks = [time, time + step].map { time in seen.runs.last { $0.from <= time }?.look ?? "" }
        print("\(name): a step of \(milliseconds(step)) ms at \(time) s, from \(looks[0]) to \(looks[1])")
      }
      let long = pictures.filter { $0 > Self.longestStep }
      #expect(pictures.allSatisfy { $0 > 0 })
      // The machine may stall the anchor, whose pictures then come late or not at all.
      let stalls = source.stalls
      #expect(long.count <= stalls.count && long.allSatisfy { $0 < Self.longestStep + 2 * stalls.longest }, "\(name): \(long)")
      let sounds = recording.steps("audio")
      // 1024 samples at 44.1 kHz in whole milliseconds.
      #expect(sounds.allSatisfy { $0 > 0.0225 && $0 < 0.0245 }, "\(name): \(sounds.filter { $0 < 0.0225 || $0 > 0.0245 })")
      let times = recording.times("audio")
      let length = (times.last ?? 0) - (times.first ?? 0)
      #expect(abs(length - Double(times.count - 1) * 1024 / 44_100) < 0.002, "\(length) s of \(times.count) frames")
      print(
        "\(name): \(pictures.count + 1) pictures, steps of up to \(milliseconds(pictures.max())) ms, \(long.count) too long;",
        "\(times.count) AAC frames, steps of \(milliseconds(sounds.min())) to \(milliseconds(sounds.max())) ms;",
        "\(source.droppedPictures) pictures never left, the machine stalled \(stalls.count) times, \(milliseconds(stalls.longest)) ms at most"
      )
    }

    /// Decodes a file with ffmpeg, which prints what it cannot decode.
    private func decodes(_ file: String) async throws {
      // In ticks of a frame, which are ffmpeg's default, two pictures at a takeover may have the same time.
      let ffmpeg = try Program("ffmpeg", ["-v", "error", "-i", file, "-enc_time_base", "1:1000", "-f", "null", "-"])
      #expect(try await ffmpeg.finish(within: .seconds(120)) == 0)
      #expect(ffmpeg.text == "")
    }

    private func milliseconds(_ seconds: Double?) -> Int { Int(((seconds ?? 0) * 1000).rounded()) }
  }
}
