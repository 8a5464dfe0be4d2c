import RoomProtocol
import RoomSFU
import RoomWebRTC

// The messages of data channels. Messages change nothing in the room, so they are no inputs: only their senders and receivers
// are looked up here.

extension RoomCore {
  /// What this side says of data channels to a participant; nil if it has none.
  func dataParameters(of participant: Participant) -> DataParameters? { participant.data == nil ? nil : DataParameters() }

  /// Orders the data channels of a transport, if the client's description has them.
  mutating func enableData(_ parameters: DataParameters?, on transport: TransportID, sendingOn channels: OutgoingChannels) {
    if let parameters { order(.enableData(transport, parameters, sendingOn: channels)) }
  }

  /// Returns the client that sends on a transport.
  func client(on transport: TransportID) -> Participant? {
    guard let (participant, _) = roster.owner(of: transport), participant.presence.isClient else { return nil }
    return participant
  }

  /// Returns the messages to the receivers that a message of a client names; nil for one that is malformed or not permitted.
  func relayed(_ message: DataMessage, of client: Participant, _ channels: DataChannelPair) -> [AddressedMessage]? {
    let channel = message.isReliable ? channels.reliable : channels.lossy
    guard message.label == channel.label, !message.isText, !client.isHidden, let frame = DataFrame(message.payload) else {
      return nil
    }
    return messages(
      DataContent(topic: frame.header.topic ?? "", payload: frame.payload), isReliable: message.isReliable,
      share: message.share, from: client.user, to: frame.header.to)
  }

  /// Returns a message to participants, to each in the form of its client.
  /// - Parameters:
  ///   - sender: receives nothing; nil for an app's server.
  ///   - users: the receivers; nil for all.
  package func messages(
    _ content: DataContent, isReliable: Bool, share: DataShare? = nil, from sender: UserID?, to users: [UserID]?
  ) -> [AddressedMessage] {
    let source = dataSender(sender)
    return receivers(users, besides: sender).compactMap { format, transports in
      format.encode(content, from: source).map {
        AddressedMessage(message: DataMessage(isReliable: isReliable, payload: $0, share: share), transports: transports)
      }
    }
  }

  /// Returns a message in the form of one format.
  /// - Parameters:
  ///   - content: for receivers of other formats; nil if they get nothing.
  ///   - sender: receives nothing; nil for this server.
  ///   - users: the receivers; nil for all.
  package func messages(
    _ message: DataMessage, in format: any DataFormat, content: DataContent? = nil, from sender: UserID? = nil,
    to users: [UserID]?
  ) -> [AddressedMessage] {
    let source = dataSender(sender)
    return receivers(users, besides: sender).compactMap { other, transports in
      var message = message
      if other.name != format.name {
        guard let payload = content.flatMap({ other.encode($0, from: source) }) else { return nil }
        message.payload = payload
      }
      return AddressedMessage(message: message, transports: transports)
    }
  }

  /// Returns who sends a message of a user; nil for one who must not be shown.
  private func dataSender(_ user: UserID?) -> DataSender? {
    guard let user, let participant = roster[user], !participant.isHidden else { return nil }
    return DataSender(user: user, joinedAt: participant.joinedAt, room: name)
  }

  /// Returns the transports on which participants receive messages, by format.
  /// - Parameters:
  ///   - users: nil for all participants.
  ///   - sender: receives nothing.
  private func receivers(
    _ users: [UserID]?, besides sender: UserID?
  ) -> [(format: any DataFormat, transports: [TransportID])] {
    var all: [(format: any DataFormat, transports: [TransportID])] = []
    for user in users.map({ Array(Set($0)) }) ?? roster.order where user != sender {
      guard let participant = roster[user], let format = participant.data?.format,
        let transport = participant.receiving.transport?.id
      else { continue }
      if let index = all.firstIndex(where: { $0.format.name == format.name }) {
        all[index].transports.append(transport)
      } else {
        all.append((format, [transport]))
      }
    }
    return all
  }
}

/// A message over data channels, with the transports that receive it.
package struct AddressedMessage: Sendable {
  var message: DataMessage
  var transports: [TransportID]
}

extension MediaRoom {
  /// Sends messages.
  /// - Returns: the number of receivers.
  @discardableResult func send(_ messages: [AddressedMessage]) -> Int {
    for message in messages { send(message.message, to: message.transports) }
    return messages.reduce(0) { $0 + $1.transports.count }
  }
}
