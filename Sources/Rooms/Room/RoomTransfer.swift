import RoomProtocol
import RoomToken

/// The move of a client from one room of this server to another. The client keeps its connections, and its tracks continue.
package struct RoomTransfer: Sendable {
  package enum Outcome: Sendable {
    /// The client has left the first room and joined the other one, which sends a welcome.
    case moved(SessionID)
    /// The client is still in the first room, because it can't keep its connections.
    case stays
    /// The client is in neither room.
    case lost(RoomError)
  }

  private let session: SessionID
  private let token: RoomToken
  private let (source, destination): (Room, Room)

  /// - Parameter token: the user's token of the destination.
  package init(of session: SessionID, _ token: RoomToken, from source: Room, to destination: Room) {
    (self.session, self.token) = (session, token)
    (self.source, self.destination) = (source, destination)
  }

  /// - Parameter outlet: the client's socket, which receives what either room sends, one after the other.
  package func perform(on outlet: any SignalOutlet) async -> Outcome {
    guard await destination.read({ !$0.isClosed && $0.capacityError(for: token.user, publishes: true) == nil }),
      let client = await source.perform({ $0.release(session, of: token.user) })
    else { return .stays }
    do throws(RoomError) { return .moved(try await admit(client, outlet)) } catch {
      // A transport that the destination has by now is not closed by this.
      for transport in client.transports { source.media.closeTransport(transport) }
      return .lost(error)
    }
  }

  private func admit(_ client: TransferredClient, _ outlet: any SignalOutlet) async throws(RoomError) -> SessionID {
    let (client, transfers) = try await destination.perform { core throws(RoomError) in
      var client = client
      let transfers = try core.prepare(&client, token)
      return (client, transfers)
    }
    for transfer in transfers { source.media.transfer(transfer, to: destination.media) }
    do throws(RoomError) {
      return try await destination.perform(on: outlet) { core, connection throws(RoomError) in
        try core.admit(client, token, request: 0, on: connection)
      }
    } catch {
      for transfer in transfers { destination.media.closeTransport(transfer.next) }
      throw error
    }
  }
}
