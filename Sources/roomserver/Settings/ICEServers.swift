import ArgumentParser
import RoomEngine
import RoomLiveOrigin

/// The STUN and TURN servers that are given.
struct ICEServers: Sendable {
  var urls: [String] = []
  var secret: String?
  var lifetime = Duration.seconds(86_400)
  var username: String?
  var credential: String?

  /// Returns one setting for the STUN URLs, and one for the TURN URLs.
  func settings() throws -> [ICEServerSetting] {
    let turn = urls.filter { $0.hasPrefix("turn") }
    let others = urls.filter { !$0.hasPrefix("turn") }
    var servers = others.isEmpty ? [] : [ICEServerSetting(urls: others)]
    switch (secret, username, credential) {
    case (nil, nil, nil):
      guard turn.isEmpty else {
        throw ValidationError("\(turn[0]) requires --turn-secret, or --turn-username and --turn-credential")
      }
    case (let secret?, nil, nil):
      servers.append(ICEServerSetting(urls: turn, access: .secret(Secret(secret), lifetime: lifetime)))
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
