import RTP
import WebRTC

/// What a worker keeps of one room beside the packet path's tables: names, events, speakers.
final class RoomBook {
  let number: RoomNumber
  private let events: @Sendable (MediaEvent) -> Void
  private var untold: [MediaEvent] = []
  /// Indices into the worker's tables.
  var transports: [TransportID: Int] = [:]
  var tracks: [MediaTrackID: Int] = [:]
  var subscriptions: [SubscriptionID: Int] = [:]
  var speakers = SpeakerRanking()
  /// Tracks that were audible at the last tick.
  var audible: Set<MediaTrackID> = []

  init(number: RoomNumber, events: @escaping @Sendable (MediaEvent) -> Void) {
    self.number = number
    self.events = events
  }

  /// Notes an event; true for the first since the last delivery.
  func tell(_ event: MediaEvent) -> Bool {
    untold.append(event)
    return untold.count == 1
  }

  /// Hands over what was collected since the last time, in its order.
  func deliver() {
    guard !untold.isEmpty else { return }
    let batch = untold
    untold.removeAll(keepingCapacity: true)
    for event in batch { events(event) }
  }
}

/// What a transport owns and its slot only points to.
final class TransportBook {
  let peer: Peer
  /// All local user fragments so far: one, and one more for each ICE restart.
  var ufrags: [String]
  var sealer: SRTPSealer?
  var feedback: FeedbackBook?
  /// The SSRCs that were used on this transport before.
  var retired: [SSRC: RetiredStream] = [:]

  /// More than a client has a use for; a subscription over it is refused.
  static let maximumRetired = 8192
  static let maximumRestarts = 64

  init(peer: Peer, ufrag: String) {
    self.peer = peer
    ufrags = [ufrag]
  }
}

/// What a track's slot only points to.
final class TrackBook {
  var parameters: RTPParameters
  let reception: ReceptionBook
  /// The name that binds the publisher's tracks together.
  let canonicalName: String
  /// Owned here; the slot's list points to their rings.
  var taps: [TrackTap] = []
  /// Likewise; nil for a track that comes by a transport.
  var injection: TrackInjection?

  init(parameters: RTPParameters, reception: ReceptionBook, canonicalName: String) {
    self.parameters = parameters
    self.reception = reception
    self.canonicalName = canonicalName
  }
}

/// What belongs to a subscription and is no business of the packet path.
final class SubscriptionBook {
  let parameters: RTPParameters
  let canonicalName: String

  init(parameters: RTPParameters, canonicalName: String) {
    self.parameters = parameters
    self.canonicalName = canonicalName
  }
}
