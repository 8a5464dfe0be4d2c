import ArgumentParser
import RoomServer

/// The STUN and TURN servers that clients are told of, from flags or the environment.
struct ICEServerOptions: ParsableArguments {
  @Option(
    name: .customLong("ice-server"),
    help: ArgumentHelp(
      "A STUN or TURN server for clients: stun:host:port, turn:host:port?transport=udp, turns:host:port. May be repeated.",
      valueName: "url"))
  var urls: [String] = []

  @Option(
    help: ArgumentHelp(
      "The secret of the TURN servers (coturn: static-auth-secret): each client gets credentials of its own that expire. "
        + "Else ROOMSERVER_TURN_SECRET, which others can't see.", valueName: "secret"))
  var turnSecret: String?

  @Option(
    help: ArgumentHelp("Seconds for which credentials made from the secret are good. Default 86400.", valueName: "seconds"))
  var turnLifetime: UInt32?

  @Option(help: ArgumentHelp("The user name for the TURN servers, where they have no secret.", valueName: "name"))
  var turnUsername: String?

  @Option(
    help: ArgumentHelp("The password to --turn-username. Else ROOMSERVER_TURN_CREDENTIAL.", valueName: "password"))
  var turnCredential: String?

  /// One setting for the STUN URLs, one for the TURN URLs.
  func settings(_ environment: ServeEnvironment) throws -> [ICEServerSetting] {
    let urls = urls.isEmpty ? environment.list("ICE_SERVER") : urls
    let secret = turnSecret ?? environment.text("TURN_SECRET")
    let username = turnUsername ?? environment.text("TURN_USERNAME")
    let credential = turnCredential ?? environment.text("TURN_CREDENTIAL")
    let lifetime: UInt32 = try turnLifetime ?? environment.number("TURN_LIFETIME") ?? 86_400
    let turn = urls.filter { $0.hasPrefix("turn") }
    let others = urls.filter { !$0.hasPrefix("turn") }
    var settings = others.isEmpty ? [] : [ICEServerSetting(urls: others)]
    switch (secret, username, credential) {
    case (nil, nil, nil):
      guard turn.isEmpty else {
        throw ValidationError("\(turn[0]) needs --turn-secret, or --turn-username and --turn-credential")
      }
    case (let secret?, nil, nil):
      settings.append(ICEServerSetting(urls: turn, access: .secret(secret, lifetime: .seconds(Int(lifetime)))))
    case (nil, let username?, let credential?):
      settings.append(ICEServerSetting(urls: turn, access: .account(username: username, credential: credential)))
    default:
      throw ValidationError("TURN servers take --turn-secret, or --turn-username with --turn-credential, and not both")
    }
    guard !turn.isEmpty || (secret == nil && username == nil) else {
      throw ValidationError("credentials for TURN are given, and no --ice-server turn:… to use them with")
    }
    return settings
  }
}
