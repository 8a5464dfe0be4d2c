import RoomProtocol
import RoomState

/// Another room, as a room calls it for a PK: one of this server, or one at another node of its cluster.
package protocol PeerRoom: Sendable {
  /// Delivers a message about a PK.
  /// - Returns: false if there is no such room.
  func receive(_ message: PKMessage) async -> Bool

  /// Starts lending a user's tracks to another room.
  /// - Parameter send: sends the borrowing room all tracks that are currently lent. The closure does not block, and keeps the
  ///   order.
  func startLending(_ user: UserID, to borrower: Borrower, send: @escaping @Sendable ([LentTrack]) -> Void) async

  /// Ends the lending.
  func stopLending(to borrower: Borrower) async

  /// Lets a participant of another room appear in this one.
  /// - Throws: as ``RoomCore/forward(_:from:_:)``; 404002 if there is no such room.
  func receive(_ user: UserID, from source: RoomName, _ profile: ParticipantProfile?) async throws(RoomError)
}

extension Room: PeerRoom {
  package func startLending(_ user: UserID, to borrower: Borrower, send: @escaping @Sendable ([LentTrack]) -> Void) {
    lend(user, to: borrower, send: send)
  }

  package func stopLending(to borrower: Borrower) { endLending(to: borrower) }

  /// Starts lending a user's tracks to another room.
  /// - Parameter send: sends the borrowing room all tracks that are currently lent. The closure does not block, and keeps the
  ///   order.
  /// - Returns: a number for ``endLending(to:number:)``.
  @discardableResult package func lend(
    _ user: UserID, to borrower: Borrower, send: @escaping @Sendable ([LentTrack]) -> Void
  ) -> Int {
    let number = execution.programs.setBorrower(borrower, send: send)
    perform { $0.lend(user, to: borrower) }
    return number
  }

  /// Ends a lending.
  /// - Parameter number: ends only the lending of this number; another may have replaced it.
  package func endLending(to borrower: Borrower, number: Int? = nil) {
    guard number == nil || execution.programs.lending(to: borrower) == number else { return }
    perform { $0.endLending(to: borrower) }
  }
}
