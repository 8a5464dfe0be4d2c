import RoomRTP
import RoomProtocol
import RoomWebRTC

/// The tracks that a client receives through the m-lines of the server's offers, and the transport that carries them.
///
/// Confined to the session's actor.
final class Subscriber {
  private let loop: MediaLoop
  private let videoCodecs: [CodecName]
  private let route: MediaRoute
  private let data: (@Sendable (_ label: String, DataChannelMessage) -> Void)?
  private var answering: SubscribeAnswer?
  private(set) var transport: MediaTransport?
  /// The transport before, until the new one has a frame of each track that flowed.
  private var leaving: LeavingTransport?
  private var remote: TransportParameters?
  /// The tracks by mid.
  private var tracks: [Mid: RemoteTrack] = [:]
  private(set) var isConnected = false
  private(set) var generation = 0
  private let decoded: @Sendable (RemoteTrack) -> Void
  private let events: @Sendable (MediaChannel.Event, Int) -> Void

  /// - Parameters:
  ///   - data: called for each message over a data channel, with the channel's label; nil to have no data channels.
  ///   - decoded: called for each video track whose first picture was decoded.
  init(
    loop: MediaLoop, videoCodecs: [CodecName], route: MediaRoute,
    data: (@Sendable (_ label: String, DataChannelMessage) -> Void)? = nil,
    decoded: @escaping @Sendable (RemoteTrack) -> Void,
    events: @escaping @Sendable (MediaChannel.Event, Int) -> Void
  ) {
    self.loop = loop
    self.videoCodecs = videoCodecs
    self.route = route
    self.data = data
    self.decoded = decoded
    self.events = events
  }

  var isOpen: Bool { transport != nil }
  /// Whether the current transport replaces one that was connected.
  var replacesConnected: Bool { leaving != nil }
  /// Whether nothing is received: neither tracks nor messages.
  var isEmpty: Bool { tracks.isEmpty && data == nil }

  func track(_ trackId: TrackID) -> RemoteTrack? { tracks.values.first { $0.trackId == trackId } }

  /// The changes of an offer.
  struct Change {
    var answer: String
    var begun: [RemoteTrack] = []
    var ended: [RemoteTrack] = []
  }

  /// Applies an offer. `info` returns the description of a track, `receive` sends the server the reception of one.
  func answer(
    _ offer: OfferData, info: (TrackID) -> TrackInfo?, receive: @escaping @Sendable (TrackReception) async throws -> Void
  ) throws -> Change {
    // A track continues over a new transport; its readers only notice a key frame.
    let isNew = offer.restart || transport == nil
    if isNew { try openTransport() }
    guard var answering, let transport else { throw RoomClientError.mediaFailed("no transport") }
    let answered: AnsweredOffer
    do {
      answered = try answering.answer(offer.sdp)
    } catch {
      throw RoomClientError.negotiationFailed(error.description)
    }
    self.answering = answering
    var change = Change(answer: answered.sdp)
    var next: [Mid: RemoteTrack] = [:]
    let named = Dictionary(offer.tracks.map { (Mid($0.mid), $0) }, uniquingKeysWith: { first, _ in first })
    for parameters in answered.media {
      guard let offered = named[parameters.mid], let codec = parameters.codecs.first else { continue }
      if let known = track(offered.trackId) {
        next[parameters.mid] = known
      } else {
        let kind: TrackKind = parameters.kind == .audio ? .audio : .video
        let new = RemoteTrack(
          userId: offered.userId, info: info(offered.trackId) ?? TrackInfo(trackId: offered.trackId, kind: kind),
          codec: CodecName(rawValue: codec.name), decoded: decoded, receive: receive)
        next[parameters.mid] = new
        change.begun.append(new)
      }
    }
    change.ended = tracks.values.filter { old in !next.values.contains { $0 === old } }
    let flowing = isNew ? Set(next.values.filter { $0.isFlowing }.map(\.trackId)) : nil
    tracks = next
    if let flowing { leaving?.awaited = flowing }
    for (mid, track) in next { track.connect { transport.requestKeyFrame(mid: mid) } }
    if answered.remote != remote {
      remote = answered.remote
      transport.setRemote(route.applied(to: answered.remote))
    }
    if let remote = answered.data, let data { transport.enableData(remote, data) }
    transport.setReceivers(answered.media, tracks: next)
    return change
  }

  private func openTransport() throws {
    let certificate = try ClientCertificate.shared()
    if isConnected, let old = transport {
      // The one before that has waited long enough.
      leaving?.transport.close()
      leaving = LeavingTransport(old, since: .now)
    } else {
      transport?.close()
    }
    generation += 1
    isConnected = false
    remote = nil
    let (events, number) = (events, generation)
    let transport = MediaTransport(loop: loop, certificate: certificate) { events($0, number) }
    let names = Set(videoCodecs.map(\.rawValue)).union(["opus"])
    self.transport = transport
    answering = SubscribeAnswer(local: transport.parameters(certificate), data: data.map { _ in DataParameters() }) {
      names.contains($0.name)
    }
  }

  /// Ends all subscriptions, because the server forgot the session. Returns the tracks that ended.
  func close() -> [RemoteTrack] {
    defer { tracks = [:] }
    transport?.close()
    leaving?.transport.close()
    leaving = nil
    transport = nil
    answering = nil
    remote = nil
    isConnected = false
    return Array(tracks.values)
  }

  func connected(_ isUp: Bool) {
    isConnected = isUp
    if isUp { endLeaving(now: .now) }
  }

  /// Notes that the current transport has a frame of a track.
  func begun(_ trackId: TrackID) {
    leaving?.awaited.remove(trackId)
    endLeaving(now: .now)
  }

  /// Closes the transport before, once the current one carries what it carried, or after a time.
  func endLeaving(now: ContinuousClock.Instant) {
    guard let leaving, leaving.isOver(now: now, isReplaced: isConnected) else { return }
    leaving.transport.close()
    self.leaving = nil
  }

  func networkChanged() { transport?.networkChanged() }

  /// The received tracks and the m-lines under which the transport counts them.
  var received: [(mid: Mid, track: RemoteTrack)] { tracks.map { (mid: $0.key, track: $0.value) } }
}
