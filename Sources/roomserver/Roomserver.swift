import ArgumentParser

/// The command line: `roomserver serve` runs a server, `roomserver token` mints tokens for it, `roomserver sign-url` signs URLs,
/// `roomserver config` shows its settings.
@main
struct Roomserver: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "roomserver",
    abstract: "A room server: WebRTC media between the participants of rooms.",
    discussion: """
      To try it on this machine:

        roomserver serve --dev

      It prints a key, its secret, and a token to join with.
      """,
    subcommands: [Serve.self, Token.self, SignURL.self, Config.self, ReadMedia.self])
}
