import RoomRTMP
import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomLiveOrigin

/// Packagers and transcoders must survive any input from an encoder.
@Suite struct HostileMediaTests {
  private func broken(_ message: LiveMedia, _ random: inout SeededGenerator) -> LiveMedia {
    var payload = message.media.payload
    var time = message.time
    switch Int.random(in: 0..<8, using: &random) {
    case 0: payload = Array(payload.prefix(Int.random(in: 0...payload.count, using: &random)))
    case 1:
      for _ in 0..<4 where !payload.isEmpty {
        payload[Int.random(in: 0..<payload.count, using: &random)] = .random(in: 0...255, using: &random)
      }
    case 2 where payload.count > 1: payload[0] = .random(in: 0...255, using: &random)
    case 3: time = time.advanced(milliseconds: .random(in: -20_000...20_000, using: &random))
    case 4: time = MediaTime(milliseconds: .random(in: -1_000_000...(1 << 40), using: &random))
    default: break
    }
    return LiveMedia(
      MediaMessage(message.media.kind, at: time, payload: payload), time: time,
      isKeyFrame: message.isKeyFrame)
  }

  @Test("corrupt messages are dropped or passed on, and memory stays bounded", arguments: [UInt64(1), 2, 3, 4])
  func broken(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let settings = HLSSettings(window: 3, bytes: 1 << 20)
    let packager = HLSPackager(settings)
    let transcoder = try VariantTranscoder(try #require(StreamVariant("studio_176_144_10")))
    let source = try EncodedStream(.init(keyFrames: 10)).messages(until: 6000)
    for round in 0..<3 {
      for message in source {
        let message = broken(message, &random)
        packager.take([message], unixTime: 1_700_000_000_000)
        if round == 0 { _ = transcoder.take(message) }
        #expect(packager.window.keptBytes <= 2 << 20 && packager.window.listed.count <= 3)
      }
      #expect(!HLSPlaylist(packager.window, epoch: packager.epoch ?? 0, folder: "studio").text.isEmpty)
    }
    packager.finish()
    #expect(packager.window.hasEnded)
  }
}
