/// The files and URLs that rooms play.
enum PlayersSection: SettingSection {
  static let title = "Players"
  static let settings: [Setting] = [
    .count("players", 0...256, at: \.server.players.limit, "Files and URLs that the server plays at a time; 0 for none"),
    .list(
      "player-source", "network", default: "public", store: { try $0.server.players.setNetworks($1) },
      """
      A network whose files and streams may be played: "public" (any public address), or a network such as 10.0.0.0/8. Redirects \
      and the segments of playlists are checked too
      """),
  ]
}
