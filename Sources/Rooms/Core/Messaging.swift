import RoomProtocol
import RoomSFU
import RoomWebRTC

// The messages of data channels. They change nothing in the room, so they are no inputs: only their senders and receivers are looked
// up here.

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

  /// Returns who sends a message of a user; nil for one who must not be shown.
  func dataSender(_ user: UserID?) -> DataSender? {
    guard let user, let participant = roster[user], !participant.isHidden else { return nil }
    return DataSender(user: user, joinedAt: participant.joinedAt, room: name)
  }

  /// The receivers of a message whose clients have one format.
  struct DataReceivers {
    var format: any DataFormat
    var transports: [TransportID]
  }

  /// Returns the transports on which participants receive messages, by format.
  /// - Parameters:
  ///   - users: nil for all participants.
  ///   - sender: receives nothing.
  func dataReceivers(_ users: [UserID]?, besides sender: UserID?) -> [DataReceivers] {
    var all: [DataReceivers] = []
    for user in users.map({ Array(Set($0)) }) ?? roster.order where user != sender {
      guard let participant = roster[user], let format = participant.data?.format,
        let transport = participant.receiving.transport?.id
      else { continue }
      if let index = all.firstIndex(where: { $0.format.name == format.name }) {
        all[index].transports.append(transport)
      } else {
        all.append(DataReceivers(format: format, transports: [transport]))
      }
    }
    return all
  }
}
