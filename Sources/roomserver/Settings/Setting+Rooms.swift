// Settings of rooms and of signalling.

extension Setting {
  static let rooms: [Setting] = [
    Setting("auto-create", .flag, usual: "false", dev: "on", "Make a room at the first join."),
    .count("max-rooms", 1...1_000_000, at: \.limits.rooms, "Rooms that the server has at once; another one is refused"),
    .count(
      "room-participants", 1...100_000, at: \.limits.participantsPerRoom,
      "Participants of a room: the default, and the most that a room can be created with"),
    .count(
      "publisher-share", 0...100, at: \.limits.publisherShare, unit: "percent",
      """
      Percent of a room's places, rounded up, that only tokens with the publish grant get: viewers can't keep a host out. One place \
      at least is for all
      """),
    .count(
      "sessions-per-token", 1...100_000, at: \.limits.sessionsPerToken,
      "WHEP sessions that one token may have in its room at once. Raise it if a whole audience shares a token"),
    .count(
      "sessions-per-user", 1...100_000, at: \.limits.sessionsPerUser,
      "WHEP sessions that one user may have in a room at once, by all its tokens"),
    .count(
      "tracks-per-participant", 1...128, at: \.limits.tracksPerParticipant, "Tracks that one participant publishes at once"),
    Setting(
      "audience", .text, "separate|mixed|voice", usual: "mixed",
      """
      What participants without a seat get. separate: every track. mixed: one mix of pictures and sound while two or more are seated. \
      voice: one mix of sound. A room can be created with another.
      """),
    Setting(
      "seats-host", .flag, usual: "true",
      "Seat the first participant who joins with the grants admin and publish as the host. A room can be created with another."),
    .time(
      "grace-time", 1...3600, .seconds, at: \.rooms.graceTime,
      "Seconds for which a participant keeps its place and tracks after its connection is lost"),
    .time(
      "connect-time", 1...600, .seconds, at: \.rooms.connectTime,
      "Seconds in which the media of a WHIP or WHEP session connects"),
    .time(
      "empty-time", 1...604_800, .seconds, at: \.rooms.emptyTime,
      "Seconds for which a room that the API created stays open while nobody is in it. A room can be created with another"),
    .time(
      "auto-created-empty-time", 1...604_800, .seconds, at: \.rooms.autoCreatedEmptyTime,
      "Seconds for which a room that a join created stays open while nobody is in it"),
  ]

  /// A room keeps the values that it was created with, also over a restart.
  static let rules: [Setting] = [
    .time(
      "seat-request-time", 1...3600, .seconds, at: \.rooms.rules.requestTime, in: .milliseconds,
      "Seconds after which a request for a seat expires"),
    .time(
      "seat-invitation-time", 1...3600, .seconds, at: \.rooms.rules.invitationTime, in: .milliseconds,
      "Seconds after which an invitation to a seat expires"),
    .count("seat-requests", 1...1000, at: \.rooms.rules.requests, "Requests for seats that wait in a room at once"),
    .count("seat-invitations", 1...1000, at: \.rooms.rules.invitations, "Invitations to seats that wait in a room at once"),
    .time(
      "pk-invitation-time", 1...3600, .seconds, at: \.rooms.rules.pkInvitationTime, in: .milliseconds,
      "Seconds after which an invitation to a PK expires"),
    .count("pk-invitations", 1...1000, at: \.rooms.rules.pkInvitations, "PK invitations that wait in a room at once"),
    .time(
      "pk-begin-time", 1...600, .seconds, at: \.rooms.rules.pkBeginTime, in: .milliseconds,
      "Seconds in which the other room begins a PK that was accepted"),
    .time(
      "pk-grace-time", 1...3600, .seconds, at: \.rooms.rules.pkGraceTime, in: .milliseconds,
      "Seconds for which a PK continues while one of its anchors is not connected"),
    .time(
      "pk-beat-time", 1...600, .seconds, at: \.rooms.rules.pkBeatTime, in: .milliseconds,
      "Seconds between two reports that the rooms of a PK send each other"),
    .time(
      "pk-silence-time", 2...3600, .seconds, at: \.rooms.rules.pkSilenceTime, in: .milliseconds,
      "Seconds without such a report after which the other room counts as gone; more than pk-beat-time"),
    .count(
      "messages-per-second", 1...10_000, at: \.rooms.rules.messagesPerSecond,
      "Room messages that one user sends in a second, after the burst"),
    .count("message-burst", 1...100_000, at: \.rooms.rules.messageBurst, "Room messages that one user sends at once"),
    .count("history-messages", 0...10_000, at: \.rooms.rules.historyMessages, "Messages that a newcomer gets"),
    .bytes("history-bytes", 0...16_777_216, at: \.rooms.rules.historyBytes, "Bytes of these messages"),
    .count("attributes", 1...10_000, at: \.rooms.rules.attributes, "Attributes of a room"),
    .count("attributes-per-call", 1...10_000, at: \.rooms.rules.attributesPerCall, "Attributes that one call sets"),
    .bytes("attribute-key-bytes", 1...1024, at: \.rooms.rules.attributeKeyBytes, "Bytes of an attribute's name"),
    .bytes("attribute-value-bytes", 1...65_536, at: \.rooms.rules.attributeValueBytes, "Bytes of an attribute's value"),
    .count(
      "journal-entries", 1...100_000, at: \.rooms.rules.journalEntries,
      "Changes that a room remembers for participants who reconnect"),
    .bytes("journal-bytes", 1024...268_435_456, at: \.rooms.rules.journalBytes, "Bytes of these changes, about"),
  ]

  static let signalling: [Setting] = [
    .time("ping-interval", 1...300, .seconds, at: \.keepAlive.pingInterval, "Seconds between two pings on a signalling socket"),
    .time(
      "silence-time", 2...3600, .seconds, at: \.keepAlive.silence,
      "Seconds without a byte after which a signalling socket is closed; more than ping-interval"),
    .time("join-time", 1...600, .seconds, at: \.keepAlive.joinTime, "Seconds in which a signalling socket joins a room"),
    .time(
      "signal-close-time", 1...60, .seconds, at: \.keepAlive.closeTime,
      "Seconds in which a client answers the close frame of its signalling socket"),
    .bytes("signal-bytes", 65_536...16_777_216, at: \.limits.messageBytes, "Bytes of one signalling message"),
    .rate(
      "signals-per-second", 1...100_000, at: \.limits.messagesPerSecond,
      "Signalling messages read from one socket in a second, after the burst; more are read later"),
    .count("signal-burst", 1...1_000_000, at: \.limits.messageBurst, "Signalling messages read from one socket at once"),
    .rate(
      "changes-per-second", 1...100_000, at: \.limits.changesPerSecond,
      "Calls of one participant that send an event to the whole room, in a second, after the burst; more are refused"),
    .count("change-burst", 1...1_000_000, at: \.limits.changeBurst, "Such calls of one participant at once"),
    .bytes(
      "signal-queue-bytes", 65_536...268_435_456, at: \.limits.outgoingBytes,
      "Bytes that wait for one signalling socket; a client that reads more slowly is closed"),
    .time(
      "signal-gather-per-socket", 0...10_000, .microseconds, at: \.signalPause.perSocket,
      "Microseconds, for each socket that an event was written to, for which further events are gathered before the next write"),
    .time(
      "signal-gather-time", 0...1000, .milliseconds, at: \.signalPause.longest,
      "Milliseconds for which they are gathered at most; 0 writes each event at once"),
    .time(
      "presence-gather-per-socket", 0...10_000, .microseconds, at: \.presencePause.perSocket,
      "The same as signal-gather-per-socket for events about who comes and goes"),
    .time(
      "presence-gather-time", 0...10_000, .milliseconds, at: \.presencePause.longest,
      "Milliseconds for which those are gathered at most; 0 writes each at once"),
    .count("signal-threads", 1...256, at: \.signallingThreads, "Threads of signalling"),
    .count("joins-tracked", 100...10_000_000, at: \.limits.joinAddresses, "Addresses whose joins are counted"),
    .count("kicked-tokens", 100...10_000_000, at: \.limits.kickedTokens, "Tokens of kicked users that are remembered"),
  ]
}
