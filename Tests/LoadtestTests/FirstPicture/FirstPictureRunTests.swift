import Foundation
import RoomServer
import roomserver
import Testing

@testable import RoomLoadtest

@Suite("loadtest first-picture against a server", .serialized)
struct FirstPictureRunTests {
  private static let secret = "a secret of the tests, of at least 32 bytes"

  private func measure(_ plan: FirstPicturePlan, secret: String = Self.secret) async throws -> FirstPictureResult {
    var configuration = ServerConfiguration(keys: ["test": Self.secret])
    configuration.autoCreateRooms = true
    let server = try await RoomServer.start(configuration)
    return try await running {
      let address = try RoomserverAddress(
        "ws://127.0.0.1:\(server.port)/v1/signal", await TokenMint(key: "test", secret: secret))
      let measured = MeasuredServer(
        target: address, pid: ProcessInfo.processInfo.processIdentifier, metrics: address.metrics)
      let media = try RecordedMedia(bitrate: 300_000, keyFrameInterval: 50, seed: 1, hasNoisyKeyFrame: false)
      return try await FirstPictureRun(plan, media, "own", measured, ProgressLine(isWanted: false)).measure()
    } end: {
      await server.stop()
    }
  }

  @Test("everybody sees a picture, and the steps of a join are in order")
  func small() async throws {
    let result = try await measure(FirstPicturePlan(rate: 5, seconds: 2, stay: 0.5, room: "r"))
    #expect(result.isValid, "\(result.failure ?? "")")
    #expect(result.joins == 10 && result.failures == 0)
    #expect(0 < result.joined.p50 && result.joined.p50 < result.offered.p50 && result.offered.p50 < result.pictureP50)
    #expect(0 < result.packet.p50 && result.packet.p50 < result.keyFrame.p50)
    // The event of the key frame and its picture reach the bot by different tasks.
    #expect(result.packet.p50 < result.pictureP50)
    #expect(result.connected.p50 > 0)
    #expect(result.pictureP99 >= result.pictureP50)
    #expect((result.startsFromRing ?? 0) + (result.keyFrameRequests ?? 0) > 0)
  }

  @Test("a server that rejects the publisher ends the run with its reason")
  func refused() async throws {
    let error = await #expect(throws: LoadtestError.self) {
      _ = try await measure(
        FirstPicturePlan(rate: 5, seconds: 1, stay: 0, room: "r"), secret: "another secret, also of at least 32 bytes")
    }
    #expect(error.map { "\($0)".hasPrefix("join:") } == true)
  }

  @Test("recorded media has the key frames that were asked for")
  func keyFrames() throws {
    let media = try RecordedMedia(bitrate: 200_000, keyFrameInterval: 75, seed: 1)
    #expect(media.video.count == 300)
    #expect(media.video.indices.filter { media.video[$0].isKeyFrame } == [0, 75, 150, 225])
  }
}
