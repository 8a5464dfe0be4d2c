public import RoomWebRTC

/// The control plane's handle to one room's media. Commands go into the mailboxes of the room's workers in order and return nothing;
/// events report their results. The caller chooses the ids.
///
/// A large room uses several workers (`RoomSpread`). Their events arrive on their threads.
public final class MediaRoom: Sendable {
  private let number: RoomNumber
  private let workers: [Worker]
  /// The host candidates of each worker.
  private let hosts: [[ICECandidate]]
  private let events: @Sendable (MediaEvent) -> Void
  private let spread: Locked<RoomSpread>
  private let annexes = Locked<[MediaAnnexID: (annex: any MediaAnnex, addresses: MediaAnnexAddresses)]>([:])

  init(
    number: RoomNumber, home: Int, workers: [Worker], hosts: [[ICECandidate]], limits: MediaLimits,
    events: @escaping @Sendable (MediaEvent) -> Void
  ) {
    self.number = number
    self.workers = workers
    self.hosts = hosts
    self.events = events
    spread = Locked(
      RoomSpread(
        number: number, home: home, transportsPerWorker: limits.roomTransportsPerWorker,
        makeLink: { [annexes] member, isVideo, layers, isContinued in
          let annex = annexes.withLock { $0[MediaAnnexID(member: member)]?.annex }
          let wakeup =
            annex.map { Wakeup($0.wakeDescriptor, of: $0) }
            ?? workers[workers.indices.contains(member) ? member : home].mailbox.wakeup
          return TrackInjection(
            isVideo: isVideo, layers: layers, isLink: true, isContinued: isContinued, isReported: false,
            reader: annex == nil ? member : Forwarder.networkWorker, wakeup: wakeup)
        }))
    workers[home].load.rooms.add(1, ordering: .relaxed)
    workers[home].mailbox.post(.openRoom(number, events: events))
  }

  /// Without this handle, no further command can reach the room.
  deinit { close() }

  /// The host candidates for the session description of the next transport. They name the worker that `openTransport` opens it at.
  public var candidates: [ICECandidate] {
    let loads = workers.map(\.load.reading)
    return hosts[spread.withLock { $0.next(loads) }]
  }

  /// Opens a transport and waits for the client that knows the local ICE credentials. The tracks on a transport decide whether it is
  /// for publishing or for subscribing.
  /// - Parameter local: this end, as a session description states it, with ``candidates``. Without them, the room's first worker opens
  ///   the transport.
  public func openTransport(_ id: TransportID, local: TransportParameters) { perform(.open(id, local: local, at: nil)) }

  /// Performs an order of the control plane, or of the server that owns the room of which this is an annex.
  package func perform(_ order: MediaOrder) {
    guard case .open(let id, let local, let annex) = order else { return post { $0.perform(order) } }
    if let annex { return post { $0.open(id, local, at: annex.member) } }
    let worker = local.candidates.first.flatMap { first in workers.firstIndex { $0.sockets.port == first.address.port } }
    spread.withLock { spread in
      let worker = worker ?? spread.home
      if !spread.used.contains(worker) { open(at: worker) }
      post(spread.open(id, local, at: worker))
    }
  }

  /// Makes a transport of this room one of another room of the plane. Its connection and the streams that arrive on it continue; what
  /// was sent on it ends. The other room publishes its tracks by the new ids. Has no effect on a transport at an annex.
  package func transfer(_ transfer: TransportTransfer, to other: MediaRoom) {
    let worker = spread.withLock { spread -> Int? in
      guard let (worker, posts) = spread.release(transfer.transport) else { return nil }
      post(posts)
      return worker
    }
    guard let worker else { return }
    other.spread.withLock { spread in
      if !spread.used.contains(worker) { other.open(at: worker) }
      spread.add(transfer.next, at: worker)
      workers[worker].mailbox.post(.transfer(number, transfer, to: other.number))
    }
  }

  /// Opens the room at another worker than its home, which then merges the levels of its tracks.
  private func open(at worker: Int) {
    workers[worker].load.rooms.add(1, ordering: .relaxed)
    workers[worker].mailbox.post(
      .openRoom(number) { [weak self, events] event in
        switch event {
        case .audioLevels(let levels): self?.merge(levels, of: worker)
        // The home ranks the speakers of all workers.
        case .activeSpeakers: break
        default: events(event)
        }
      })
  }

  private func merge(_ levels: [TrackLevel], of worker: Int) {
    spread.withLock { spread in
      // Not of a track that has ended since.
      let levels = levels.filter { spread.receives($0.track, at: worker) }
      workers[spread.home].mailbox.post(.setLevels(number, levels))
    }
  }

  /// Sets new local credentials for an ICE restart. `connectTransport` then sets the remote ones.
  public func restartTransport(_ id: TransportID, credentials: ICECredentials) {
    perform(.restart(id, credentials))
  }

  /// Sets the remote parameters. Call it again for an ICE restart.
  public func connectTransport(_ id: TransportID, remote: TransportParameters) {
    perform(.connect(id, remote))
  }

  /// Removes the transport with its tracks and subscriptions. Packets from its addresses are ignored from now on.
  public func closeTransport(_ id: TransportID) { perform(.close(id)) }

  /// Enables data channels on a transport, once both descriptions have them, and opens these. Repeated calls have no
  /// effect. What arrives is reported as `MediaEvent.messageReceived`.
  public func enableData(_ id: TransportID, _ remote: DataParameters, sendingOn channels: OutgoingChannels) {
    perform(.enableData(id, remote, sendingOn: channels))
  }

  /// Sends a message on the data channels that were opened on these transports: on the reliable one, or on the other.
  public func send(_ message: DataMessage, to ids: [TransportID]) {
    guard !ids.isEmpty else { return }
    post { $0.toTransports(ids) { .sendData(number, message, to: $0) } }
  }

  /// Publishes packets that arrive on `transport` with these SSRCs, mid or rid as `track`. Call it again to change the
  /// parameters.
  public func publish(_ track: MediaTrackID, on transport: TransportID, parameters: RTPParameters) {
    perform(.publish(track, on: transport, parameters))
  }

  /// Publishes a track whose packets come from this process. Packets written to the result belong to `track` until it is
  /// unpublished. A track over a limit is refused, and its packets are ignored.
  /// - Parameters:
  ///   - parameters: The codecs, the first of which is sent, and the CNAME that binds tracks together.
  ///   - layers: The number of layers of a video, 1…3, the largest first.
  /// - Returns: The injection of the first layer.
  public func inject(_ track: MediaTrackID, parameters: RTPParameters, layers: Int = 1) -> TrackInjection {
    let isVideo = parameters.kind == .video
    let layers = isVideo ? min(layers, TrackSlot.maximumLayers) : 1
    return spread.withLock { spread in
      let injection = TrackInjection(
        isVideo: isVideo, layers: layers, isReported: true, reader: spread.home, wakeup: workers[spread.home].mailbox.wakeup)
      post(spread.inject(track, parameters, injection, layers: layers))
      return injection
    }
  }

  /// Ends the track and its subscriptions.
  public func unpublish(_ track: MediaTrackID) { perform(.unpublish(track)) }

  /// Stops or resumes forwarding. Video resumes at the next key frame, which is requested.
  public func setMuted(_ track: MediaTrackID, _ muted: Bool) { perform(.mute(track, muted)) }

  /// Sends `track` on `transport` with these parameters: their SSRCs, the payload type that matches the track's codec, mid and
  /// extensions. Video starts at a key frame, which is requested once the transport is connected.
  /// - Parameter continues: If true, the receiver sees one stream, whichever track is sent on it. When the track or the
  ///   subscription
  ///   ends, no BYE is sent. The next subscription with the same SSRC continues its sequence numbers, timestamps and counts.
  public func subscribe(
    _ id: SubscriptionID, to track: MediaTrackID, on transport: TransportID, parameters: RTPParameters, continues: Bool = false
  ) {
    perform(.subscribe(id, to: track, on: transport, parameters, continues: continues))
  }

  /// Ends a subscription. Sends the receiver a BYE, unless the stream continues.
  public func unsubscribe(_ id: SubscriptionID) { perform(.unsubscribe(id)) }

  /// Selects the layer of a simulcast that the subscription receives, and pauses and resumes it. A change takes effect at the
  /// next key frame of the layer, which is requested; a pause at once.
  public func setReception(_ id: SubscriptionID, _ reception: Reception) {
    perform(.setReception(id, reception))
  }

  /// Adds a tap to the track. It gets the best live layer of a simulcast, or that of `setTapSize` if all taps of the track are
  /// scaled. Video begins with a key frame, which is requested. If the track is missing or already has 64 taps, the tap ends at
  /// once.
  public func tap(_ track: MediaTrackID, with tap: TrackTap) { post { $0.toTrack(track, .tap(number, track, tap)) } }

  /// Removes `tap` from the track.
  public func untap(_ track: MediaTrackID, _ tap: TrackTap) {
    post { $0.toTrack(track, .untap(number, track, tap)) }
  }

  /// Sets the size in pixels in which programs show the track; nil for its full size. Scaled taps get the smallest layer of a
  /// simulcast that need not be enlarged by more than a half.
  public func setTapSize(_ size: PictureSize?, of track: MediaTrackID) {
    post { $0.toTrack(track, .setTapSize(number, track, size)) }
  }

  /// Requests a key frame from the publisher of a video track. Merged with other pending requests.
  public func requestKeyFrame(_ track: MediaTrackID) { perform(.requestKeyFrame(track)) }

  /// Returns the current state of the room's media; empty after the plane has stopped.
  public func statistics() async -> MediaStatistics {
    var merged = MediaStatistics()
    for (id, annex) in annexes.withLock({ $0.map { ($0.key, $0.value.annex) } }) {
      let own = await annex.statistics()
      spread.withLock { spread in merged.merge(own) { spread.receives($0, at: id.member) } }
    }
    for worker in spread.withLock({ $0.used }) {
      let own = await withCheckedContinuation { continuation in
        if !workers[worker].mailbox.post(.statistics(number) { continuation.resume(returning: $0) }) {
          continuation.resume(returning: MediaStatistics())
        }
      }
      spread.withLock { spread in merged.merge(own) { spread.receives($0, at: worker) } }
    }
    return merged
  }

  /// Closes all transports and removes the room. Events already queued may still arrive.
  public func close() {
    spread.withLock { spread in for worker in spread.used { workers[worker].mailbox.post(.closeRoom(number)) } }
    let annexes = annexes.withLock { annexes in
      defer { annexes = [:] }
      return annexes.values.map(\.annex)
    }
    for annex in annexes { annex.close() }
  }

  /// Posts within the lock, so that commands from several threads reach all workers in one order.
  private func post(_ commands: (inout RoomSpread) -> [RoomSpread.Post]) {
    spread.withLock { post(commands(&$0)) }
  }

  private func post(_ posts: [RoomSpread.Post]) {
    for post in posts {
      if workers.indices.contains(post.worker) {
        workers[post.worker].mailbox.post(post.command)
      } else if let annex = annex(MediaAnnexID(member: post.worker)) {
        self.post(post.command, to: annex)
      }
    }
  }

  private func annex(_ id: MediaAnnexID) -> (any MediaAnnex)? { annexes.withLock { $0[id]?.annex } }

  private func post(_ command: Command, to annex: any MediaAnnex) {
    switch command {
    case .annex(.carry(let track, let parameters, let layers)): annex.carry(track, parameters, layers: layers)
    case .annex(.feed(let track, let injection)): annex.feed(track, from: injection)
    case .annex(.endFeeding(let track, let injection)): annex.endFeeding(track, from: injection)
    case .annex(.relay(let track, let parent, let isContinued)):
      if let parent = self.annex(parent) { annex.relay(track, from: parent, isContinued: isContinued) }
    case .annex(.endRelaying(let track, let child)):
      if let child = self.annex(child) { annex.endRelaying(track, to: child) }
    case .link(_, let track, let injection): annex.fetch(track, into: injection)
    case .unlink(_, let track, _): annex.endFetching(track)
    case .sendData(_, let message, let ids): annex.send(message, to: ids)
    case .order(_, let order): annex.perform(order)
    default: break
    }
  }

  // MARK: Annexes, at the server that owns the room

  /// Adds the media of this room at another server.
  package func add(_ annex: any MediaAnnex, _ addresses: MediaAnnexAddresses) -> MediaAnnexID {
    spread.withLock { spread in
      let id = MediaAnnexID(member: spread.addAnnex())
      annexes.withLock { $0[id] = (annex, addresses) }
      return id
    }
  }

  /// Lets an annex get its tracks from another one, or from this server. The former parent sends until
  /// ``settled(_:at:from:)``. Ignored if that is a loop.
  package func place(_ id: MediaAnnexID, under parent: MediaAnnexID?) {
    spread.withLock { spread in
      if let posts = spread.place(id.member, under: parent?.member) { post(posts) }
    }
  }

  /// Informs the room that an annex receives a track from its new parent, or from this server.
  package func settled(_ track: MediaTrackID, at id: MediaAnnexID, from parent: MediaAnnexID?) {
    post { $0.settled(track, at: id.member, from: parent?.member) }
  }

  /// Removes an annex, which has ended: its transports have failed.
  package func remove(_ id: MediaAnnexID) {
    guard annexes.withLock({ $0.removeValue(forKey: id) }) != nil else { return }
    post { $0.removeAnnex(id.member) }
    for transport in spread.withLock({ $0.transports(at: id.member) }) { events(.transportFailed(transport, .timeout)) }
  }

  /// Handles an event of an annex, if that has what the event concerns.
  package func handle(_ event: MediaEvent, of id: MediaAnnexID) {
    if case .audioLevels(let levels) = event { return merge(levels, of: id.member) }
    if spread.withLock({ $0.concerns(event, id.member) }) { events(event) }
  }

  /// Returns where clients reach the next transport at an annex; nil if it has ended.
  package func addresses(of id: MediaAnnexID) -> (fingerprint: Fingerprint, candidates: [ICECandidate])? {
    guard let addresses = annexes.withLock({ $0[id]?.addresses }) else { return nil }
    let workers = addresses.candidates.count
    let worker = spread.withLock { $0.nextWorker(ofAnnex: id.member, workers: workers) }
    return (addresses.fingerprint, worker < workers ? addresses.candidates[worker] : [])
  }

  // MARK: Links to other rooms and servers

  /// The host candidates of each worker, for the server that owns the room.
  package var allCandidates: [[ICECandidate]] { hosts }

  /// Publishes a track that a link brings, from another room or another server.
  /// - Parameters:
  ///   - layers: those of the track at its source, 1…3.
  ///   - isReported: whether its levels, shape and first packet are events here; false if the server that owns the room reports them.
  /// - Returns: the injection of its first layer, for the records.
  package func receive(
    _ track: MediaTrackID, parameters: RTPParameters, layers: Int, isReported: Bool
  ) -> TrackInjection {
    spread.withLock { spread in
      let injection = TrackInjection(
        isVideo: parameters.kind == .video, layers: min(max(1, layers), TrackSlot.maximumLayers), isLink: true,
        isReported: isReported, reader: spread.home, wakeup: workers[spread.home].mailbox.wakeup)
      post(spread.inject(track, parameters, injection, layers: layers))
      return injection
    }
  }

  /// Changes the parameters of a track of ``receive(_:parameters:layers:isReported:)``.
  package func change(_ track: MediaTrackID, parameters: RTPParameters, injection: TrackInjection) {
    post { $0.inject(track, parameters, injection, layers: 1) }
  }

  /// The layers of a track, for the room that receives it by a link.
  package func layers(of track: MediaTrackID) -> Int { spread.withLock { $0.layers(of: track) } }

  /// Copies a track, layer by layer, to another room of this process, whose injection it is.
  package func link(_ track: MediaTrackID, to injection: TrackInjection) {
    post { $0.toTrack(track, .link(number, track, injection)) }
  }

  /// Copies the records of a track, for another server.
  /// - Parameters:
  ///   - descriptor: wakes the thread that reads them; valid as long as `owner`.
  ///   - isContinued: whether the other server has received the track from elsewhere so far.
  /// - Returns: the injection of its first layer; nil if there is no such track.
  package func link(
    _ track: MediaTrackID, waking descriptor: Int32, of owner: any AnyObject & Sendable, isContinued: Bool = false
  ) -> TrackInjection? {
    spread.withLock { spread in
      guard
        let (injection, posts) = spread.export(track, waking: Wakeup(descriptor, of: owner), isContinued: isContinued)
      else { return nil }
      post(posts)
      return injection
    }
  }

  /// Ends the copying of a track.
  package func unlink(_ track: MediaTrackID, from injection: TrackInjection) {
    post { $0.toTrack(track, .unlink(number, track, injection)) }
  }
}
