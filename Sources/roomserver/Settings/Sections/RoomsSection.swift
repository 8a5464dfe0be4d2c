/// The number of rooms, how joins create them, and how long they last.
enum RoomsSection: SettingSection {
  static let title = "Rooms"
  static let settings: [Setting] = [
    .flag("auto-create", at: \.server.autoCreateRooms, "Create a missing room when a participant joins it"),
    .count("max-rooms", 1...1_000_000, at: \.server.limits.rooms, "Rooms that may be open at a time; further ones are refused"),
    .count(
      "room-participants", 1...100_000, at: \.server.limits.participantsPerRoom,
      "Participants of a room: the default, and the maximum that the API can set"),
    .count(
      "publisher-share", 0...100, at: \.server.limits.publisherShare, unit: "percent",
      """
      Percentage of a room's capacity, rounded up, that is reserved for tokens with the publish grant, so that viewers can't \
      keep a host out. At least one participant may join without it
      """),
    .count(
      "sessions-per-token", 1...100_000, at: \.server.limits.sessionsPerToken,
      "Concurrent WHEP sessions of one token in its room. Raise it if a whole audience shares a token"),
    .count(
      "sessions-per-user", 1...100_000, at: \.server.limits.sessionsPerUser,
      "Concurrent WHEP sessions of one user in a room, with all its tokens"),
    .count(
      "tracks-per-participant", 1...128, at: \.server.limits.tracksPerParticipant,
      "Tracks that one participant may publish at a time"),
    .choice(
      "audience", at: \.server.rooms.audience,
      """
      What participants without a seat receive. separate: every track. mixed: one mix of video and audio while two or more \
      seats are taken. voice: one audio mix. The API can set another value for a room
      """),
    .flag(
      "watch-public", at: \.server.rooms.watch.isPublic,
      "Let anybody watch a room, on its watch page and by WHEP. The API can set another value for a room"),
    .flag(
      "watch-chat", at: \.server.rooms.watch.chat,
      "Show the messages of a room to all on its watch page. The API can set another value for a room"),
    .flag(
      "watch-viewers", at: \.server.rooms.watch.viewers,
      "Show the number of viewers on the watch page. The API can set another value for a room"),
    .flag(
      "watch-fallback", at: \.server.rooms.watchFallback,
      """
      Make a program at the origin while viewers of a room that is not live lack WebRTC, so that the watch page plays by HLS or \
      HTTP-FLV
      """),
    .flag(
      "seats-host", at: \.server.rooms.rules.hostIsSeated,
      """
      Seat the first participant who joins with the grants admin and publish as the host. The API can set another value for a \
      room
      """),
    .time(
      "grace-time", 1...3600, .seconds, at: \.server.rooms.graceTime,
      "Seconds for which a participant stays in the room with its tracks after its connection is lost"),
    .time(
      "connect-time", 1...600, .seconds, at: \.server.rooms.connectTime,
      "Seconds that the media of a WHIP or WHEP session may take to connect"),
    .time(
      "empty-time", 1...604_800, .seconds, at: \.server.rooms.emptyTime,
      "Seconds for which an empty room that the API created stays open. The API can set another value for a room"),
    .time(
      "auto-created-empty-time", 1...604_800, .seconds, at: \.server.rooms.autoCreatedEmptyTime,
      "Seconds for which an empty room that a join created stays open"),
  ]
}
