import RoomProtocol
import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomClient

@Suite("A simulcast of this client, with a real server", .serialized, .timeLimit(.minutes(3)))
struct SimulcastTests {
  private static let layers = [
    VideoLayer(rid: "q", width: 160, height: 90, fps: 15, bitrate: 60_000),
    VideoLayer(rid: "h", width: 320, height: 180, fps: 15, bitrate: 150_000),
    VideoLayer(rid: "f", width: 640, height: 360, fps: 15, bitrate: 400_000),
  ]

  @Test("a receiver gets the layer that it selects, from a key frame on; unused layers are not sent")
  func layers() async throws {
    let stage = try await Stage()
    let ada = try await stage.join("ada")
    let bob = try await stage.join("bob")
    let events = bob.events()
    let camera = try LocalVideoTrack(codec: .vp8, layers: Self.layers)
    let wanted = Shared<[Set<String>]>([])
    let listener = Task { for await rids in camera.wantedLayers { wanted.withLock { $0.append(rids) } } }
    defer { listener.cancel() }
    try await ada.publishVideo(camera)
    let feeder = LayeredFeeder(camera)
    defer { feeder.stop() }
    let remote = try await subscribed(bob, events)
    #expect(remote.info.width == 640)
    // The layer of each received frame, and whether it is a key frame.
    let received = Shared<[(rid: String, isKeyFrame: Bool)]>([])
    let reader = Task {
      for await frame in remote.frames {
        let rid = Self.layers.first { LayeredFeeder.size($0) == frame.data.count }?.rid ?? "broken"
        received.withLock { $0.append((rid, frame.isKeyFrame)) }
      }
    }
    defer { reader.cancel() }
    @Sendable func last() -> String? { received.value.last?.rid }

    try await eventually("the largest layer arrives") { last() == "f" }
    #expect(wanted.value == [["q", "h", "f"]])
    for (limit, rid) in [(90, "q"), (200, "h"), (90, "q")] {
      try await remote.setReception(maxHeight: limit)
      try await eventually("the layer of \(limit) lines arrives") { last() == rid }
    }
    try await eventually("only the smallest layer is in use") { wanted.value.last == ["q"] }
    #expect(!camera.send(LayeredFeeder.frame(Self.layers[2], 0, isKeyFrame: true), layer: "f"))
    try await remote.setReception()
    try await eventually("the largest layer is in use again") { wanted.value.last?.contains("f") ?? false }
    try await eventually("the largest layer arrives again") { last() == "f" }

    let frames = received.value
    #expect(!frames.contains { $0.rid == "broken" })
    for (before, frame) in zip(frames, frames.dropFirst()) where frame.rid != before.rid { #expect(frame.isKeyFrame) }
    #expect(bob.state == .connected && ada.state == .connected)
    await ada.leave()
    await bob.leave()
    await stage.server.stop()
  }

  @Test("the statistics of the track are those of all layers")
  func statistics() async throws {
    let stage = try await Stage()
    let ada = try await stage.join("ada", options: .init(statisticsInterval: .milliseconds(300)))
    let events = ada.events()
    let camera = try LocalVideoTrack(codec: .vp8, layers: Self.layers)
    try await ada.publishVideo(camera)
    let feeder = LayeredFeeder(camera)
    defer { feeder.stop() }
    let track = try await ada.first("statistics of a running track", in: events) { event -> TrackStatistics? in
      guard case .statistics(let statistics) = event, let track = statistics.localTracks.first, track.fps > 10 else {
        return nil
      }
      return track
    }
    #expect((10...18).contains(track.fps), "of the pictures, not of the layers together")
    #expect(track.kbps > Double(LayeredFeeder.size(Self.layers[2])) * 8 * 10 / 1000)
    await ada.leave()
    await stage.server.stop()
  }

  @Test("a track has two or three layers with different names")
  func refused() {
    for layers in [
      [], [Self.layers[0]], Self.layers + [VideoLayer(rid: "x", width: 2, height: 2, fps: 1, bitrate: 1)],
      [Self.layers[0], Self.layers[0]], [Self.layers[0], VideoLayer(rid: "a b", width: 2, height: 2, fps: 1, bitrate: 1)],
    ] {
      #expect(throws: RoomClientError.self) { try LocalVideoTrack(codec: .vp8, layers: layers) }
    }
  }
}

/// Feeds each layer of a track with frames at 15 fps, whose size tells the layer, and with key frames on request.
private struct LayeredFeeder {
  private let tasks: [Task<Void, Never>]

  init(_ video: LocalVideoTrack) {
    let wishes = Shared(Set(video.layers.map(\.rid)))
    let requests = video.layerKeyFrameRequests
    tasks = [
      Task { for await rid in requests { _ = wishes.withLock { $0.insert(rid) } } },
      Task {
        var number = 0
        while !Task.isCancelled {
          for layer in video.layers {
            video.send(
              Self.frame(layer, number, isKeyFrame: wishes.withLock { $0.remove(layer.rid) != nil }),
              layer: layer.rid)
          }
          number += 1
          try? await Task.sleep(for: .milliseconds(66))
        }
      },
    ]
  }

  func stop() { for task in tasks { task.cancel() } }

  static func size(_ layer: VideoLayer) -> Int { 10 + layer.width * 3 }

  /// A VP8 frame with the size of its layer in the header of a key frame (RFC 6386 §9.1), and meaningless content.
  static func frame(_ layer: VideoLayer, _ number: Int, isKeyFrame: Bool) -> EncodedFrame {
    let (width, height) = (UInt16(layer.width), UInt16(layer.height))
    let head: [UInt8] =
      isKeyFrame
      ? [
        0x10, 0x02, 0x00, 0x9D, 0x01, 0x2A, UInt8(width & 0xFF), UInt8(width >> 8), UInt8(height & 0xFF), UInt8(height >> 8),
      ] : [0x11, 0x02, 0x00]
    let body = (0..<Self.size(layer) - head.count).map { UInt8(4 + ($0 &+ number) % 250) }
    return EncodedFrame(data: head + body, timestamp: UInt32(number * 6000), isKeyFrame: isKeyFrame)
  }
}
