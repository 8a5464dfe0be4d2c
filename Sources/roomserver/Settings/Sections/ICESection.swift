/// The STUN and TURN servers that clients receive.
enum ICESection: SettingSection {
  static let title = "STUN and TURN"
  static let settings: [Setting] = [
    .list(
      "ice-server", "url", at: \.ice.urls,
      "A STUN or TURN server for clients: stun:host:port, turn:host:port?transport=udp, turns:host:port"),
    .text(
      "turn-secret", "secret", at: \.ice.secret, privacy: .secret,
      "The secret of the TURN servers (coturn: static-auth-secret): each client gets its own credentials, which expire"),
    .time(
      "turn-lifetime", 0...4_294_967_295, .seconds, at: \.ice.lifetime,
      "Seconds for which credentials made from the secret are valid"),
    .text("turn-username", "name", at: \.ice.username, "The user name for TURN servers without a shared secret"),
    .text("turn-credential", "password", at: \.ice.credential, privacy: .secret, "The password for --turn-username"),
  ]
}
