import ArgumentParser
import RoomClient
import RoomMedia
import RoomProtocol
import RoomStreaming

/// The programs of docs/client-guide.md and docs/streaming.md.
@main struct ClientGuide: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "client-guide",
    abstract: "Runs the examples of docs/client-guide.md and docs/streaming.md: an anchor, a PK, a voice room, a push.",
    subcommands: [Live.self, Battle.self, Watch.self, Host.self, Speak.self, Push.self, Check.self])

  struct ConnectionOptions: ParsableArguments {
    @Option(help: "The signalling address.") var url = "ws://127.0.0.1:8080/v1/signal"
    @Option(help: "A room token; each command lists the grants that it needs.") var token: String
  }

  struct Picture: ParsableArguments {
    @Option(
      help: "low1 to low3, medium1 to medium3, high1 to high3.",
      transform: { name in
        guard let preset = VideoPreset(rawValue: name) else { throw ValidationError("unknown preset \(name)") }
        return preset
      }) var preset = VideoPreset.medium1
  }

  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Checks the path to a server: its name, TCP, TLS and WebSocket. Fails if a step fails.")
    @Argument(help: "The signalling address.") var url = "ws://127.0.0.1:8080/v1/signal"

    func run() async throws {
      let check = try await NetworkCheck.run(url)
      for step in check.steps { print("\(step.step): \(step.failure ?? "ok"), \(step.milliseconds) ms") }
      if !check.passed { throw ExitCode.failure }
    }
  }

  struct Live: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Goes live and accepts every PK. Grants: publish, subscribe, admin, relay.")
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var picture: Picture
    @Argument(help: "rtmp://host/app/stream") var cdn: String

    func run() async throws {
      let anchor = try await goLive(connection.url, token: connection.token, to: cdn, preset: picture.preset)
      async let invitations: Void = answerInvitations(anchor.room)
      await printEvents(in: anchor.room)
      try await invitations
    }
  }

  struct Battle: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Goes live and holds a PK with another room's anchor. Grants: publish, subscribe, admin, relay.")
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var picture: Picture
    @Flag(help: "Move into the other room.") var move = false
    @Argument(help: "rtmp://host/app/stream") var cdn: String
    @Argument(help: "The other room.") var other: String

    func run() async throws {
      let anchor = try await goLive(connection.url, token: connection.token, to: cdn, preset: picture.preset)
      let rival = RoomName(other)
      let room = move ? try await battleAway(anchor.room, against: rival) : try await battle(anchor.room, against: rival)
      await printEvents(in: room)
    }
  }

  struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Watches a live room. Grant: subscribe.")
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
      try await watch(try await Room.connect(to: connection.url, token: connection.token))
    }
  }

  struct Push: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Pushes a test picture and a tone, without a room.")
    @OptionGroup var picture: Picture
    @Option(help: "The bearer token of a WHIP endpoint.") var token: String?
    @Argument(help: "rtmp://host/app/stream, rtmps://host/app/stream, or an endpoint of WHIP.") var url: String

    func run() async throws { try await push(to: url, token: token, preset: picture.preset) }
  }

  struct Host: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Hosts a voice room. Grants: publish, subscribe, admin.")
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
      try await host(try await Room.connect(to: connection.url, token: connection.token), title: "Friday evening")
    }
  }

  struct Speak: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Requests a seat in a voice room and speaks on it for a minute. Grant: subscribe.")
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
      let room = try await Room.connect(to: connection.url, token: connection.token)
      if try await !speak(in: room, for: .seconds(60)) { print("no seat") }
      await room.leave()
    }
  }
}
