import RTP
import RoomProtocol
import WebRTC

/// What a client publishes: its tracks, their m-lines, and the transport that carries them. Belongs to the session's actor.
final class Publisher {
  /// One track and its m-line.
  fileprivate struct Publication {
    let held: Held
    var mid: Mid
    /// As the last accepted answer left it; nil before the first.
    var parameters: RTPParameters?
    var trackId: TrackID?

    var track: any LocalTrack { held.track }
    var line: TrackLine { held.line }
  }

  /// A track that the room has hold of.
  struct Held {
    let track: any LocalTrack
    let line: TrackLine
  }

  /// What to ask of the server; `accept` or `abandon` follows.
  struct Proposal {
    let params: PublishParams
    fileprivate let offer: PublishOffer
    fileprivate let publications: [Publication]
    fileprivate let transport: MediaTransport
    fileprivate let generation: Int
  }

  private let loop: MediaLoop
  private let cname = ICECredentials.random().ufrag
  private var offer: PublishOffer?
  private(set) var transport: MediaTransport?
  private var remote: TransportParameters?
  private var publications: [Publication] = []
  private(set) var isConnected = false
  /// A proposal went out and nobody knows what became of it: only a new transport is sure to agree with the server.
  private var isUncertain = false
  /// Grows with each transport, so that what an old one still says is not taken for the new one's.
  private(set) var generation = 0
  private let route: MediaRoute
  private let events: @Sendable (MediaChannel.Event, Int) -> Void

  init(
    loop: MediaLoop, route: MediaRoute,
    events: @escaping @Sendable (MediaChannel.Event, Int) -> Void
  ) {
    self.loop = loop
    self.route = route
    self.events = events
  }

  var isEmpty: Bool { publications.isEmpty }
  /// Whether a transport exists that could be repaired.
  var isOpen: Bool { transport != nil }

  // MARK: proposals

  /// Adds tracks to what is offered.
  func propose(adding tracks: [Held]) throws -> Proposal {
    guard let offer, let transport, !isUncertain else {
      return try proposeAnew(publications.map(\.held) + tracks, keepingIds: true)
    }
    var next = offer
    var added: [Publication] = []
    for track in tracks { added.append(try Self.add(track, to: &next)) }
    return Proposal(
      params: PublishParams(sdp: next.makeOffer(), tracks: added.map { Self.describe($0, keepingId: false) }), offer: next,
      publications: publications + added, transport: transport, generation: generation)
  }

  /// Offers all tracks on a new transport. `keepingIds` where the server still knows the tracks.
  func proposeRestart(keepingIds: Bool) throws -> Proposal {
    try proposeAnew(publications.map(\.held), keepingIds: keepingIds)
  }

  private func proposeAnew(_ tracks: [Held], keepingIds: Bool) throws -> Proposal {
    let isRestart = keepingIds && (isUncertain || publications.contains { $0.trackId != nil })
    let number = generation + 1
    let events = events
    let certificate = try ClientCertificate.shared()
    let transport = MediaTransport(loop: loop, certificate: certificate) { events($0, number) }
    var next = PublishOffer(local: transport.parameters(certificate), cname: cname)
    var all: [Publication] = []
    for track in tracks {
      var publication = try Self.add(track, to: &next)
      if isRestart { publication.trackId = publications.first { $0.line === track.line }?.trackId }
      all.append(publication)
    }
    return Proposal(
      params: PublishParams(
        sdp: next.makeOffer(), tracks: all.map { Self.describe($0, keepingId: isRestart) }, restart: isRestart ? true : nil),
      offer: next, publications: all, transport: transport, generation: number)
  }

  /// Takes the server's answer; gives the tracks that it refused, which are published no more.
  func accept(_ proposal: Proposal, _ result: PublishResult) throws -> [Held] {
    var next = proposal.offer
    let answer = try next.accept(answer: result.sdp)
    var all = proposal.publications
    for parameters in answer.accepted {
      guard let index = all.firstIndex(where: { $0.mid == parameters.mid }) else { continue }
      all[index].parameters = parameters
    }
    for published in result.tracks {
      guard let index = all.firstIndex(where: { $0.mid.rawValue == published.mid }) else { continue }
      all[index].trackId = published.track.trackId
      all[index].line.named(published.track.trackId)
      all[index].line.setMuted(published.track.muted)
    }
    let refused = all.filter { $0.parameters == nil || $0.trackId == nil }
    for publication in refused { next.remove(mid: publication.mid) }
    all.removeAll { $0.parameters == nil || $0.trackId == nil }
    if transport !== proposal.transport {
      transport?.close()
      transport = proposal.transport
      generation = proposal.generation
      isConnected = false
      remote = nil
    }
    offer = next
    publications = all
    isUncertain = false
    if let described = answer.remote, described != remote {
      remote = described
      transport?.setRemote(route.applied(to: described))
    }
    apply()
    return refused.map(\.held)
  }

  /// The server did not take it, and all is as before; or, `uncertain`, it may have.
  func abandon(_ proposal: Proposal, uncertain: Bool) {
    isUncertain = isUncertain || uncertain
    if transport !== proposal.transport { proposal.transport.close() }
  }

  /// Takes tracks off; the server hears of it by the call, and of the m-lines by the next offer.
  func remove(_ tracks: [any LocalTrack]) {
    for publication in publications where tracks.contains(where: { $0 === publication.track }) {
      offer?.remove(mid: publication.mid)
      publication.line.release()
    }
    publications.removeAll { publication in tracks.contains { $0 === publication.track } }
    apply()
  }

  /// Ends all: the tracks may be published elsewhere.
  func close() {
    for publication in publications { publication.line.release() }
    publications = []
    transport?.close()
    transport = nil
    offer = nil
    remote = nil
    isConnected = false
    isUncertain = false
  }

  // MARK: the transport

  func connected(_ isUp: Bool) {
    isConnected = isUp
    plug()
  }

  func networkChanged() { transport?.networkChanged() }

  /// The published tracks, and the m-lines under which the transport counts them.
  var published: [(trackId: TrackID, mid: Mid, track: any LocalTrack)] {
    publications.compactMap { publication in
      publication.trackId.map { (trackId: $0, mid: publication.mid, track: publication.track) }
    }
  }

  func holds(_ track: any LocalTrack) -> Bool { publications.contains { $0.track === track } }

  /// Its id in this room; in another it may have another.
  func trackId(of track: any LocalTrack) -> TrackID? { publications.first { $0.track === track }?.trackId }

  var tracks: [any LocalTrack] { publications.map(\.track) }

  /// Takes the server's view of one's own tracks after a resume.
  func reconcile(_ tracks: [TrackInfo]) -> Reconciled {
    for track in tracks { muted(trackId: track.trackId, track.muted) }
    let known = Set(publications.compactMap(\.trackId))
    return Reconciled(
      unknown: tracks.map(\.trackId).filter { !known.contains($0) }, withdrawn: withdraw(keeping: Set(tracks.map(\.trackId))))
  }

  struct Reconciled {
    /// Tracks that nobody here knows of.
    var unknown: [TrackID]
    /// Tracks that the server knows no more.
    var withdrawn: [TrackID]
  }

  /// The server withdrew tracks by itself: they are published no more.
  /// - Parameter kept: those that it did not withdraw.
  /// - Returns: the ids of those that it did.
  func withdraw(keeping kept: Set<TrackID>) -> [TrackID] {
    let gone = publications.filter { publication in publication.trackId.map { !kept.contains($0) } ?? false }
    guard !gone.isEmpty else { return [] }
    for publication in gone {
      offer?.remove(mid: publication.mid)
      publication.line.release()
    }
    publications.removeAll { publication in gone.contains { $0.line === publication.line } }
    apply()
    return gone.compactMap(\.trackId)
  }

  func muted(trackId: TrackID, _ muted: Bool) {
    publications.first { $0.trackId == trackId }?.line.setMuted(muted)
  }

  /// Tells the transport what is sent now.
  private func apply() {
    let lines = Dictionary(publications.map { ($0.mid, $0.line) }, uniquingKeysWith: { first, _ in first })
    var ceilings: [Mid: Int] = [:]
    for publication in publications {
      if let video = publication.track as? LocalVideoTrack, let bitrate = video.bitrate { ceilings[publication.mid] = bitrate }
    }
    transport?.setSenders(publications.compactMap(\.parameters), lines: lines, ceilings: ceilings)
    plug()
  }

  /// Connects the tracks with the transport while it is up, and only then: frames that can't leave are of no use later.
  private func plug() {
    for publication in publications {
      guard isConnected, let transport else {
        publication.line.connect(nil)
        continue
      }
      let mid = publication.mid
      publication.line.connect(
        TrackLine.Outlet(transport: ObjectIdentifier(transport), mid: mid) { transport.send($0, mid: mid, level: $1) })
    }
  }

  private static func add(_ held: Held, to offer: inout PublishOffer) throws -> Publication {
    do {
      // Not the tag: that is the app's own, and several tracks may have the same.
      let parameters = try offer.add(held.track.rtpCodec, trackID: String(UInt64.random(in: .min ... .max), radix: 36))
      return Publication(held: held, mid: parameters.mid)
    } catch {
      throw RoomClientError.negotiationFailed(error.description)
    }
  }

  private static func describe(_ publication: Publication, keepingId: Bool) -> NewTrack {
    let track = publication.track
    let video = track as? LocalVideoTrack
    return NewTrack(
      mid: publication.mid.rawValue, kind: track.kind, tag: track.tag, master: track.master, muted: publication.line.isMuted,
      trackId: keepingId ? publication.trackId : nil, width: video?.width, height: video?.height, fps: video?.fps,
      bitrate: video?.bitrate)
  }
}

extension LocalTrack {
  /// The codec as offers name it.
  fileprivate var rtpCodec: RTPCodec {
    guard let video = self as? LocalVideoTrack else { return .opus }
    return switch video.codec {
    case .vp8: .vp8
    case .h264:
      .h264(
        WebRTC.H264Profile(profileLevelID: video.profile.rawValue) ?? .constrainedBaseline,
        level: .needed(width: video.width, height: video.height, fps: video.fps))
    }
  }
}
