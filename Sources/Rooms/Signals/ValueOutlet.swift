import RoomProtocol
import RoomSFU

/// An outlet whose client speaks another protocol: it takes what the room sends as values, instead of encoded messages.
package protocol ValueOutlet: SignalOutlet {
  /// Takes a value, after those that were delivered before it. The method never blocks.
  func deliver(_ value: RoomDelivery)
}

/// What a room sends to a client.
package enum RoomDelivery: Sendable {
  case event(SignalEvent)
  case answer(request: Int, Result<any Codable & Sendable, RoomError>)
  /// The answer to a join.
  case welcome(request: Int, JoinResult)
  /// A message of this client over a data channel.
  case message(DataMessage)
  /// A track of this client has its first subscriber.
  case subscribed(TrackID)
  /// This client is to go to another room.
  case move(RoomName)
  /// The room needs an offer of this client, which has a single connection.
  case needsOffer(LineRequest)
  /// What this client is to send of a track that it can send in several codecs. The first is that of the track.
  case codecsWanted(TrackID, [WantedCodec])
}

/// What a client is to send of a track in one codec.
package struct WantedCodec: Sendable, Hashable {
  package var codec: CodecName
  /// The rids of the layers; none to send nothing, nil for all.
  package var layers: [String]?

  package init(_ codec: CodecName, layers: [String]?) { (self.codec, self.layers) = (codec, layers) }
}

/// The answer to an offer of a client with a single connection.
package struct ConnectionAnswer: Codable, Sendable {
  package var published: PublishResult
  /// The tracks that the client receives, on their m-lines.
  package var received: [OfferedTrack]

  package init(published: PublishResult, received: [OfferedTrack]) {
    (self.published, self.received) = (published, received)
  }
}
