import ArgumentParser
import RoomLiveOrigin
import RoomServer
import RoomEngine

/// The STUN and TURN servers that clients receive.
struct ICEServerOptions: ParsableArguments {
  @Option(name: .customLong("ice-server"), help: .setting("ice-server")) var urls: [String] = []
  @Option(help: .setting("turn-secret")) var turnSecret: String?
  @Option(help: .setting("turn-lifetime")) var turnLifetime: UInt32?
  @Option(help: .setting("turn-username")) var turnUsername: String?
  @Option(help: .setting("turn-credential")) var turnCredential: String?

  /// Returns one setting for the STUN URLs, and one for the TURN URLs.
  func servers(_ settings: ServeSettings) throws -> [ICEServerSetting] {
    let urls = settings.list("ice-server", urls)
    let secret = settings.text("turn-secret", turnSecret)
    let username = settings.text("turn-username", turnUsername)
    let credential = settings.text("turn-credential", turnCredential)
    let lifetime = try settings.number("turn-lifetime", turnLifetime, default: 86_400)
    let turn = urls.filter { $0.hasPrefix("turn") }
    let others = urls.filter { !$0.hasPrefix("turn") }
    var servers = others.isEmpty ? [] : [ICEServerSetting(urls: others)]
    switch (secret, username, credential) {
    case (nil, nil, nil):
      guard turn.isEmpty else {
        throw ValidationError("\(turn[0]) requires --turn-secret, or --turn-username and --turn-credential")
      }
    case (let secret?, nil, nil):
      servers.append(ICEServerSetting(urls: turn, access: .secret(Secret(secret), lifetime: .seconds(Int(lifetime)))))
    case (nil, let username?, let credential?):
      servers.append(ICEServerSetting(urls: turn, access: .account(username: username, credential: Secret(credential))))
    default:
      throw ValidationError("TURN servers accept --turn-secret, or --turn-username with --turn-credential, but not both")
    }
    guard !turn.isEmpty || (secret == nil && username == nil) else {
      throw ValidationError("credentials for TURN are given, but no --ice-server turn:…")
    }
    return servers
  }
}
