// Settings of rooms and of signalling.

extension Setting {
  static let rooms: [Setting] = [
    Setting("auto-create", .flag, defaultValue: "false", dev: "on", "Create a missing room when a participant joins it."),
    .count("max-rooms", 1...1_000_000, at: \.limits.rooms, "Rooms that may be open at a time; further ones are refused"),
    .count(
      "room-participants", 1...100_000, at: \.limits.participantsPerRoom,
      "Participants of a room: the default, and the maximum that the API can set"),
    .count(
      "publisher-share", 0...100, at: \.limits.publisherShare, unit: "percent",
      """
      Percentage of a room's capacity, rounded up, that is reserved for tokens with the publish grant, so that viewers can't \
      keep a host out. At least one participant may join without it
      """),
    .count(
      "sessions-per-token", 1...100_000, at: \.limits.sessionsPerToken,
      "Concurrent WHEP sessions of one token in its room. Raise it if a whole audience shares a token"),
    .count(
      "sessions-per-user", 1...100_000, at: \.limits.sessionsPerUser,
      "Concurrent WHEP sessions of one user in a room, with all its tokens"),
    .count(
      "tracks-per-participant", 1...128, at: \.limits.tracksPerParticipant,
      "Tracks that one participant may publish at a time"),
    Setting(
      "audience", .text, "separate|mixed|voice", defaultValue: "mixed",
      """
      What participants without a seat receive. separate: every track. mixed: one mix of video and audio while two or more \
      seats are taken. voice: one audio mix. The API can set another value for a room.
      """),
    Setting(
      "seats-host", .flag, defaultValue: "true",
      """
      Seat the first participant who joins with the grants admin and publish as the host. The API can set another value for a \
      room.
      """),
    .time(
      "grace-time", 1...3600, .seconds, at: \.rooms.graceTime,
      "Seconds for which a participant stays in the room with its tracks after its connection is lost"),
    .time(
      "connect-time", 1...600, .seconds, at: \.rooms.connectTime,
      "Seconds that the media of a WHIP or WHEP session may take to connect"),
    .time(
      "empty-time", 1...604_800, .seconds, at: \.rooms.emptyTime,
      "Seconds for which an empty room that the API created stays open. The API can set another value for a room"),
    .time(
      "auto-created-empty-time", 1...604_800, .seconds, at: \.rooms.autoCreatedEmptyTime,
      "Seconds for which an empty room that a join created stays open"),
  ]

  /// A room keeps the values that it was created with, also over a restart.
  static let rules: [Setting] = [
    .time(
      "seat-request-time", 1...3600, .seconds, at: \.rooms.rules.requestTime, in: .milliseconds,
      "Seconds after which a request for a seat expires"),
    .time(
      "seat-invitation-time", 1...3600, .seconds, at: \.rooms.rules.invitationTime, in: .milliseconds,
      "Seconds after which an invitation to a seat expires"),
    .count("seat-requests", 1...1000, at: \.rooms.rules.requests, "Pending requests for seats in a room"),
    .count("seat-invitations", 1...1000, at: \.rooms.rules.invitations, "Pending invitations to seats in a room"),
    .time(
      "pk-invitation-time", 1...3600, .seconds, at: \.rooms.rules.pkInvitationTime, in: .milliseconds,
      "Seconds after which an invitation to a PK expires"),
    .count("pk-invitations", 1...1000, at: \.rooms.rules.pkInvitations, "Pending PK invitations in a room"),
    .time(
      "pk-begin-time", 1...600, .seconds, at: \.rooms.rules.pkBeginTime, in: .milliseconds,
      "Seconds that the other room has to start an accepted PK"),
    .time(
      "pk-grace-time", 1...3600, .seconds, at: \.rooms.rules.pkGraceTime, in: .milliseconds,
      "Seconds for which a PK continues while one of its anchors is not connected"),
    .time(
      "pk-beat-time", 1...600, .seconds, at: \.rooms.rules.pkBeatTime, in: .milliseconds,
      "Seconds between two reports that the rooms of a PK send each other"),
    .time(
      "pk-silence-time", 2...3600, .seconds, at: \.rooms.rules.pkSilenceTime, in: .milliseconds,
      "Seconds without such a report after which the other room is considered lost; more than pk-beat-time"),
    .count(
      "messages-per-second", 1...10_000, at: \.rooms.rules.messagesPerSecond,
      "Room messages that one user may send per second, after the burst"),
    .count("message-burst", 1...100_000, at: \.rooms.rules.messageBurst, "Room messages that one user may send at once"),
    .count(
      "history-messages", 0...10_000, at: \.rooms.rules.historyMessages,
      "Recent messages that a joining participant receives"),
    .bytes("history-bytes", 0...16_777_216, at: \.rooms.rules.historyBytes, "Bytes of these messages"),
    .count("attributes", 1...10_000, at: \.rooms.rules.attributes, "Attributes of a room"),
    .count("attributes-per-call", 1...10_000, at: \.rooms.rules.attributesPerCall, "Attributes that one call may set"),
    .bytes("attribute-key-bytes", 1...1024, at: \.rooms.rules.attributeKeyBytes, "Bytes of an attribute's name"),
    .bytes("attribute-value-bytes", 1...65_536, at: \.rooms.rules.attributeValueBytes, "Bytes of an attribute's value"),
    .count(
      "journal-entries", 1...100_000, at: \.rooms.rules.journalEntries,
      "Changes that a room keeps for participants who reconnect"),
    .bytes("journal-bytes", 1024...268_435_456, at: \.rooms.rules.journalBytes, "Approximate bytes of these changes"),
  ]

  static let signalling: [Setting] = [
    .time("ping-interval", 1...300, .seconds, at: \.keepAlive.pingInterval, "Seconds between two pings on a signalling socket"),
    .time(
      "silence-time", 2...3600, .seconds, at: \.keepAlive.silence,
      "Seconds without a byte after which a signalling socket is closed; more than ping-interval"),
    .time("join-time", 1...600, .seconds, at: \.keepAlive.joinTime, "Seconds that a signalling socket has to join a room"),
    .time(
      "signal-close-time", 1...60, .seconds, at: \.keepAlive.closeTime,
      "Seconds that a client has to answer the close frame of its signalling socket"),
    .bytes("signal-bytes", 65_536...16_777_216, at: \.limits.messageBytes, "Bytes of one signalling message"),
    .rate(
      "signals-per-second", 1...100_000, at: \.limits.messagesPerSecond,
      "Signalling messages read from one socket per second, after the burst; further ones are delayed"),
    .count("signal-burst", 1...1_000_000, at: \.limits.messageBurst, "Signalling messages read from one socket at once"),
    .rate(
      "changes-per-second", 1...100_000, at: \.limits.changesPerSecond,
      "Calls of one participant per second that send an event to the whole room, after the burst; further ones are refused"),
    .count("change-burst", 1...1_000_000, at: \.limits.changeBurst, "Such calls of one participant at once"),
    .bytes(
      "signal-queue-bytes", 65_536...268_435_456, at: \.limits.outgoingBytes,
      "Unsent bytes of one signalling socket; a client that reads more slowly is closed"),
    .time(
      "signal-gather-per-socket", 0...10_000, .microseconds, at: \.signalPause.perSocket,
      "Microseconds for which further events are gathered before the next write, for each socket that an event was written to"),
    .time(
      "signal-gather-time", 0...1000, .milliseconds, at: \.signalPause.longest,
      "Maximum milliseconds for which events are gathered; 0 writes each event at once"),
    .time(
      "presence-gather-per-socket", 0...10_000, .microseconds, at: \.presencePause.perSocket,
      "The same as signal-gather-per-socket, for events about joining and leaving participants"),
    .time(
      "presence-gather-time", 0...10_000, .milliseconds, at: \.presencePause.longest,
      "Maximum milliseconds for which those events are gathered; 0 writes each at once"),
    .count("signal-threads", 1...256, at: \.signallingThreads, "Threads of signalling"),
    .count("joins-tracked", 100...10_000_000, at: \.limits.joinAddresses, "Addresses whose joins are counted"),
    .count("kicked-tokens", 100...10_000_000, at: \.limits.kickedTokens, "Revoked tokens of kicked users that are kept"),
  ]
}
