import Foundation
import RoomProtocol
import Testing

extension RealMedia {
  @Suite("The console and a room's settings")
  struct ConsoleSettingsTests {
    private struct Detail: Decodable {
      struct Settings: Decodable {
        var audience: RoomAudience
        var maxParticipants: Int
        var emptyTimeout: Int
        var seatsHost: Bool
      }
      var settings: Settings
    }

    @Test("an operator changes only the settings in the form; a number out of range is not sent")
    func change() async throws {
      try await withServer { server in
        #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"demo","maxParticipants":40}"#).status == 201)
        func settings() async throws -> Detail.Settings {
          let (status, body) = try await server.api("GET", "/v1/rooms/demo")
          #expect(status == 200)
          return try JSONDecoder().decode(Detail.self, from: body).settings
        }
        let user = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared())
        try await user.go("rooms/demo")
        try await user.click("[data-action=room-settings]")
        try await user.choose("voice", in: "#settings-audience")
        // Meanwhile another operator changes a setting that this one does not touch.
        #expect(try await server.api("PATCH", "/v1/rooms/demo", json: #"{"emptyTimeout":900}"#).status == 200)
        try await user.type("0", into: "#settings-maxParticipants")
        try await user.click("dialog[open] [data-action=confirm]")
        #expect(try await settings().audience == .mixed)
        try await user.type("7", into: "#settings-maxParticipants")
        try await user.click("dialog[open] [data-action=confirm]")
        try await user.reads("/settings were saved/", in: ".toasts")
        let now = try await settings()
        #expect(now.audience == .voice && now.maxParticipants == 7 && now.emptyTimeout == 900 && now.seatsHost)
        try await user.reportsNoErrors()
        try await user.page.close()
      }
    }
  }
}
