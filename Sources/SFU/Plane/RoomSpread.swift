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
/// always linked to the home, where programs and the transports of all workers use it.
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
    /// By the worker that they lead to.
    var links: [Int: Link] = [:]
  }

  private struct Link {
    var injection: TrackInjection
    var subscriptions = 0
  }

  private let number: RoomNumber
  private let transportsPerWorker: Int
  /// Makes the ring of a link that a worker reads.
  private let makeLink: (_ worker: Int, _ isVideo: Bool, _ layers: Int) -> TrackInjection
  /// The workers in use, the home first, with the number of transports of this room.
  private var workers: [(number: Int, transports: Int)]
  private var transports: [TransportID: Place] = [:]
  private var tracks: [MediaTrackID: Track] = [:]
  private var subscriptions: [SubscriptionID: (track: MediaTrackID, transport: TransportID)] = [:]
  /// The numbers of transports at annexes.
  private var annexTransports: [Int: Int] = [:]
  /// The number of the last annex: those of workers are smaller.
  private var lastAnnex = Forwarder.maximumWorkers - 1

  init(
    number: RoomNumber, home: Int, transportsPerWorker: Int,
    makeLink: @escaping (_ worker: Int, _ isVideo: Bool, _ layers: Int) -> TrackInjection
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
  func export(_ id: MediaTrackID, waking wakeup: Wakeup) -> (TrackInjection, [Post])? {
    guard let track = tracks[id] else { return nil }
    let injection = TrackInjection(
      isVideo: track.parameters.kind == .video, layers: track.layers, isLink: true, isReported: false,
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
    if transports[id] == nil {
      transports[id] = Place(worker: worker)
      if let index = workers.firstIndex(where: { $0.number == worker }) {
        workers[index].transports += 1
      } else if isAnnex(worker) {
        annexTransports[worker, default: 0] += 1
      } else {
        workers.append((worker, 1))
      }
    }
    // The worker refuses one that it has.
    return toTransport(id, .open(id, local: local, at: nil))
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
    var posts = place.subscriptions.flatMap { forget($0) }
    posts += place.tracks.flatMap { unpublish($0, isClosing: true) }
    posts.append(post(.close(id), to: place.worker))
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
      for (worker, link) in track.links {
        posts.append(Post(worker: worker, command: .inject(number, id, parameters, link.injection)))
      }
    } else if transports[transport] != nil {
      let layers = parameters.kind == .video ? min(max(1, parameters.encodings.count), TrackSlot.maximumLayers) : 1
      let track = Track(worker: worker, transport: transport, parameters: parameters, layers: layers)
      tracks[id] = track
      transports[transport]?.tracks.insert(id)
      if isAnnex(worker) {
        let home = home
        posts += link(id, track, to: home)
        tracks[id]?.links[home]?.subscriptions = 1
      }
    }
    return posts
  }

  mutating func inject(_ id: MediaTrackID, _ parameters: RTPParameters, _ injection: TrackInjection, layers: Int) -> [Post] {
    var parameters = parameters
    if parameters.cname.isEmpty { parameters.cname = "\(number.rawValue)-track-\(id.rawValue)" }
    var posts = [Post(worker: home, command: .inject(number, id, parameters, injection))]
    if let track = tracks[id] {
      tracks[id]?.parameters = parameters
      for (worker, link) in track.links {
        posts.append(Post(worker: worker, command: .inject(number, id, parameters, link.injection)))
      }
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

  // MARK: Subscriptions

  private mutating func subscribe(
    _ id: SubscriptionID, to trackID: MediaTrackID, on transport: TransportID, _ parameters: RTPParameters, continues: Bool
  ) -> [Post] {
    let order = MediaOrder.subscribe(id, to: trackID, on: transport, parameters, continues: continues)
    guard let place = transports[transport], let track = tracks[trackID], subscriptions[id] == nil else {
      return toTransport(transport, order)
    }
    subscriptions[id] = (trackID, transport)
    transports[transport]?.subscriptions.insert(id)
    tracks[trackID]?.subscriptions.insert(id)
    var posts: [Post] = []
    if track.worker != place.worker {
      if track.links[place.worker] == nil { posts = link(trackID, track, to: place.worker) }
      tracks[trackID]?.links[place.worker]?.subscriptions += 1
    }
    posts.append(post(order, to: place.worker))
    return posts
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
    guard let worker = transports[transport]?.worker, let track = tracks[trackID], let link = track.links[worker] else {
      return []
    }
    guard link.subscriptions <= 1 else {
      tracks[trackID]?.links[worker]?.subscriptions -= 1
      return []
    }
    tracks[trackID]?.links[worker] = nil
    return [
      Post(worker: source(of: track, to: worker), command: .unlink(number, trackID, link.injection)),
      post(.unpublish(trackID), to: worker),
    ]
  }

  /// The member that copies a track to another one: that which receives it, or the home for a track of an annex.
  private func source(of track: Track, to member: Int) -> Int {
    isAnnex(track.worker) && member != home ? home : track.worker
  }

  private mutating func link(_ id: MediaTrackID, _ track: Track, to worker: Int) -> [Post] {
    let injection = makeLink(worker, track.parameters.kind == .video, track.layers)
    tracks[id]?.links[worker] = Link(injection: injection)
    var posts = [
      // The track exists there before its first packet does.
      Post(worker: worker, command: .inject(number, id, track.parameters, injection)),
      Post(worker: source(of: track, to: worker), command: .link(number, id, injection)),
    ]
    if track.isMuted { posts.append(post(.mute(id, true), to: worker)) }
    return posts
  }
}
