import ArgumentParser

/// Bots that use a room like real users.
@main
struct Loadtest: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "loadtest", abstract: "Bots that publish test signals into rooms and receive each other.",
    subcommands: [
      Run.self, Compare.self, Demo.self, Fanout.self, FirstPicture.self, Viewers.self, Voice.self, Crowd.self, Mix.self,
      Link.self, Network.self, Upgrade.self, Handover.self, JoinRate.self, Floor.self,
    ])
}
