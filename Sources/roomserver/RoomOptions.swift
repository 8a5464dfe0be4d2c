import ArgumentParser
import RoomProtocol
import RoomServer

/// The number of rooms, how joins create them, and how long they last.
struct RoomOptions: ParsableArguments {
  @Flag(inversion: .prefixedNo, help: .setting("auto-create")) var autoCreate: Bool?
  @Option(help: .setting("audience")) var audience: String?
  @Flag(inversion: .prefixedNo, help: .setting("seats-host")) var seatsHost: Bool?
  @Option(help: .setting("max-rooms")) var maxRooms: Int?
  @Option(help: .setting("room-participants")) var roomParticipants: Int?
  @Option(help: .setting("publisher-share")) var publisherShare: Int?
  @Option(help: .setting("sessions-per-token")) var sessionsPerToken: Int?
  @Option(help: .setting("sessions-per-user")) var sessionsPerUser: Int?
  @Option(help: .setting("tracks-per-participant")) var tracksPerParticipant: Int?
  @Option(help: .setting("grace-time")) var graceTime: Int?
  @Option(help: .setting("connect-time")) var connectTime: Int?
  @Option(help: .setting("empty-time")) var emptyTime: Int?
  @Option(help: .setting("auto-created-empty-time")) var autoCreatedEmptyTime: Int?

  /// Applies the rooms' options to a configuration.
  /// - Parameter development: whether joins create rooms by default.
  func apply(to configuration: inout ServerConfiguration, _ settings: ServeSettings, development: Bool) throws {
    configuration.autoCreateRooms = try settings.flag("auto-create", autoCreate, default: development)
    let audience = settings.text("audience", audience, default: RoomAudience.mixed.rawValue)
    guard let audience = RoomAudience(rawValue: audience) else {
      throw ValidationError("--audience must be separate, mixed or voice, not \(audience)")
    }
    configuration.rooms.audience = audience
    configuration.rooms.rules.hostIsSeated = try settings.flag("seats-host", seatsHost, default: true)
    try applyNumbers(to: &configuration, settings)
  }
}
