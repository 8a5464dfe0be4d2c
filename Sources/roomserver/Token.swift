import ArgumentParser
import Foundation
import RoomProtocol
import RoomServer
import RoomToken

/// `roomserver token`
struct Token: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Mint a token and print it.",
    discussion: """
      A room token lets one user join one room:

        roomserver token --room demo --user alice --grant publish,subscribe --ttl 2h

      An API token authorises calls of the REST API:

        roomserver token --api --ttl 1h
      """)

  @OptionGroup var keys: SectionFlags<AccessSection>

  @Flag(help: "Mint an API token instead of a room token.")
  var api = false

  @Option(help: ArgumentHelp("The room that the token is for.", valueName: "name"))
  var room: String?

  @Option(help: ArgumentHelp("The user that the token is for.", valueName: "name"))
  var user: String?

  @Option(
    help: ArgumentHelp(
      "The token's grants, separated by commas: publish, subscribe, admin, relay, hidden.", valueName: "grants"))
  var grant = "publish,subscribe"

  @Option(help: ArgumentHelp("The token's lifetime: a number with s, m, h or d.", valueName: "time"))
  var ttl = "2h"

  func run() async throws {
    let access = try ServeSettings(flags: keys.values).configuration(of: AccessSection.settings)
    guard let pair = try access.keys.all().first else {
      throw ValidationError("an API key is required: --key and --secret, or ROOMSERVER_KEY and ROOMSERVER_SECRET")
    }
    guard let ttl = TimeToLive(ttl) else { throw ValidationError("--ttl must be a number with s, m, h or d: 30s, 90m, 2h, 1d") }
    let expires = Date(timeIntervalSinceNow: Double(ttl.seconds))
    let keys = try TokenKeys([pair.name: pair.secret])
    if api {
      guard room == nil, user == nil else { throw ValidationError("--api can't be combined with --room and --user") }
      print(try keys.sign(APIToken(key: pair.name, expires: expires)))
      return
    }
    guard let room, let user else { throw ValidationError("--room and --user are required, or --api") }
    for (flag, name) in [("--room", room), ("--user", user)] where !NameRule.allows(name) {
      throw ValidationError("\(flag) must be \(NameRule.text)")
    }
    let names = grant.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    guard let grants = Grants(names: names) else {
      throw ValidationError("--grant accepts publish, subscribe, admin, relay, hidden")
    }
    print(try keys.sign(RoomToken(room: RoomName(room), user: UserID(user), grants: grants, expires: expires), key: pair.name))
  }
}
