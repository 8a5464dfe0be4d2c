import RoomProtocol
import Testing

@testable import RoomEngine

@Suite("The arrangement of everybody in a room")
struct RoomArrangementTests {
  private func people(_ count: Int) -> [RoomArrangement.Person] {
    (0..<count).map { RoomArrangement.Person(user: UserID("user\($0)"), name: "User \($0)") }
  }

  private func pictures(_ layouts: [TrackLayout]) -> [TrackLayout] { layouts.filter { $0.width != nil } }

  @Test("for any number of people, the layouts are valid, everybody is in the sound once, and no picture leaves the canvas")
  func any() {
    let styles: [RoomArrangement.Style] = [.grid, .speaker, .singleSpeaker] + LayoutType.allCases.map { .seats($0) }
    for style in styles {
      for count in [0, 1, 2, 3, 5, 7, 16, 17, 40] {
        for canvas in [(1280, 720), (720, 1280), (16, 16), (1920, 16)] {
          var all = people(count)
          if count > 2 { (all[1].screen, all[2].hasFace, all[2].screen) = ("TR_1", false, "TR_2") }
          let layouts = RoomArrangement(style).layouts(of: all, speaker: "user1", on: canvas)
          #expect(MergeParams.validationError(about: layouts, hasPictures: true) == nil, "\(style) \(count) \(canvas)")
          let users = layouts.compactMap(\.userId)
          #expect(Set(users).count == users.count && (count > 16 || users.count == count))
          for layout in pictures(layouts) where canvas.0 >= 64 && canvas.1 >= 64 {
            #expect((layout.x ?? -1) >= 0 && (layout.x ?? 0) + (layout.width ?? 0) <= canvas.0, "\(style) \(count): \(layout)")
            #expect((layout.y ?? -1) >= 0 && (layout.y ?? 0) + (layout.height ?? 0) <= canvas.1, "\(style) \(count): \(layout)")
          }
        }
      }
    }
  }

  @Test("a grid has rows of the same size") func grid() {
    let layouts = RoomArrangement(.grid).layouts(of: people(3), speaker: nil, on: (1280, 720))
    #expect(layouts.map(\.width) == [640, 640, 640] && layouts.map(\.height) == [360, 360, 360])
    #expect(layouts.map(\.x) == [0, 640, 320] && layouts.map(\.y) == [0, 0, 360] && layouts[0].placeholder == "User 0")
  }

  @Test("the speaker is large, and a screen before it") func speaker() {
    let arrangement = RoomArrangement(.speaker)
    var all = people(3)
    let layouts = arrangement.layouts(of: all, speaker: "user2", on: (1280, 720))
    #expect(layouts.first { $0.width == 1024 }?.userId == "user2" && pictures(layouts).count == 3)
    all[0].screen = "TR_screen"
    let shared = arrangement.layouts(of: all, speaker: "user2", on: (1280, 720))
    #expect(shared.first { $0.width == 1024 }?.trackId == "TR_screen" && pictures(shared).count == 4)
    let single = RoomArrangement(.singleSpeaker, isSilent: true).layouts(of: people(3), speaker: "user1", on: (1280, 720))
    #expect(pictures(single).map(\.userId) == ["user1"] && single.allSatisfy { $0.gain == 0 } && single.count == 3)
    #expect(pictures(arrangement.layouts(of: all, speaker: nil, on: nil)).isEmpty)
  }
}
