import Foundation
import RoomChromium
import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing

extension RealMedia {
  /// Recording a room in the console, and the list of recordings.
  @Suite("Recordings in the console")
  struct ConsoleRecordingsTests {
    /// A directory that is removed with the test.
    private final class Folder {
      let path = FileManager.default.temporaryDirectory.appending(path: "console-recordings-\(UUID().uuidString)").path

      init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

      deinit { try? FileManager.default.removeItem(atPath: path) }

      var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter { !$0.hasPrefix(".") }.sorted()
      }

      func bytes(_ name: String) -> Data? { FileManager.default.contents(atPath: "\(path)/\(name)") }
    }

    private static let row = "[data-recording^='party-']"
    private static let video = "document.querySelector('dialog[open] video')"

    @Test("a live is recorded; the file is listed, plays, seeks, is downloaded byte for byte, and deleted after a question")
    func whole() async throws {
      let (folder, downloads) = (try Folder(), try Folder())
      try await withServer(adjust: { $0.relay.recordings = .init(directory: folder.path) }) { server in
        let chromium = try Chromium()
        let host = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: chromium, ownWindow: true)
        try await host.go("recordings")
        try await host.reads("/press Record/", in: ".empty")
        try await host.goLive(as: "maya", room: "party", url: "rtmp://origin/live/party")
        try await host.sees(".on-air[data-phase=live]")

        // Hosts record by their session. Everybody in the room sees the mark; the live stream keeps its own.
        try await host.click("[data-action=record]")
        try await host.sees("[data-action=record].active")
        try await host.page.wait(until: "document.querySelector('[data-action=record]').ariaLabel === 'Stop recording'")
        try await host.reads("/^Recording0:0[1-9]/", in: "[data-mark=recording]")
        try await host.reads("/^Live/", in: ".on-air[data-phase=live]")
        let guest = try await ConsoleUser.signIn(
          server, token: try await server.token(user: "guest", room: "party", grants: [.subscribe]), in: chromium,
          ownWindow: true)
        try await guest.click("[data-action=watch]")
        try await guest.sees("[data-mark=recording]")
        try await guest.seesNo("[data-action=record]")
        try await guest.page.close()

        // It is listed while it grows, and can't be deleted.
        let name = try #require(folder.names.first)
        let operatorUser = try await ConsoleUser.signIn(
          server, token: try server.apiToken(), in: chromium, ownWindow: true)
        try await operatorUser.go("recordings")
        try await operatorUser.sees("\(Self.row)[data-state=writing]")
        try await operatorUser.page.wait(until: "document.querySelector('[data-action=delete]').disabled")
        try await operatorUser.reads("/0:(0[6-9]|[1-5]\\d)/", in: "\(Self.row) .length")

        // An operator outside the room stops it.
        try await operatorUser.go("rooms/party")
        try await operatorUser.click("[data-action=record].active")
        try await operatorUser.seesNo("[data-action=record].active")
        try await host.seesNo("[data-mark=recording]")
        try await host.sees(".on-air[data-phase=live]")
        try await host.reads("/has ended/", in: ".toasts")
        try await operatorUser.go("recordings")
        try await operatorUser.sees("\(Self.row)[data-state=ready]")
        try await operatorUser.reads("/H\\.264 \\d+×\\d+, AAC/", in: "\(Self.row) .track")
        try await operatorUser.reads("/^party$/", in: "\(Self.row) .room-name")

        // Played by the keyboard, and sought.
        let _: Bool = try await operatorUser.page.evaluate("(document.querySelector('[data-action=play]').focus(), true)")
        try await operatorUser.page.press("Enter")
        try await operatorUser.plays("dialog[open] video")
        let duration: Double = try await operatorUser.page.evaluate("\(Self.video).duration")
        #expect(duration > 5)
        for time in [duration - 1, 1, duration / 2] {
          let _: Bool = try await operatorUser.page.evaluate(
            "(\(Self.video).pause(), \(Self.video).currentTime = \(time), true)")
          try await operatorUser.page.wait(
            until:
              "!\(Self.video).seeking && Math.abs(\(Self.video).currentTime - \(time)) < 0.1 && \(Self.video).readyState >= 2")
        }
        try await operatorUser.page.press("Escape")
        try await operatorUser.seesNo("dialog[open]")

        // Downloaded.
        let recorded = try #require(folder.bytes(name))
        try await operatorUser.chromium.saveDownloads(in: downloads.path)
        try await operatorUser.click("[data-action=download]")
        try await eventually("the file is downloaded") { downloads.bytes(name)?.count == recorded.count }
        #expect(downloads.bytes(name) == recorded)

        // Found by its room, on a phone as well.
        try await operatorUser.choose("elsewhere", in: "#recordings-room")
        try await operatorUser.reads("/No recordings of elsewhere/", in: ".empty")
        try await operatorUser.choose("party", in: "#recordings-room")
        try await operatorUser.sees(Self.row)
        try await operatorUser.chromium.show(width: 390, height: 844, mobile: true)
        for action in ["play", "download", "delete"] { try await operatorUser.sees("\(Self.row) [data-action=\(action)]") }
        #expect(try await operatorUser.page.evaluate("document.documentElement.scrollWidth") as Int == 390)

        // Deleted after a question.
        try await operatorUser.click("[data-action=delete]")
        try await operatorUser.reads("/cannot be undone/", in: "dialog[open]")
        try await operatorUser.page.press("Escape")
        try await operatorUser.seesNo("dialog[open]")
        #expect(folder.names == [name])
        try await operatorUser.click("[data-action=delete]")
        try await operatorUser.click("dialog[open] [data-action=confirm]")
        try await operatorUser.seesNo(Self.row)
        #expect(folder.names == [])
        for user in [host, operatorUser] {
          try await user.reportsNoErrors()
          try await user.page.close()
        }
      }
    }

    @Test("a recording that cannot start says why, in the room and in the list; also in Chinese")
    func refused() async throws {
      try await withServer { server in
        let host = try await ConsoleUser.signIn(
          server, token: try await server.token(user: "host", room: "show", grants: [.publish, .subscribe, .admin, .relay]),
          in: .shared(), ownWindow: true)
        try await host.seesNo("[data-action=record]")
        try await host.join(as: "host")
        try await host.click("[data-action=record]")
        try await host.reads("/did not start.*--recordings/", in: "dialog[open]")
        try await host.click("dialog[open] [data-action=close]")
        try await host.seesNo("[data-mark=recording]")
        try await host.page.close()
        let reader = try await ConsoleUser.signIn(
          server, token: try server.apiToken(), in: .shared(), ownWindow: true, with: ConsoleUser.inChinese)
        try await reader.go("recordings")
        try await reader.reads("/未启用录制.*--recordings/", in: ".empty")
        try await reader.page.close()
      }
      let folder = try Folder()
      try await withServer(adjust: { $0.relay.recordings = .init(directory: folder.path) }) { server in
        #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"show"}"#).status == 201)
        let user = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared(), ownWindow: true)
        try await user.go("rooms/show")
        try await user.click("[data-action=record]")
        try await user.reads("/Nobody sends/", in: "dialog[open]")
        try await user.click("dialog[open] [data-action=close]")
        try await user.join(as: "maya")
        try FileManager.default.removeItem(atPath: folder.path)
        try await user.click("[data-action=record]")
        try await user.reads("/No such file/", in: "dialog[open]")
        try await user.click("dialog[open] [data-action=close]")
        try await user.page.close()
      }
    }
  }
}
