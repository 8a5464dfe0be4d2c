import RoomRTP
import RoomWebRTC

/// A worker's state of one room outside the packet path's tables: names, events, speakers.
final class MediaRoomState {
  let number: RoomNumber
  private let events: @Sendable (MediaEvent) -> Void
  private var pendingEvents: [MediaEvent] = []
  /// Indices into the worker's tables.
  var transports: [TransportID: Int] = [:]
  var tracks: [MediaTrackID: Int] = [:]
  var subscriptions: [SubscriptionID: Int] = [:]
  var speakers = SpeakerRanking()
  /// Tracks that were audible at the last tick.
  var audible: Set<MediaTrackID> = []
  /// The latest levels of tracks that other workers receive, in dBov.
  var otherLevels: [MediaTrackID: Int] = [:]

  init(number: RoomNumber, events: @escaping @Sendable (MediaEvent) -> Void) {
    self.number = number
    self.events = events
  }

  /// Queues an event. Returns true for the first since the last delivery.
  func report(_ event: MediaEvent) -> Bool {
    pendingEvents.append(event)
    return pendingEvents.count == 1
  }

  /// Delivers the queued events in order.
  func deliver() {
    guard !pendingEvents.isEmpty else { return }
    let batch = pendingEvents
    pendingEvents.removeAll(keepingCapacity: true)
    for event in batch { events(event) }
  }
}

/// The objects that a transport owns and its slot only points to.
final class TransportState {
  let peer: Peer
  /// All local user fragments so far: one, plus one for each ICE restart.
  var ufrags: [String]
  var sealer: SRTPSealer?
  var feedback: ArrivalRecorder?
  /// Nil without data channels.
  var data: TransportData?
  /// The SSRCs that were used on this transport before.
  var retired: [SSRC: RetiredStream] = [:]

  /// More than any client needs. A subscription beyond it is refused.
  static let maximumRetired = 8192
  static let maximumRestarts = 64

  init(peer: Peer, ufrag: String) {
    self.peer = peer
    ufrags = [ufrag]
  }
}

/// The objects that a track's slot only points to.
final class TrackState {
  var parameters: RTPParameters
  let reception: ReceptionState
  /// The CNAME, which binds the publisher's tracks together.
  let canonicalName: String
  /// Owned here; the slot's list points to their rings.
  var taps: [TrackTap] = []
  /// The layer of a simulcast that has the taps; nil for the first. Only the first layer's state has it, `taps` and `demand`.
  var tapped: Int?
  /// The size in which scaled taps are shown; nil for the full size.
  var tapSize: PictureSize?
  var demand = LayerDemand()
  /// The layers at the last choice; nil for a track without layers.
  var layers: LayerSet?
  /// The layers that were reported last.
  var reported: [TrackLayer] = []
  /// The limit on the publisher of a track without layers.
  var cap: PublisherCap?
  /// Owned here too; nil for a track that arrives over a transport.
  var injection: TrackInjection?
  /// Of this track or layer, to other workers.
  var links: [WorkerLink] = []

  /// The size that is enough for all taps; nil for the full size.
  var sufficientSize: PictureSize? { taps.allSatisfy(\.isScaled) ? tapSize : nil }

  init(parameters: RTPParameters, reception: ReceptionState, canonicalName: String) {
    self.parameters = parameters
    self.reception = reception
    self.canonicalName = canonicalName
  }
}

/// The state of a subscription that the packet path does not need.
final class SubscriptionState {
  let parameters: RTPParameters
  let canonicalName: String

  init(parameters: RTPParameters, canonicalName: String) {
    self.parameters = parameters
    self.canonicalName = canonicalName
  }
}
