import ArgumentParser
import RoomServer

/// How many rooms there may be, and who gets into them.
struct RoomOptions: ParsableArguments {
  @Flag(inversion: .prefixedNo, help: .setting("auto-create")) var autoCreate: Bool?
  @Option(help: .setting("max-rooms")) var maxRooms: Int?
  @Option(help: .setting("publisher-share")) var publisherShare: Int?
  @Option(help: .setting("sessions-per-token")) var sessionsPerToken: Int?
  @Option(help: .setting("sessions-per-user")) var sessionsPerUser: Int?

  /// Fills in the rooms' part of a configuration.
  /// - Parameter development: whether joins make rooms by default.
  func apply(to configuration: inout ServerConfiguration, _ settings: ServeSettings, development: Bool) throws {
    configuration.autoCreateRooms = try settings.flag("auto-create", autoCreate, default: development)
    if let rooms = try settings.number("max-rooms", maxRooms, in: 1...1_000_000) { configuration.limits.rooms = rooms }
    if let share = try settings.number("publisher-share", publisherShare, in: 0...100) {
      configuration.limits.publisherShare = share
    }
    if let sessions = try settings.number("sessions-per-token", sessionsPerToken, in: 1...100_000) {
      configuration.limits.sessionsPerToken = sessions
    }
    if let sessions = try settings.number("sessions-per-user", sessionsPerUser, in: 1...100_000) {
      configuration.limits.sessionsPerUser = sessions
    }
  }
}
