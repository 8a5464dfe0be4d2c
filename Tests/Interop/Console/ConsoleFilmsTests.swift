import Foundation
import RoomChromium
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("Films in the console", .enabled(if: NginxFiles.isInstalled))
  struct ConsoleFilmsTests {
    @Test("a host plays a URL for the room, pauses it, sees its end; a source that is refused says why")
    func plays() async throws {
      let files = try await NginxFiles()
      try await Film.make(files.folder.appending(path: "film.mp4"), seconds: 60, video: Film.passing)
      try await withServer(adjust: { try $0.players.setNetworks(["127.0.0.1/32"]) }) { server in
        #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"cinema"}"#).status == 201)
        let chromium = try Chromium.shared()
        let operation = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: chromium, ownWindow: true)
        try await operation.go("rooms/cinema")
        try await operation.click("[data-action=play-url]")
        try await operation.type(files.url("film.mp4"), into: "#film-url")
        try await operation.click("dialog[open] [data-action=confirm]")
        try await operation.sees("[data-film=player-1][data-state=playing]")
        try await operation.reads("/1:00/", in: "[data-film=player-1] .number")

        let host = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: chromium, ownWindow: true)
        try await host.go("rooms/cinema")
        try await host.listen(as: "maya")
        try await host.watches("player-1")
        try await host.hears()
        try await host.click("[data-film=player-1] .film-controls button")
        try await operation.sees("[data-film=player-1][data-state=paused]")
        try await host.click("[data-film=player-1] .film-controls button")
        try await operation.sees("[data-film=player-1][data-state=playing]")
        try await host.click("[data-film=player-1] .film-controls .danger")
        for user in [host, operation] { try await user.seesNo("[data-film]") }

        try await host.click("[data-action=play-url]")
        try await host.type(files.url("film.mp4", host: "127.0.0.2"), into: "#film-url")
        try await host.click("dialog[open] [data-action=confirm]")
        try await host.reads("/127.0.0.2 is in a network that players may not reach/", in: "#toasts")
        for user in [operation, host] { try await user.page.close() }
      }
    }
  }
}
