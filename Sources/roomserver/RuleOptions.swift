import ArgumentParser
import RoomServer

/// Limits and timeouts of seats, PK, messages and attributes.
struct RuleOptions: ParsableArguments {
  @Option(help: .setting("seat-request-time")) var seatRequestTime: Int?
  @Option(help: .setting("seat-invitation-time")) var seatInvitationTime: Int?
  @Option(help: .setting("seat-requests")) var seatRequests: Int?
  @Option(help: .setting("seat-invitations")) var seatInvitations: Int?
  @Option(help: .setting("pk-invitation-time")) var pkInvitationTime: Int?
  @Option(help: .setting("pk-invitations")) var pkInvitations: Int?
  @Option(help: .setting("pk-begin-time")) var pkBeginTime: Int?
  @Option(help: .setting("pk-grace-time")) var pkGraceTime: Int?
  @Option(help: .setting("pk-beat-time")) var pkBeatTime: Int?
  @Option(help: .setting("pk-silence-time")) var pkSilenceTime: Int?
  @Option(help: .setting("messages-per-second")) var messagesPerSecond: Int?
  @Option(help: .setting("message-burst")) var messageBurst: Int?
  @Option(help: .setting("history-messages")) var historyMessages: Int?
  @Option(help: .setting("history-bytes")) var historyBytes: Int?
  @Option(help: .setting("attributes")) var attributes: Int?
  @Option(help: .setting("attributes-per-call")) var attributesPerCall: Int?
  @Option(help: .setting("attribute-key-bytes")) var attributeKeyBytes: Int?
  @Option(help: .setting("attribute-value-bytes")) var attributeValueBytes: Int?
  @Option(help: .setting("journal-entries")) var journalEntries: Int?
  @Option(help: .setting("journal-bytes")) var journalBytes: Int?

  /// Applies the rules to a configuration.
  func apply(to configuration: inout ServerConfiguration, _ settings: ServeSettings) throws {
    try applyNumbers(to: &configuration, settings)
    let rules = configuration.rooms.rules
    guard rules.pkSilenceTime > rules.pkBeatTime else {
      throw ValidationError("--pk-silence-time must be greater than --pk-beat-time, or every PK would end")
    }
  }
}
