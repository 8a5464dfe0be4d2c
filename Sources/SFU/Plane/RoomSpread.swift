import RoomRTP
import RoomWebRTC

/// Decides at which workers the transports of one room are, and which tracks are linked from one worker to another. A value without
/// I/O: it returns the commands to post, in order.
///
/// The first worker is the room's home: it has the tracks of this process, and merges the audio levels of all. A room uses one more
/// worker when those that it uses are busy, and for every `MediaLimits.roomTransportsPerWorker` transports, because a worker that
/// many join at once is busy only later. A track that has subscriptions on transports of another worker is linked there once.
///
/// An annex, the room's media at another server, is a member like a worker, with a larger number. A track that is published there is
/// always linked to the home, where programs and the transports of all workers use it. An annex gets tracks from its parent: another
/// annex that has them for that, or this server.
struct RoomSpread {
  /// A command for one of the plane's workers.
  struct Post {
    var worker: Int
    var command: Command
  }

  /// What a transport with a subscription adds to `WorkerLoad.score`.
  private static let score = 6
  /// The busy share of a worker, in percent, from which on a room uses another one. The rest is for bursts, and for the growth of
  /// the transports that are there.
  static let busy = 50

  private struct Place {
    var worker: Int
    var tracks: Set<MediaTrackID> = []
    var subscriptions: Set<SubscriptionID> = []
  }

  private struct Track {
    var worker: Int
    /// Nil for a track of this process.
    var transport: TransportID?
    var parameters: RTPParameters
    var layers: Int
    var isMuted = false
    var subscriptions: Set<SubscriptionID> = []
    /// By the member that they lead to.
    var links: [Int: Link] = [:]
  }

  private struct Link {
    var feed: Feed
    /// Those that a change of the parent has replaced. They last until the present one does its work.
    var former: [Feed] = []
    /// By subscriptions, and by annexes that are fed from there.
    var uses = 1
  }

  private struct Feed {
    /// The member that copies the track.
    var source: Int
    /// Nil between two annexes.
    var injection: TrackInjection?
  }

  private let number: RoomNumber
  private let transportsPerWorker: Int
  /// Makes the ring of a link that a member reads, as ``TrackInjection`` describes it.
  private let makeLink: (_ member: Int, _ isVideo: Bool, _ layers: Int, _ isContinued: Bool) -> TrackInjection
  /// The workers in use, the home first, with the number of transports of this room.
  private var workers: [(number: Int, transports: Int)]
  private var transports: [TransportID: Place] = [:]
  private var tracks: [MediaTrackID: Track] = [:]
  private var subscriptions: [SubscriptionID: (track: MediaTrackID, transport: TransportID)] = [:]
  /// The numbers of transports at annexes.
  private var annexTransports: [Int: Int] = [:]
  /// The annexes that other annexes get their tracks from. The others get them from this server.
  private var parents: [Int: Int] = [:]
  /// The number of the last annex: those of workers are smaller.
  private var lastAnnex = Forwarder.maximumWorkers - 1

  init(
    number: RoomNumber, home: Int, transportsPerWorker: Int,
    makeLink: @escaping (_ member: Int, _ isVideo: Bool, _ layers: Int, _ isContinued: Bool) -> TrackInjection
  ) {
    self.number = number
    self.transportsPerWorker = max(1, transportsPerWorker)
    self.makeLink = makeLink
    workers = [(home, 0)]
  }

  var home: Int { workers[0].number }
  /// The workers that know the room.
  var used: [Int] { workers.map(\.number) }

  /// Returns the worker for the next transport.
  /// - Parameter loads: the load of each worker of the plane.
  func next(_ loads: [WorkerLoad.Reading]) -> Int {
    // The loads that workers report lag behind.
    func load(_ worker: (number: Int, transports: Int)) -> Int {
      max(loads[worker.number].score, worker.transports * Self.score)
    }
    var best = workers[0]
    for worker in workers where load(worker) < load(best) { best = worker }
    guard transports.count >= workers.count * transportsPerWorker || loads[best.number].busy >= Self.busy else {
      return best.number
    }
    let others = loads.indices.filter { index in !workers.contains { $0.number == index } }
    guard let other = others.min(by: { loads[$0].score < loads[$1].score }), loads[other].score < load(best),
      loads[other].busy <= loads[best.number].busy
    else { return best.number }
    return other
  }

  // MARK: Annexes

  private func isAnnex(_ member: Int) -> Bool { member >= Forwarder.maximumWorkers }

  /// Returns the number of a new annex.
  mutating func addAnnex() -> Int {
    lastAnnex += 1
    return lastAnnex
  }

  /// Changes where an annex gets its tracks from: nil is this server. The former parent sends until ``settled(_:at:from:)``.
  /// - Returns: nil if that is a loop.
  mutating func place(_ annex: Int, under parent: Int?) -> [Post]? {
    var above = parent
    while let member = above {
      guard member != annex else { return nil }
      above = parents[member]
    }
    parents[annex] = parent
    var posts: [Post] = []
    for (id, track) in tracks.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      guard let link = track.links[annex] else { continue }
      let source = source(of: track, to: annex)
      guard source != link.feed.source else { continue }
      posts += use(id, ofRelay: source, isContinued: true)
      // A source that returns before it has ended begins anew.
      for feed in link.former where feed.source == source {
        if feed.injection != nil { posts.append(end(feed, of: id, at: annex)) }
        posts += release(id, ofRelay: source)
      }
      let (feed, begins) = begin(id, track, from: source, at: annex, isContinued: true)
      tracks[id]?.links[annex]?.former.removeAll { $0.source == source }
      tracks[id]?.links[annex]?.former.append(link.feed)
      tracks[id]?.links[annex]?.feed = feed
      posts += begins
    }
    return posts
  }

  /// Ends what an annex got a track from before, because its present source does that now.
  mutating func settled(_ id: MediaTrackID, at annex: Int, from source: Int?) -> [Post] {
    guard let link = tracks[id]?.links[annex], isAnnex(link.feed.source) ? link.feed.source == source : source == nil else {
      return []
    }
    tracks[id]?.links[annex]?.former = []
    return link.former.flatMap { feed in
      var posts = [end(feed, of: id, at: annex)]
      if let injection = feed.injection { posts.append(Post(worker: annex, command: .annex(.endFeeding(id, injection)))) }
      return posts + release(id, ofRelay: feed.source)
    }
  }

  /// Removes an annex, whose transports have failed. Those that it fed have other parents.
  mutating func removeAnnex(_ annex: Int) -> [Post] {
    parents[annex] = nil
    for (child, parent) in parents where parent == annex { parents[child] = nil }
    return tracks.keys.sorted { $0.rawValue < $1.rawValue }.flatMap { id in
      tracks[id]?.links[annex]?.uses = 1
      return release(id, at: annex)
    }
  }

  /// Returns which of an annex's workers opens its next transport: as few of them as `transportsPerWorker` permits.
  func nextWorker(ofAnnex member: Int, workers: Int) -> Int {
    (annexTransports[member] ?? 0) / transportsPerWorker % max(1, workers)
  }

  /// The transports at a member, in the order of their ids.
  func transports(at member: Int) -> [TransportID] {
    transports.filter { $0.value.worker == member }.keys.sorted { $0.rawValue < $1.rawValue }
  }

  func layers(of id: MediaTrackID) -> Int { tracks[id]?.layers ?? 1 }

  /// Copies a track for another server.
  func export(_ id: MediaTrackID, waking wakeup: Wakeup, isContinued: Bool) -> (TrackInjection, [Post])? {
    guard let track = tracks[id] else { return nil }
    let injection = TrackInjection(
      isVideo: track.parameters.kind == .video, layers: track.layers, isLink: true, isContinued: isContinued, isReported: false,
      reader: Forwarder.networkWorker, wakeup: wakeup)
    return (injection, toTrack(id, .link(number, id, injection)))
  }

  // MARK: Orders

  private func post(_ order: MediaOrder, to worker: Int) -> Post { Post(worker: worker, command: .order(number, order)) }

  /// Returns the commands that perform an order. The caller chooses the worker of a new transport: ``open(_:_:at:)``.
  mutating func perform(_ order: MediaOrder) -> [Post] {
    switch order {
    case .open(let id, let local, _): open(id, local, at: home)
    case .restart(let id, _), .connect(let id, _), .enableData(let id, _, _): toTransport(id, order)
    case .close(let id): close(id)
    case .publish(let id, let transport, let parameters): publish(id, on: transport, parameters)
    case .unpublish(let id): unpublish(id, isClosing: false)
    case .mute(let id, let isMuted): setMuted(id, isMuted)
    case .subscribe(let id, let track, let transport, let parameters, let continues):
      subscribe(id, to: track, on: transport, parameters, continues: continues)
    case .unsubscribe(let id): unsubscribe(id)
    case .setReception(let id, _): subscriptions[id].map { toTransport($0.transport, order) } ?? []
    case .requestKeyFrame(let id): toTrack(id, .order(number, order))
    }
  }

  // MARK: Transports

  /// Opens a transport at a worker, which it may be the first to use: `openRoom` then is to be posted before.
  mutating func open(_ id: TransportID, _ local: TransportParameters, at worker: Int) -> [Post] {
    if transports[id] == nil { add(id, at: worker) }
    // The worker refuses one that it has.
    return toTransport(id, .open(id, local: local, at: nil))
  }

  /// Adds a transport that exists at a worker.
  mutating func add(_ id: TransportID, at worker: Int) {
    transports[id] = Place(worker: worker)
    if let index = workers.firstIndex(where: { $0.number == worker }) {
      workers[index].transports += 1
    } else if isAnnex(worker) {
      annexTransports[worker, default: 0] += 1
    } else {
      workers.append((worker, 1))
    }
  }

  /// Removes a transport that another room has from now on, with what was published and sent on it.
  /// - Returns: the transport's worker, and the commands for others; nil if it is at an annex.
  mutating func release(_ id: TransportID) -> (worker: Int, posts: [Post])? {
    guard let place = transports[id], !isAnnex(place.worker) else { return nil }
    return (place.worker, remove(id, place))
  }

  /// Returns an order for the worker of a transport; the home refuses what concerns an unknown one.
  private func toTransport(_ id: TransportID, _ order: MediaOrder) -> [Post] {
    [post(order, to: transports[id]?.worker ?? home)]
  }

  /// Returns a command for each worker of these transports.
  func toTransports(_ ids: [TransportID], _ command: ([TransportID]) -> Command) -> [Post] {
    var byWorker: [Int: [TransportID]] = [:]
    for id in ids { if let worker = transports[id]?.worker { byWorker[worker, default: []].append(id) } }
    return byWorker.map { Post(worker: $0.key, command: command($0.value)) }
  }

  private mutating func close(_ id: TransportID) -> [Post] {
    guard let place = transports[id] else { return [] }
    return remove(id, place) + [post(.close(id), to: place.worker)]
  }

  private mutating func remove(_ id: TransportID, _ place: Place) -> [Post] {
    var posts = place.subscriptions.flatMap { forget($0) }
    posts += place.tracks.flatMap { unpublish($0, isClosing: true) }
    transports[id] = nil
    if let index = workers.firstIndex(where: { $0.number == place.worker }) { workers[index].transports -= 1 }
    if let count = annexTransports[place.worker] { annexTransports[place.worker] = count > 1 ? count - 1 : nil }
    return posts
  }

  // MARK: Tracks

  private mutating func publish(_ id: MediaTrackID, on transport: TransportID, _ parameters: RTPParameters) -> [Post] {
    var parameters = parameters
    // Named here, because it must be the same at all workers.
    if parameters.cname.isEmpty { parameters.cname = "\(number.rawValue)-\(transport.rawValue)" }
    let worker = transports[transport]?.worker ?? home
    var posts = [post(.publish(id, on: transport, parameters), to: worker)]
    if let track = tracks[id] {
      // The worker refuses a change of the transport.
      guard track.transport == transport else { return posts }
      tracks[id]?.parameters = parameters
      posts += change(id, parameters, of: track)
    } else if transports[transport] != nil {
      let layers = parameters.kind == .video ? min(max(1, parameters.encodings.count), TrackSlot.maximumLayers) : 1
      let track = Track(worker: worker, transport: transport, parameters: parameters, layers: layers)
      tracks[id] = track
      transports[transport]?.tracks.insert(id)
      if isAnnex(worker) { posts += use(id, at: home) }
    }
    return posts
  }

  mutating func inject(_ id: MediaTrackID, _ parameters: RTPParameters, _ injection: TrackInjection, layers: Int) -> [Post] {
    var parameters = parameters
    if parameters.cname.isEmpty { parameters.cname = "\(number.rawValue)-track-\(id.rawValue)" }
    var posts = [Post(worker: home, command: .inject(number, id, parameters, injection))]
    if let track = tracks[id] {
      tracks[id]?.parameters = parameters
      posts += change(id, parameters, of: track)
    } else {
      tracks[id] = Track(worker: home, transport: nil, parameters: parameters, layers: layers)
    }
    return posts
  }

  private mutating func unpublish(_ id: MediaTrackID, isClosing: Bool) -> [Post] {
    guard let track = tracks.removeValue(forKey: id) else { return [] }
    if let transport = track.transport { transports[transport]?.tracks.remove(id) }
    for subscription in track.subscriptions {
      guard let place = subscriptions.removeValue(forKey: subscription) else { continue }
      transports[place.transport]?.subscriptions.remove(subscription)
    }
    var ends = Set(track.links.keys)
    // Its levels are merged there.
    if track.worker != home { ends.insert(home) }
    if !isClosing || isAnnex(track.worker) { ends.insert(track.worker) }
    return ends.map { post(.unpublish(id), to: $0) }
  }

  private mutating func setMuted(_ id: MediaTrackID, _ isMuted: Bool) -> [Post] {
    guard let track = tracks[id] else { return [] }
    tracks[id]?.isMuted = isMuted
    return ([track.worker] + track.links.keys).map { post(.mute(id, isMuted), to: $0) }
  }

  /// Returns a command for the worker that receives a track, or has the link of an annex; the home knows what to do about an unknown
  /// one.
  func toTrack(_ id: MediaTrackID, _ command: Command) -> [Post] {
    guard let worker = tracks[id]?.worker, !isAnnex(worker) else { return [Post(worker: home, command: command)] }
    return [Post(worker: worker, command: command)]
  }

  /// Returns whether the worker receives the track, not only a link of it.
  func receives(_ id: MediaTrackID, at worker: Int) -> Bool { tracks[id]?.worker == worker }

  /// Returns whether an event concerns what a member has: an annex is not trusted with the transports and tracks of others.
  func concerns(_ event: MediaEvent, _ member: Int) -> Bool {
    switch event {
    case .transportConnected(let id), .transportDisconnected(let id), .transportFailed(let id, _), .transportClosed(let id),
      .streamChanged(_, on: let id, _), .qualityChanged(let id, _, _), .messageReceived(let id, _):
      transports[id]?.worker == member
    case .firstPacket(let id), .shapeChanged(let id, _), .layersWanted(let id, _), .layersChanged(let id, _):
      receives(id, at: member)
    // The home merges the levels, and ranks the speakers of all.
    case .audioLevels, .activeSpeakers: false
    case .refused: true
    }
  }

  // MARK: Subscriptions

  private mutating func subscribe(
    _ id: SubscriptionID, to trackID: MediaTrackID, on transport: TransportID, _ parameters: RTPParameters, continues: Bool
  ) -> [Post] {
    let order = MediaOrder.subscribe(id, to: trackID, on: transport, parameters, continues: continues)
    guard let place = transports[transport], tracks[trackID] != nil, subscriptions[id] == nil else {
      return toTransport(transport, order)
    }
    subscriptions[id] = (trackID, transport)
    transports[transport]?.subscriptions.insert(id)
    tracks[trackID]?.subscriptions.insert(id)
    return use(trackID, at: place.worker) + [post(order, to: place.worker)]
  }

  private mutating func unsubscribe(_ id: SubscriptionID) -> [Post] {
    guard let place = subscriptions[id] else { return [] }
    let posts = toTransport(place.transport, .unsubscribe(id))
    transports[place.transport]?.subscriptions.remove(id)
    return posts + forget(id)
  }

  /// Removes a subscription, and the link that no other uses.
  private mutating func forget(_ id: SubscriptionID) -> [Post] {
    guard let (trackID, transport) = subscriptions.removeValue(forKey: id) else { return [] }
    tracks[trackID]?.subscriptions.remove(id)
    guard let place = transports[transport] else { return [] }
    return release(trackID, at: place.worker)
  }

  // MARK: Links

  /// Links a track to a member, unless it is there.
  private mutating func use(_ id: MediaTrackID, at member: Int, isContinued: Bool = false) -> [Post] {
    guard let track = tracks[id], track.worker != member else { return [] }
    guard track.links[member] == nil else {
      tracks[id]?.links[member]?.uses += 1
      return []
    }
    let source = source(of: track, to: member)
    var posts = use(id, ofRelay: source, isContinued: isContinued)
    if isAnnex(member) {
      posts.append(Post(worker: member, command: .annex(.carry(id, track.parameters, layers: track.layers))))
    }
    let (feed, begins) = begin(id, track, from: source, at: member, isContinued: isContinued)
    tracks[id]?.links[member] = Link(feed: feed)
    posts += begins
    if track.isMuted { posts.append(post(.mute(id, true), to: member)) }
    return posts
  }

  /// Removes a use of a link, and the link that has no other.
  private mutating func release(_ id: MediaTrackID, at member: Int) -> [Post] {
    guard let link = tracks[id]?.links[member] else { return [] }
    guard link.uses <= 1 else {
      tracks[id]?.links[member]?.uses -= 1
      return []
    }
    tracks[id]?.links[member] = nil
    let feeds = [link.feed] + link.former
    return feeds.map { end($0, of: id, at: member) } + [post(.unpublish(id), to: member)]
      + feeds.flatMap { release(id, ofRelay: $0.source) }
  }

  /// The member that copies a track to another one: the parent of an annex, or the home for a track of an annex, or the worker that
  /// receives it.
  private func source(of track: Track, to member: Int) -> Int {
    if isAnnex(member), let parent = parents[member] { return parent }
    return isAnnex(track.worker) && member != home ? home : track.worker
  }

  /// Lets an annex have a track to send it on.
  private mutating func use(_ id: MediaTrackID, ofRelay source: Int, isContinued: Bool) -> [Post] {
    isAnnex(source) ? use(id, at: source, isContinued: isContinued) : []
  }

  private mutating func release(_ id: MediaTrackID, ofRelay source: Int) -> [Post] {
    isAnnex(source) ? release(id, at: source) : []
  }

  private func begin(
    _ id: MediaTrackID, _ track: Track, from source: Int, at member: Int, isContinued: Bool
  ) -> (Feed, [Post]) {
    if isAnnex(source), isAnnex(member) {
      let relay = AnnexCommand.relay(id, from: MediaAnnexID(member: source), isContinued: isContinued)
      return (Feed(source: source), [Post(worker: member, command: .annex(relay))])
    }
    let injection = makeLink(member, track.parameters.kind == .video, track.layers, isContinued)
    // The track exists there before its first packet does.
    let end: Command =
      isAnnex(member) ? .annex(.feed(id, injection)) : .inject(number, id, track.parameters, injection)
    return (
      Feed(source: source, injection: injection),
      [Post(worker: member, command: end), Post(worker: source, command: .link(number, id, injection))]
    )
  }

  private func end(_ feed: Feed, of id: MediaTrackID, at member: Int) -> Post {
    if let injection = feed.injection { return Post(worker: feed.source, command: .unlink(number, id, injection)) }
    return Post(worker: feed.source, command: .annex(.endRelaying(id, to: MediaAnnexID(member: member))))
  }

  /// Changes the parameters of a track at all members to which it is linked.
  private func change(_ id: MediaTrackID, _ parameters: RTPParameters, of track: Track) -> [Post] {
    track.links.compactMap { member, link in
      if isAnnex(member) {
        return Post(worker: member, command: .annex(.carry(id, parameters, layers: track.layers)))
      }
      return link.feed.injection.map { Post(worker: member, command: .inject(number, id, parameters, $0)) }
    }
  }
}
