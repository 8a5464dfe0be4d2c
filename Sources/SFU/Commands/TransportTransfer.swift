/// A transport that goes from one room to another, with what is published on it. Both rooms number their media on their own.
package struct TransportTransfer: Sendable, Hashable {
  package var transport: TransportID
  /// The transport's id in the other room.
  package var next: TransportID
  /// The ids of its tracks in the other room, by those in the first one. A track without ends.
  package var tracks: [MediaTrackID: MediaTrackID]

  package init(_ transport: TransportID, as next: TransportID, tracks: [MediaTrackID: MediaTrackID]) {
    (self.transport, self.next, self.tracks) = (transport, next, tracks)
  }
}
