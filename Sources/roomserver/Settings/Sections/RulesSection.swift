/// Limits and timeouts of seats, PK, messages and attributes. A room keeps the values that it was created with, also over a
/// restart.
enum RulesSection: SettingSection {
  static let title = "Seats, PK, messages and attributes"
  static let settings: [Setting] = [
    .time(
      "seat-request-time", 1...3600, .seconds, at: \.server.rooms.rules.requestTime, in: .milliseconds,
      "Seconds after which a request for a seat expires"),
    .time(
      "seat-invitation-time", 1...3600, .seconds, at: \.server.rooms.rules.invitationTime, in: .milliseconds,
      "Seconds after which an invitation to a seat expires"),
    .count("seat-requests", 1...1000, at: \.server.rooms.rules.requests, "Pending requests for seats in a room"),
    .count("seat-invitations", 1...1000, at: \.server.rooms.rules.invitations, "Pending invitations to seats in a room"),
    .time(
      "pk-invitation-time", 1...3600, .seconds, at: \.server.rooms.rules.pkInvitationTime, in: .milliseconds,
      "Seconds after which an invitation to a PK expires"),
    .count("pk-invitations", 1...1000, at: \.server.rooms.rules.pkInvitations, "Pending PK invitations in a room"),
    .count("pk-rooms", 2...9, at: \.server.rooms.rules.pkRooms, "Rooms in a PK, unless its rules say less"),
    .time(
      "pk-begin-time", 1...600, .seconds, at: \.server.rooms.rules.pkBeginTime, in: .milliseconds,
      "Seconds that the other room has to start an accepted PK"),
    .time(
      "pk-grace-time", 1...3600, .seconds, at: \.server.rooms.rules.pkGraceTime, in: .milliseconds,
      "Seconds for which a PK continues while one of its anchors is not connected"),
    .time(
      "pk-beat-time", 1...600, .seconds, at: \.server.rooms.rules.pkBeatTime, in: .milliseconds,
      "Seconds between two reports that the rooms of a PK send each other"),
    .time(
      "pk-silence-time", 2...3600, .seconds, at: \.server.rooms.rules.pkSilenceTime, in: .milliseconds,
      "Seconds without such a report after which the other room is considered lost; more than pk-beat-time"),
    .count(
      "messages-per-second", 1...10_000, at: \.server.rooms.rules.messagesPerSecond,
      "Room messages that one user may send per second, after the burst"),
    .count("message-burst", 1...100_000, at: \.server.rooms.rules.messageBurst, "Room messages that one user may send at once"),
    .count(
      "history-messages", 0...10_000, at: \.server.rooms.rules.historyMessages,
      "Recent messages that a joining participant receives"),
    .bytes("history-bytes", 0...16_777_216, at: \.server.rooms.rules.historyBytes, "Bytes of these messages"),
    .count("attributes", 1...10_000, at: \.server.rooms.rules.attributes, "Attributes of a room"),
    .count("attributes-per-call", 1...10_000, at: \.server.rooms.rules.attributesPerCall, "Attributes that one call may set"),
    .bytes("attribute-key-bytes", 1...1024, at: \.server.rooms.rules.attributeKeyBytes, "Bytes of an attribute's name"),
    .bytes("attribute-value-bytes", 1...65_536, at: \.server.rooms.rules.attributeValueBytes, "Bytes of an attribute's value"),
    .count(
      "journal-entries", 1...100_000, at: \.server.rooms.rules.journalEntries,
      "Changes that a room keeps for participants who reconnect"),
    .bytes("journal-bytes", 1024...268_435_456, at: \.server.rooms.rules.journalBytes, "Approximate bytes of these changes"),
  ]
}
