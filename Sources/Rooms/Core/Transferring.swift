import RoomProtocol
import RoomSFU
import RoomToken

// How a client goes to another room of this server and keeps its connections.

/// What a client takes along to another room: its transports and tracks, and what it has chosen.
package struct TransferredClient: Sendable {
  fileprivate var client: Participant

  var transports: [TransportID] { [client.publishing?.id, client.receiving.transport?.id].compactMap(\.self) }

  /// Gives the transports and tracks ids of another room.
  fileprivate mutating func renumber(_ ids: inout MediaIDs) -> [TransportTransfer] {
    var tracks: [MediaTrackID: MediaTrackID] = [:]
    for index in client.tracks.indices {
      let id = ids.track()
      tracks[client.tracks[index].id] = id
      client.tracks[index].id = id
    }
    var transfers: [TransportTransfer] = []
    if var publishing = client.publishing {
      transfers.append(TransportTransfer(publishing.id, as: ids.transport(), tracks: tracks))
      publishing.id = transfers[0].next
      client.publishing = publishing
    }
    if var receiving = client.receiving.transport {
      // A single connection has one transport for both.
      let shared = transfers.first { $0.transport == receiving.id }
      let next = shared?.next ?? ids.transport()
      if shared == nil { transfers.append(TransportTransfer(receiving.id, as: next, tracks: [:])) }
      receiving.id = next
      receiving.leaveAll()
      client.receiving.transport = receiving
    }
    return transfers
  }
}

extension RoomCore {
  /// Whether a client keeps its connections in another room of this server: not one whose media is at another server, or whose video
  /// has two codecs.
  private func keepsConnections(_ client: Participant) -> Bool {
    client.traits.contains(.changesRoom) && client.isConnected && client.annex == nil && client.leaving == nil
      && !client.hasLostTransport && !backups.keys.contains { client.track($0.track) != nil }
  }

  /// Lets a client join another room: it keeps its connections if it can, or else its session ends.
  /// - Throws: 80103 if there is no such participant, 80101 for one whose client does not follow.
  package mutating func move(_ user: UserID, to room: RoomName) throws(RoomError) {
    guard let participant = roster[user] else { throw Self.noSuchUser(user) }
    guard participant.traits.contains(.moves), let connection = participant.connection else {
      throw RoomError(.joinFailed, "the client of this participant does not follow to another room")
    }
    if keepsConnections(participant) { return emit(.deliver(.move(room), to: connection)) }
    end(user, EndedData(reason: .left, room: room))
  }

  /// Ends the session of a client that joins another room and does not keep its connections.
  package mutating func dismiss(_ session: SessionID, of user: UserID, to room: RoomName) {
    if roster[user]?.session == session { end(user, EndedData(reason: .left, room: room)) }
  }

  /// Removes a client that takes its transports and tracks along to another room.
  /// - Returns: nil if it can't.
  mutating func release(_ session: SessionID, of user: UserID) -> TransferredClient? {
    guard let client = roster[user], client.session == session, keepsConnections(client), let connection = client.connection
    else { return nil }
    emit(.detach(connection))
    roster.setConnection(nil, isConnected: false, of: user)
    roster.setPublishing(nil, of: user)
    roster.setReceiving(nil, of: user)
    end(user, EndedData(reason: .left))
    return TransferredClient(client: client)
  }

  /// Gives what a client brings along ids of this room.
  /// - Throws: 80101 if the room is full or closed.
  mutating func prepare(
    _ moved: inout TransferredClient, _ token: RoomToken
  ) throws(RoomError) -> [TransportTransfer] {
    guard !isClosed else { throw RoomError(.joinFailed, "the room is closed") }
    try checkCapacity(for: token, publishes: token.grants.contains(.publish))
    return moved.renumber(&ids)
  }

  /// Adds a client whose transports are this room's by now, and publishes its tracks.
  mutating func admit(
    _ moved: TransferredClient, _ token: RoomToken, request: Int, on connection: ConnectionID
  ) throws(RoomError) -> SessionID {
    let client = moved.client
    guard !isClosed else { throw RoomError(.joinFailed, "the room is closed") }
    var receiving = Participant.Receiving(
      plan: SubscriptionPlan(automatic: client.receiving.plan.automatic), wantsLevels: client.receiving.wantsLevels,
      opensAtOnce: client.receiving.opensAtOnce)
    (receiving.hadTransport, receiving.offers) = (client.receiving.hadTransport, client.receiving.offers)
    receiving.lacks = client.receiving.lacks
    var participant = newParticipant(token, .client, connection: connection, receiving: receiving)
    (participant.profile, participant.traits, participant.data) = (client.profile, client.traits, client.data)
    (participant.subscribers, participant.memory) = (client.subscribers, client.memory)
    try enter(participant)
    let user = token.user
    roster.setPublishing(client.publishing, of: user)
    roster.setReceiving(client.receiving.transport, of: user)
    if let transport = client.publishing {
      for track in client.tracks {
        order(.publish(track.id, on: transport.id, track.parameters))
        if track.info.muted { order(.mute(track.id, true)) }
      }
      announce(client.tracks, of: user)
    }
    if let result = snapshot(for: user, resumed: false) { emit(.welcome(connection, request: request, result)) }
    log(.info, "came from another room", ["user": "\(user)"])
    return participant.session
  }
}
