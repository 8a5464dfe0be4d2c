import RoomRTP
import RoomProtocol
import RoomSFU
import RoomWebRTC

/// The transport on which a participant receives: the tracks on its m-lines, and the one offer in flight.
///
/// The transport makes minimal changes. An unwanted track ends at once, a new one goes into the next offer, and an offer is
/// made only when none is in flight. The cost of a change does not depend on the number of other tracks.
///
/// On a single connection the client makes the offers: it is asked for one, and the answer to it has the tracks.
struct SubscribeTransport: Sendable {
  /// A wanted track with its publisher's parameters.
  struct Source: Sendable {
    var userId: UserID
    var track: PublishedTrack
    /// The codec of a rendition of the track; nil for the track itself.
    var rendition: CodecName?
  }

  /// A track on its m-line.
  private struct Line: Sendable {
    var userId: UserID
    var track: MediaTrackID
    var rendition: CodecName?
    var mid: Mid
    /// Nil until the answer accepts the m-line.
    var subscription: SubscriptionID?
    /// The state of the track that was sent to the client last; nil if none was.
    var stream: StreamInfo?
  }

  /// The result of an answer.
  struct Settled: Sendable {
    struct Accepted: Sendable {
      var subscription: SubscriptionID
      var trackId: TrackID
      var track: MediaTrackID
      var parameters: RTPParameters
    }

    /// Nil if the transport did not change.
    var remote: TransportParameters?
    /// What the client says of data channels; nil without.
    var data: DataParameters?
    var accepted: [Accepted] = []
    struct Rejected: Sendable {
      var trackId: TrackID
      var reason: String
      /// What was offered, if the client has no codec in common with it: another one may be offered.
      var lacks: PublishedTrack?
    }

    var rejected: [Rejected] = []
  }

  var id: TransportID
  let local: TransportParameters
  /// Whether it replaces an earlier transport of the same client.
  let replaces: Bool
  /// Nil if the client makes the offers.
  private var negotiation: SubscribeNegotiation?
  private var requests = LineRequests()
  private var lines: [TrackID: Line] = [:]
  private var wanted: [TrackID: Source] = [:]
  /// The ids in `wanted` without an m-line.
  private var missing: Set<TrackID> = []
  /// The wanted tracks by the order in which they became missing: one that was not wanted for a while begins anew.
  private var numbers: [TrackID: UInt32] = [:]
  private var lastNumber: UInt32 = 0
  private var remote: TransportParameters?
  private var hasOffered = false
  private var restarts = 0
  /// The offer that waits for its answer.
  private(set) var pending: OfferData?

  /// - Parameters:
  ///   - opensAtOnce: whether the first offer is made without a track, so that the transport connects.
  ///   - hasData: whether data channels are offered.
  init(
    id: TransportID, local: TransportParameters, replaces: Bool, opensAtOnce: Bool = false, hasData: Bool = false
  ) {
    self.id = id
    self.replaces = replaces
    self.local = local
    var negotiation = SubscribeNegotiation(local: local)
    if hasData {
      // The first m-line is below any limit.
      try? negotiation.addDataChannels()
    } else if opensAtOnce {
      negotiation.addInactiveAudio()
    }
    self.negotiation = negotiation
  }

  /// Receives on the transport on which the client publishes.
  init(sharing transport: PublishTransport) {
    (id, local, replaces) = (transport.id, transport.local, false)
  }

  /// Sets whether and from which source a track is received; nil for not at all. Has no effect if nothing changes.
  /// - Returns: the subscription that ends with it.
  mutating func set(_ trackId: TrackID, _ source: Source?) -> SubscriptionID? {
    wanted[trackId] = source
    if source != nil { requests.wanted() } else { numbers[trackId] = nil }
    guard let line = lines[trackId], line.track != source?.track.id else {
      setMissing(trackId, source != nil && lines[trackId] == nil)
      return nil
    }
    negotiation?.remove(mid: line.mid)
    requests.vacated()
    lines[trackId] = nil
    setMissing(trackId, source != nil)
    return line.subscription
  }

  /// Ends all tracks: their room is another one from now on.
  mutating func leaveAll() {
    for track in Array(wanted.keys) { _ = set(track, nil) }
    requests.repeatLast()
  }

  private mutating func setMissing(_ trackId: TrackID, _ isMissing: Bool) {
    guard isMissing else {
      missing.remove(trackId)
      return
    }
    missing.insert(trackId)
    lastNumber &+= 1
    numbers[trackId] = lastNumber
  }

  /// The subscription to a track; nil until the client's answer accepts it.
  func subscription(to track: TrackID) -> SubscriptionID? { lines[track]?.subscription }

  /// The track of a subscription.
  func track(of subscription: SubscriptionID) -> TrackID? { lines.first { $0.value.subscription == subscription }?.key }

  /// Stores the state of a track that is sent to the client.
  mutating func note(_ stream: StreamInfo) { lines[stream.trackId]?.stream = stream }

  /// The states of its tracks that were sent to the client.
  var streams: [StreamInfo] { lines.values.compactMap(\.stream).sorted { $0.trackId.rawValue < $1.trackId.rawValue } }

  /// Whether it receives, or is to receive, this media.
  func wants(_ track: MediaTrackID) -> Bool { wanted.values.contains { $0.track.id == track } }

  /// The ids of the wanted tracks.
  var wantedIds: some Collection<TrackID> { wanted.keys }

  /// The tracks on its m-lines, by mid.
  var tracks: [OfferedTrack] {
    lines.map { trackId, line in
      OfferedTrack(mid: line.mid.rawValue, userId: line.userId, trackId: trackId, rendition: line.rendition)
    }
    .sorted { ($0.mid.count, $0.mid) < ($1.mid.count, $1.mid) }
  }

  /// Assigns each wanted track an m-line, unless an offer is in flight.
  /// - Returns: the tracks that can't have one, with the reason; they are no longer wanted.
  mutating func addMissing() -> [(trackId: TrackID, reason: String)] {
    guard pending == nil, !missing.isEmpty, negotiation != nil else { return [] }
    var refused: [(trackId: TrackID, reason: String)] = []
    let sources = missing.compactMap { id in wanted[id].map { (id, $0) } }
    missing = []
    // In the order of publication, so that clients see m-lines in a meaningful order.
    for (trackId, source) in sources.sorted(by: { $0.1.track.id.rawValue < $1.1.track.id.rawValue }) {
      do {
        let (parameters, user) = (source.track.parameters, source.userId.rawValue)
        guard let mid = try negotiation?.add(parameters, userID: user, trackID: trackId.rawValue) else { continue }
        lines[trackId] = Line(userId: source.userId, track: source.track.id, rendition: source.rendition, mid: mid)
      } catch {
        wanted[trackId] = nil
        refused.append((trackId, "\(error)"))
      }
    }
    return refused
  }

  /// The media worker remembers this many credentials of a transport, less some.
  private static let maximumRestarts = 60
  /// Whether ICE can be restarted once more.
  var canRestart: Bool { restarts < Self.maximumRestarts }

  /// Restarts ICE with the next offer, which replaces one in flight.
  mutating func restart(_ credentials: ICECredentials) {
    restarts += 1
    negotiation?.restart(credentials)
    pending = nil
  }

  /// Notes that an offer of the client restarted ICE of a transport.
  mutating func noteSharedRestart(of transport: TransportID) { if transport == id { restarts += 1 } }

  /// Returns the offer to send now, with this number; nil if none is needed or one is in flight.
  mutating func makeOffer(number: Int) -> OfferData? {
    guard pending == nil, negotiation?.needsOffer == true, let sdp = negotiation?.makeOffer() else { return nil }
    let offer = OfferData(offer: number, sdp: sdp, tracks: tracks, restart: replaces && !hasOffered)
    pending = offer
    hasOffered = true
    return offer
  }

  /// Parses the answer to the offer in flight.
  /// - Parameter nextID: returns an id for each subscription that starts.
  /// - Throws: if the answer is invalid; the offer stays in flight.
  mutating func accept(_ sdp: String, nextID: () -> SubscriptionID) throws(NegotiationError) -> Settled {
    guard let answer = try negotiation?.accept(answer: sdp) else { throw .noOfferPending }
    pending = nil
    var settled = Settled(data: answer.data)
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
      settled.accepted.append(.init(subscription: subscription, trackId: trackId, track: line.track, parameters: parameters))
    }
    for media in answer.rejected {
      guard let trackId = byMid[media.mid] else { continue }
      lines[trackId] = nil
      let track = wanted.removeValue(forKey: trackId)?.track
      settled.rejected.append(.init(trackId: trackId, reason: media.reason, lacks: track))
    }
    return settled
  }

  // MARK: A single connection

  /// M-lines up to which a client with a single connection is asked for more. Chromium's offer then has 190 kB.
  private static let mostLines = 64

  /// What to send in the answer to the client's offer, in the order of publication.
  var tracksToSend: [TrackToSend] { sources.map(\.sent) }

  private var sources: [(trackId: TrackID, source: Source, sent: TrackToSend)] {
    wanted.sorted { $0.value.track.id.rawValue < $1.value.track.id.rawValue }.map { trackId, source in
      let (track, user) = (source.track, source.userId)
      return (
        trackId, source,
        TrackToSend(track.parameters, number: numbers[trackId] ?? 0, userID: user.rawValue, trackID: trackId.rawValue)
      )
    }
  }

  /// Applies the answer to an offer of the client.
  /// - Parameters:
  ///   - answered: what the answer to ``tracksToSend`` sends.
  ///   - nextID: returns an id for each subscription that starts.
  mutating func settle(_ answered: AnsweredSending, nextID: () -> SubscriptionID) -> Settled {
    var settled = Settled()
    var free = answered.free
    let media = Dictionary(answered.media.map { ($0.track, $0.parameters) }) { first, _ in first }
    missing = []
    for (trackId, source, sent) in sources {
      if let parameters = media[sent.id] {
        guard lines[trackId] == nil else { continue }
        let subscription = nextID()
        lines[trackId] = Line(
          userId: source.userId, track: source.track.id, rendition: source.rendition, mid: parameters.mid,
          subscription: subscription)
        settled.accepted.append(
          .init(subscription: subscription, trackId: trackId, track: source.track.id, parameters: parameters))
      } else if answered.rejected.contains(sent.id) {
        wanted[trackId] = nil
        settled.rejected.append(.init(trackId: trackId, reason: "no codec in common", lacks: source.track))
      } else if free[sent.kind, default: 0] > 0 || answered.lines < Self.mostLines {
        free[sent.kind, default: 0] -= 1
        missing.insert(trackId)
      } else {
        wanted[trackId] = nil
        settled.rejected.append(.init(trackId: trackId, reason: "the connection has \(Self.mostLines) m-lines"))
      }
    }
    requests.answered(
      free: answered.free, available: max(0, Self.mostLines - answered.lines), isComplete: missing.isEmpty)
    return settled
  }

  /// Asks again, because the last request may have been lost.
  mutating func repeatRequest() { requests.repeatLast() }

  /// Returns the m-lines that the client's next offer needs in addition; nil if no offer is needed.
  mutating func requestLines() -> LineRequest? {
    guard negotiation == nil else { return nil }
    return requests.next(missing: missing.compactMap { wanted[$0]?.track.parameters.kind })
  }
}
