import RoomProtocol
import RoomRelay
import RoomServer

extension ServerConfiguration {
  /// Permits jobs to push to this machine, and reports their status four times a second.
  mutating func pushLocally() throws {
    relay.broadcasts.targets = try RelayTargets(parsing: ["127.0.0.1"])
    relay.statusInterval = .milliseconds(250)
  }
}

extension Participant {
  /// Joins a participant that publishes a source and may start jobs.
  static func anchor(_ server: TestServer, as user: UserID = "anchor", with source: FlashAndBeep) async throws -> Participant {
    let anchor = try await join(server, as: user, grants: [.publish, .subscribe, .relay])
    try await anchor.room.publish(source.tracks)
    return anchor
  }
}
