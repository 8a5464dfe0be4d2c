import ArgumentParser
import Foundation
import RoomLiveOrigin
import RoomProtocol
import RoomServer
import RoomToken

/// The keys that sign URLs.
enum SigningSection: SettingSection {
  static let title = "Signing"
  static let settings = OriginSection.settings.filter { ["publish-key", "play-key"].contains($0.key) }
}

/// `roomserver sign-url`
struct SignURL: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-url",
    abstract: "Sign a URL to play, watch or publish, and print it.",
    discussion: """
      The URL of a stream, its watch page included, is signed with --play-key, or with --publish-key to publish:

        roomserver sign-url http://127.0.0.1:8080/live/studio.flv
        roomserver sign-url --publish rtmp://127.0.0.1/live/studio

      The URL of a room's watch page gets a token for one viewer:

        roomserver sign-url http://127.0.0.1:8080/watch/demo --ttl 1d
      """)

  @Argument(help: ArgumentHelp("The URL, without a query.", valueName: "url"))
  var url: String

  @OptionGroup var origin: SectionFlags<SigningSection>
  @OptionGroup var keys: SectionFlags<AccessSection>

  @Flag(help: "Sign a URL to publish.")
  var publish = false

  @Option(help: ArgumentHelp("For a room's watch page: the viewer's name. Default a random one.", valueName: "name"))
  var user: String?

  @Option(
    help: ArgumentHelp("For a room's watch page: the token's lifetime: a number with s, m, h or d.", valueName: "time"))
  var ttl = "1d"

  func run() async throws {
    guard let parts = url.wholeMatch(of: /([a-z]+):\/\/[^\/?#\s]+(\/[^?#\s]*)/) else {
      throw ValidationError("the URL must have a scheme, a host and a path, and no query: \(url.prefix(200))")
    }
    let isRTMP = parts.1.hasPrefix("rtmp")
    let path = String(parts.2)
    let segments = path.split(separator: "/")
    if !publish, !isRTMP, segments.count == 2, segments[0] == "watch" {
      return print("\(url)?token=\(try token(room: String(segments[1])))")
    }
    let settings = try ServeSettings(flags: origin.values.merging(keys.values) { $1 })
      .configuration(of: SigningSection.settings)
    let key = publish ? settings.publishKey : settings.playKey
    let flag = publish ? "publish-key" : "play-key"
    guard let key else {
      throw ValidationError("a key is required: --\(flag), or ROOMSERVER_\(publish ? "PUBLISH" : "PLAY")_KEY")
    }
    let protection = HotlinkProtection(publish: .init(key: key), play: .init(key: key))
    let query = protection.query(
      path: path, for: publish ? .publish : .play, unixTime: Int64(Date().timeIntervalSince1970))
    print("\(url)?\(query ?? "")")
  }

  private func token(room: String) throws -> String {
    let access = try ServeSettings(flags: keys.values).configuration(of: AccessSection.settings)
    guard let pair = try access.keys.all().first else {
      throw ValidationError("an API key is required: --key and --secret, or ROOMSERVER_KEY and ROOMSERVER_SECRET")
    }
    guard let ttl = TimeToLive(ttl) else { throw ValidationError("--ttl must be a number with s, m, h or d: 30s, 90m, 2h, 1d") }
    let user = user ?? "viewer-\(UUID().uuidString.prefix(8).lowercased())"
    for (name, text) in [("the room", room), ("--user", user)] where !NameRule.allows(text) {
      throw ValidationError("\(name) must be \(NameRule.text)")
    }
    let token = RoomToken(
      room: RoomName(room), user: UserID(user), grants: [.subscribe, .hidden],
      expires: Date(timeIntervalSinceNow: Double(ttl.seconds)))
    return try TokenKeys([pair.name: pair.secret]).sign(token, key: pair.name)
  }
}
