import Foundation
import NIOCore
import RoomProtocol

/// The connection behind a `Room`: owns its truth and carries out what its state machine says.
actor RoomSession {
  nonisolated let board: RoomBoard
  private let address: SignalAddress
  private let token: String
  private let options: RoomOptions
  private var machine = ConnectionMachine.idle
  private var generator = SystemRandomNumberGenerator()
  private var link: SignalLink?
  /// Grows with each socket, so that what an old one still says is not taken for the new one's.
  private var epoch = 0
  private var sessionId: String?
  private var roster = Roster()

  init(url: String, token: String, options: RoomOptions) throws {
    address = try SignalAddress(url)
    self.token = token
    self.options = options
    board = RoomBoard(backlog: options.eventBacklog)
  }

  func connect() async throws { throw RoomClientError.closed }
  func publish(_ tracks: [any LocalTrack]) async throws { throw RoomClientError.closed }
  func unpublish(_ tracks: [any LocalTrack]) async throws { throw RoomClientError.closed }
  func mute(_ track: any LocalTrack, _ muted: Bool) async throws { throw RoomClientError.closed }
  func mute(trackId: String, _ muted: Bool) async throws { throw RoomClientError.closed }
  func subscribe(trackIds: [String], userIds: [String]) async throws { throw RoomClientError.closed }
  func unsubscribe(trackIds: [String], userIds: [String]) async throws { throw RoomClientError.closed }
  func kick(userId: String) async throws { throw RoomClientError.closed }
  func leave() async {}
  func networkChanged() async {}
  func statistics() async -> RoomStatistics { RoomStatistics() }
}
