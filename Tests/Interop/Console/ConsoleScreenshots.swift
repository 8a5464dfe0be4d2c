import Foundation
import RoomProtocol
import Testing

/// The folder to put pictures of the console into, where somebody wants some.
private let folder = ProcessInfo.processInfo.environment["CONSOLE_SCREENSHOTS"].map {
  URL(filePath: $0, directoryHint: .isDirectory)
}

extension RealMedia {
  /// Takes pictures of the console with a live room: `CONSOLE_SCREENSHOTS=/tmp/pictures swift test --filter ConsoleScreenshots`.
  @Suite("Pictures of the console", .enabled(if: folder != nil))
  struct ConsoleScreenshots {
    private struct Screen {
      let name: String
      let width: Int
      let height: Int
      let scale: Double
    }

    @Test("desk and phone, light and dark", .timeLimit(.minutes(10)))
    func take() async throws {
      let folder = try #require(folder)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try await withServer { server in
        let chromium = try Chromium.shared()
        var users: [ConsoleUser] = []
        for name in ["maya", "jonas", "amira", "leo"] {
          let user = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: chromium, as: name)
          if users.isEmpty {
            for room in ["all-hands", "design-review", "support-eu"] {
              try await user.go("rooms")
              try await user.click("[data-action=new-room]")
              try await user.type(room, into: "dialog[open] input")
              try await user.click("dialog[open] [data-action=confirm]")
              try await user.reads("/\(room)/", in: "h1")
            }
          }
          try await user.go("rooms/design-review")
          try await user.join(as: name)
          users.append(user)
          try await Task.sleep(for: .seconds(15))
        }
        let operation = try #require(users.last)
        try await operation.page.front()
        // So that lines have a past.
        try await Task.sleep(for: .seconds(60))
        let screens = [
          Screen(name: "desk", width: 1440, height: 900, scale: 1), Screen(name: "phone", width: 390, height: 844, scale: 2),
        ]
        for route in ["rooms/design-review", "rooms", "server"] {
          try await operation.go(route)
          for screen in screens {
            for dark in [false, true] {
              try await operation.page.show(
                width: screen.width, height: screen.height, scale: screen.scale, mobile: screen.name == "phone", dark: dark)
              // Views are fitted anew, and have to hear something first.
              try await Task.sleep(for: .seconds(4))
              let name = "\(screen.name)-\(dark ? "dark" : "light")-\(route.split(separator: "/").last ?? "").jpg"
              try await operation.page.picture().write(to: folder.appending(path: name))
            }
          }
        }
        for user in users { try await user.page.close() }
      }
    }
  }
}
