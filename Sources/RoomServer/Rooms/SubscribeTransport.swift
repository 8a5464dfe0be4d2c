import RoomProtocol
import SFU
import WebRTC

/// The transport on which a participant receives: which tracks its m-lines carry, and the one offer in flight.
///
/// Told what is wanted, it makes the least change: what is no longer wanted stops at once, what is new goes into the next
/// offer, and an offer is made only when none waits for its answer.
struct SubscribeTransport: Sendable {
  /// A track that is wanted, as its publisher sends it.
  struct Source: Sendable {
    var userId: UserID
    var track: PublishedTrack
  }

  /// A track on its m-line.
  private struct Line: Sendable {
    var userId: UserID
    var track: MediaTrackID
    var mid: String
    /// Nil until the answer accepts the m-line.
    var subscription: SubscriptionID?
  }

  /// What came of an answer.
  struct Settled: Sendable {
    struct Accepted: Sendable {
      var subscription: SubscriptionID
      var track: MediaTrackID
      var parameters: RTPParameters
    }

    /// Nil where nothing of the transport changed.
    var remote: TransportParameters?
    var accepted: [Accepted] = []
    var rejected: [(trackId: TrackID, reason: String)] = []
  }

  let id: TransportID
  let credentials: ICECredentials
  /// True for a transport that replaces an earlier one of the same client.
  let replaces: Bool
  private var negotiation: SubscribeNegotiation
  private var lines: [TrackID: Line] = [:]
  private var remote: TransportParameters?
  private var hasOffered = false
  /// The offer that waits for its answer.
  private(set) var pending: OfferData?

  init(id: TransportID, local: TransportParameters, replaces: Bool) {
    self.id = id
    self.replaces = replaces
    credentials = local.credentials
    negotiation = SubscribeNegotiation(local: local)
  }

  /// The tracks that have an m-line, accepted or not.
  var trackIds: Set<TrackID> { Set(lines.keys) }

  /// Takes away what is not in `wanted`; gives the subscriptions that end with it.
  mutating func drop(allBut wanted: [TrackID: Source]) -> [SubscriptionID] {
    var ended: [SubscriptionID] = []
    for (trackId, line) in lines where wanted[trackId]?.track.id != line.track {
      negotiation.remove(mid: line.mid)
      lines[trackId] = nil
      if let subscription = line.subscription { ended.append(subscription) }
    }
    return ended
  }

  /// Adds what of `wanted` has no m-line yet, unless an offer is in flight; gives those that can't be added, with the reason.
  mutating func add(_ wanted: [TrackID: Source]) -> [(trackId: TrackID, reason: String)] {
    guard pending == nil else { return [] }
    var refused: [(trackId: TrackID, reason: String)] = []
    // In the order of publication, so that clients see m-lines in an order that means something.
    for (trackId, source) in wanted.sorted(by: { $0.value.track.id.rawValue < $1.value.track.id.rawValue })
    where lines[trackId] == nil {
      do {
        let mid = try negotiation.add(source.track.parameters, userID: source.userId.rawValue, trackID: trackId.rawValue)
        lines[trackId] = Line(userId: source.userId, track: source.track.id, mid: mid)
      } catch {
        refused.append((trackId, "\(error)"))
      }
    }
    return refused
  }

  /// The offer to send now, with this number; nil where none is needed or one is in flight.
  mutating func makeOffer(number: Int) -> OfferData? {
    guard pending == nil, negotiation.needsOffer else { return nil }
    let sdp = negotiation.makeOffer()
    let tracks = lines.map { OfferedTrack(mid: $0.value.mid, userId: $0.value.userId, trackId: $0.key) }
      .sorted { ($0.mid.count, $0.mid) < ($1.mid.count, $1.mid) }
    let offer = OfferData(offer: number, sdp: sdp, tracks: tracks, restart: replaces && !hasOffered)
    pending = offer
    hasOffered = true
    return offer
  }

  /// Reads the answer to the offer in flight.
  /// - Parameter nextID: gives ids for the subscriptions that begin.
  /// - Throws: where the answer can't be read; the offer stays in flight.
  mutating func accept(_ sdp: String, nextID: () -> SubscriptionID) throws(NegotiationError) -> Settled {
    let answer = try negotiation.accept(answer: sdp)
    pending = nil
    var settled = Settled()
    if let remote = answer.remote, remote != self.remote {
      self.remote = remote
      settled.remote = remote
    }
    let byMid = Dictionary(lines.map { ($0.value.mid, $0.key) }, uniquingKeysWith: { first, _ in first })
    for parameters in answer.accepted {
      guard let trackId = byMid[parameters.mid], var line = lines[trackId], line.subscription == nil else { continue }
      let subscription = nextID()
      line.subscription = subscription
      lines[trackId] = line
      settled.accepted.append(.init(subscription: subscription, track: line.track, parameters: parameters))
    }
    for media in answer.rejected {
      guard let trackId = byMid[media.mid] else { continue }
      lines[trackId] = nil
      settled.rejected.append((trackId, media.reason))
    }
    return settled
  }
}
