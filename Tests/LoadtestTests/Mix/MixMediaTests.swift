import Foundation
import Testing

@testable import RoomLoadtest

@Suite("The sources of loadtest mix")
struct MixMediaTests {
  @Test("a byte stream is split at its delimiters, with either start code")
  func units() {
    let key: [UInt8] = [0, 0, 0, 1, 0x67, 1, 2, 0, 0, 1, 0x09, 0xF0, 0, 0, 0, 1, 0x65, 0x88, 7]
    let next: [UInt8] = [0, 0, 0, 1, 0x09, 0xF0, 0, 0, 1, 0x41, 0x9A, 8]
    let pictures = AccessUnits.pictures(of: key + next + next)
    #expect(
      pictures == [
        .init(data: [0, 0, 0, 1, 0x67, 1, 2, 0, 0, 0, 1, 0x65, 0x88, 7], isKeyFrame: true),
        .init(data: [0, 0, 0, 1, 0x41, 0x9A, 8], isKeyFrame: false),
        .init(data: [0, 0, 0, 1, 0x41, 0x9A, 8], isKeyFrame: false),
      ])
    #expect(AccessUnits.pictures(of: []).isEmpty && AccessUnits.pictures(of: [0, 0, 1]).isEmpty)
    #expect(AccessUnits.pictures(of: [0, 0, 1, 9, 0xF0, 0, 0, 1]).isEmpty)
  }

  @Test("packets of an Ogg file continue across segments and pages, and an invalid page ends them")
  func ogg() {
    func page(_ segments: [UInt8], _ body: [UInt8]) -> [UInt8] {
      Array("OggS".utf8) + [UInt8](repeating: 0, count: 22) + [UInt8(segments.count)] + segments + body
    }
    let long = [UInt8](repeating: 7, count: 300)
    let file = page([2, 255], [1, 2] + long.prefix(255)) + page([45, 0, 1], long.suffix(45) + [9])
    #expect(OggPackets.packets(of: file) == [[1, 2], long, [], [9]])
    #expect(OggPackets.packets(of: file + page([5], [1])) == [[1, 2], long, [], [9]])
    #expect(OggPackets.packets(of: Array("no Ogg at all, but long enough".utf8)).isEmpty)
  }

  @Test("a clip has complete video and audio, with a key frame every two seconds")
  func clip() async throws {
    let folder = try ServerProcess.folder("mix-test")
    defer { try? FileManager.default.removeItem(at: folder) }
    let settings = MixClip.Settings(width: 160, height: 90, fps: 10, kbps: 100, seconds: 4)
    let clips = try await MixClipEncoder.clips(2, settings, in: folder)
    for clip in clips {
      #expect(clip.pictures.count == 40 && clip.packets.count == 200)
      #expect(clip.pictures.indices.filter { clip.pictures[$0].isKeyFrame } == [0, 20])
    }
    #expect(clips[0].pictures[0] != clips[1].pictures[0] && clips[0].file != clips[1].file)

    // ffmpeg's cost for the same work: above zero, and less than a core for each part.
    let bare = BaselineCost(plan: MixPlan(sources: 2, width: 160, height: 320, fps: 10, seconds: 4), clips: clips)
    for step in BaselineStep.allCases {
      let cores = try await bare.measure(step)
      #expect(cores < 1, "\(step)")
    }
    await #expect(throws: LoadtestError.self) { try await FFmpeg.run(["-i", folder.appending(path: "nothing").path]) }
  }
}
