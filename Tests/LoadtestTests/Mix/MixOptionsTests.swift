import ArgumentParser
import Testing

@testable import RoomLoadtest

@Suite("The options of loadtest mix")
struct MixOptionsTests {
  private func parse(_ arguments: String...) throws -> Mix {
    try #require(Loadtest.parseAsRoot(["mix"] + arguments) as? Mix)
  }

  @Test("without options, two upright programs of two sources each are measured for 20 s")
  func defaults() throws {
    let mix = try parse()
    #expect(mix.plan.programs == 2 && mix.plan.sources == 2 && mix.plan.publishers == 4)
    #expect(mix.plan.width == 720 && mix.plan.height == 1280 && mix.plan.fps == 24 && mix.plan.seconds == 20)
    // The server's default for that size.
    #expect(mix.plan.videoKilobits == 1548 && mix.plan.keyFrameInterval == 48)
    #expect(mix.clip == MixClip.Settings(width: 360, height: 640, fps: 24, kbps: 800))
    #expect(!mix.own.start && !mix.json && !mix.shared)
  }

  @Test("options are applied to the plan and the sources")
  func everything() throws {
    let mix = try parse(
      "--programs", "3", "--sources", "4", "--size", "1280x720", "--fps", "15", "--kbps", "900", "--source-size", "320x180",
      "--source-kbps", "200", "--seconds", "5.5", "--shared", "--start", "--roomserver-argument=--no-hls", "--json")
    #expect(mix.plan.programs == 3 && mix.plan.sources == 4 && mix.plan.publishers == 4 && mix.plan.isShared)
    #expect(mix.plan.width == 1280 && mix.plan.height == 720 && mix.plan.fps == 15 && mix.plan.seconds == 5.5)
    #expect(mix.plan.videoKilobits == 900)
    #expect(mix.clip == MixClip.Settings(width: 320, height: 180, fps: 15, kbps: 200))
    #expect(mix.own.start && mix.json && mix.own.roomserverArgument == ["--no-hls"])
  }

  @Test(
    "invalid options are rejected with a message that names the option",
    arguments: [
      ["--programs", "0"], ["--programs", "65"], ["--sources", "17"], ["--size", "721x1280"], ["--size", "720"],
      ["--size", "720x1280x2"], ["--size", "8x8"], ["--source-size", "4096x16"], ["--fps", "61"], ["--kbps", "10"],
      ["--source-kbps", "10"], ["--seconds", "0"], ["--programs", "17", "--shared"], ["--server-pid", "1", "--start"],
      ["--pk", "--programs", "3", "--sources", "4"],
    ])
  func refused(arguments: [String]) throws {
    let error = try #require(throws: (any Error).self) { try Loadtest.parseAsRoot(["mix"] + arguments) }
    #expect(Loadtest.fullMessage(for: error).contains(arguments[0]))
  }

  @Test("two sources are centred halves, and more are rows of equal cells within the canvas")
  func grid() {
    let halves = MixGrid(sources: 2, width: 720, height: 1280)
    #expect(halves.cells == [.init(x: 0, y: 320, width: 360, height: 640), .init(x: 360, y: 320, width: 360, height: 640)])
    #expect(halves.top == 320)
    for sources in 1...16 {
      let grid = MixGrid(sources: sources, width: 1280, height: 720)
      #expect(grid.cells.count == sources && Set(grid.cells.map { [$0.x, $0.y] }).count == sources)
      for cell in grid.cells {
        #expect([cell.x, cell.y, cell.width, cell.height].allSatisfy { $0 % 2 == 0 && $0 >= 0 })
        #expect(cell.x + cell.width <= 1280 && cell.y + cell.height <= 720)
      }
    }
  }
}
