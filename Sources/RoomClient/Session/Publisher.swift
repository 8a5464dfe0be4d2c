import RoomRTP
import RoomProtocol
import RoomWebRTC

/// The tracks that a client publishes, their m-lines, and the transport that carries them. Confined to the session's actor.
final class Publisher {
  /// A track and its m-line.
  fileprivate struct Publication {
    let held: ClaimedTrack
    var mid: Mid
    /// The parameters of the last accepted answer; nil before the first.
    var parameters: RTPParameters?
    var trackId: TrackID?

    var track: any LocalTrack { held.track }
    var line: TrackLine { held.line }
    /// Whether the server receives the layers of the track.
    var isLayered: Bool { parameters?.encodings.contains { $0.rid != nil } ?? false }
  }

  /// A track that the room has claimed.
  struct ClaimedTrack {
    let track: any LocalTrack
    let line: TrackLine
  }

  /// A proposal to send to the server. `accept` or `abandon` must follow.
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
  /// Whether the current transport replaces one that was connected.
  private(set) var replacesConnected = false
  /// True if the result of a sent proposal is unknown. Only a new transport is then certain to match the server's state.
  private var isUncertain = false
  /// Incremented with each transport, so that events of an old one are ignored.
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
  /// Whether there is a transport to repair.
  var isOpen: Bool { transport != nil }

  // MARK: proposals

  /// Returns a proposal that adds tracks.
  func propose(adding tracks: [ClaimedTrack]) throws -> Proposal {
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

  /// Returns a proposal with all tracks on a new transport.
  /// - Parameter keepingIds: whether the server still knows the tracks.
  func proposeRestart(keepingIds: Bool) throws -> Proposal {
    try proposeAnew(publications.map(\.held), keepingIds: keepingIds)
  }

  private func proposeAnew(_ tracks: [ClaimedTrack], keepingIds: Bool) throws -> Proposal {
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

  /// Applies the server's answer. Returns the tracks that it rejected, which are no longer published.
  func accept(_ proposal: Proposal, _ result: PublishResult) throws -> [ClaimedTrack] {
    var next = proposal.offer
    let answer = try next.accept(answer: result.sdp)
    var all = proposal.publications
    for parameters in answer.accepted {
      guard let index = all.firstIndex(where: { $0.mid == parameters.mid }) else { continue }
      all[index].parameters = parameters
      guard let layers = all[index].track.fed?.feed.layers, let largest = layers.last else { continue }
      // A server without simulcast receives one stream.
      let received = Set(parameters.encodings.compactMap(\.rid))
      all[index].line.setWanted(received.isEmpty ? [largest] : received == Set(layers) ? nil : received)
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
      replacesConnected = isConnected
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

  /// Discards a proposal that the server rejected; with `uncertain` the server may have accepted it.
  func abandon(_ proposal: Proposal, uncertain: Bool) {
    isUncertain = isUncertain || uncertain
    if transport !== proposal.transport { proposal.transport.close() }
  }

  /// Removes tracks. The call informs the server of it, and the next offer contains the changed m-lines.
  func remove(_ tracks: [any LocalTrack]) {
    for publication in publications where tracks.contains(where: { $0 === publication.track }) {
      offer?.remove(mid: publication.mid)
      publication.line.release()
    }
    publications.removeAll { publication in tracks.contains { $0 === publication.track } }
    apply()
  }

  /// Ends all publications. The tracks may then be published elsewhere.
  func close() {
    for publication in publications { publication.line.release() }
    publications = []
    transport?.close()
    transport = nil
    offer = nil
    remote = nil
    isConnected = false
    replacesConnected = false
    isUncertain = false
  }

  // MARK: transport

  func connected(_ isUp: Bool) {
    isConnected = isUp
    replacesConnected = false
    plug()
  }

  func networkChanged() { transport?.networkChanged() }

  /// The published tracks and the m-lines under which the transport counts them.
  var published: [(trackId: TrackID, mid: Mid, track: any LocalTrack)] {
    publications.compactMap { publication in
      publication.trackId.map { (trackId: $0, mid: publication.mid, track: publication.track) }
    }
  }

  func holds(_ track: any LocalTrack) -> Bool { publications.contains { $0.track === track } }

  /// Returns the track's id in this room. In another room it may have another id.
  func trackId(of track: any LocalTrack) -> TrackID? { publications.first { $0.track === track }?.trackId }

  var tracks: [any LocalTrack] { publications.map(\.track) }

  /// Applies the server's state of this client's tracks after a resume.
  func reconcile(_ tracks: [TrackInfo]) -> Reconciled {
    for track in tracks { muted(trackId: track.trackId, track.muted) }
    let known = Set(publications.compactMap(\.trackId))
    return Reconciled(
      unknown: tracks.map(\.trackId).filter { !known.contains($0) }, withdrawn: withdraw(keeping: Set(tracks.map(\.trackId))))
  }

  struct Reconciled {
    /// Tracks that only the server knows.
    var unknown: [TrackID]
    /// Tracks that the server no longer knows.
    var withdrawn: [TrackID]
  }

  /// Removes the tracks that the server unpublished by itself.
  /// - Parameter kept: the tracks that it kept.
  /// - Returns: the ids of the removed tracks.
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

  /// Applies the server's choice of the layers in use.
  func wanted(trackId: TrackID, _ rids: [String]) {
    guard let publication = publications.first(where: { $0.trackId == trackId }), publication.isLayered else { return }
    publication.line.setWanted(Set(rids.map { Rid($0) }))
  }

  /// Applies the current publications to the transport.
  private func apply() {
    let lines = Dictionary(publications.map { ($0.mid, $0.line) }, uniquingKeysWith: { first, _ in first })
    var ceilings: [Mid: Int] = [:]
    for publication in publications {
      if let video = publication.track as? LocalVideoTrack, let bitrate = video.bitrate { ceilings[publication.mid] = bitrate }
    }
    transport?.setSenders(publications.compactMap(\.parameters), lines: lines, ceilings: ceilings)
    plug()
  }

  /// Connects the tracks to the transport only while it is connected, because frames that cannot be sent are useless later.
  private func plug() {
    for publication in publications {
      guard isConnected, let transport else {
        publication.line.connect(nil)
        continue
      }
      let mid = publication.mid
      let isLayered = publication.isLayered
      publication.line.connect(
        TrackLine.Outlet(transport: ObjectIdentifier(transport), mid: mid) {
          transport.send($0, mid: mid, rid: isLayered ? $1 : nil, level: $2)
        })
    }
  }

  private static func add(_ held: ClaimedTrack, to offer: inout PublishOffer) throws -> Publication {
    do {
      // Not the tag: the app chooses it, and several tracks may have the same.
      let parameters = try offer.add(
        held.track.rtpCodec, trackID: String(UInt64.random(in: .min ... .max), radix: 36),
        rids: held.track.fed?.feed.layers ?? [])
      return Publication(held: held, mid: parameters.mid)
    } catch {
      throw RoomClientError.negotiationFailed(error.description)
    }
  }

  private static func describe(_ publication: Publication, keepingId: Bool) -> NewTrack {
    let track = publication.track
    let video = track as? LocalVideoTrack
    return NewTrack(
      mid: publication.mid.rawValue, kind: track.kind, tag: track.tag, master: track.isMain, muted: publication.line.isMuted,
      trackId: keepingId ? publication.trackId : nil, width: video?.width, height: video?.height, fps: video?.fps,
      bitrate: video?.bitrate)
  }
}

extension LocalTrack {
  /// The codec as named in offers.
  var rtpCodec: RTPCodec {
    guard let video = self as? LocalVideoTrack else { return .opus }
    return switch video.codec {
    case .vp8: .vp8
    case .vp9: .vp9()
    case .av1: .av1()
    case .h264:
      .h264(
        RoomWebRTC.H264Profile(profileLevelID: video.profile.rawValue) ?? .constrainedBaseline,
        level: .needed(width: video.width, height: video.height, fps: video.fps))
    }
  }
}
