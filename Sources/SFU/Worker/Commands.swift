import RTP
import WebRTC

// What the control plane asks for, carried out between two batches of packets.

extension WorkerLoop {
  func carryOut(_ command: Command, now: Instant) {
    switch command {
    case .openRoom(let number, let events): openRoom(number, events: events)
    case .closeRoom(let number): closeRoom(number, now: now)
    case .openTransport(let room, let id, let credentials, let role): openTransport(id, credentials, role, in: room, now: now)
    case .restartTransport(let room, let id, let credentials): restartTransport(id, credentials, in: room)
    case .connectTransport(let room, let id, let remote): connectTransport(id, remote, in: room, now: now)
    case .closeTransport(let room, let id):
      if let book = book(room), let index = book.transports[id] { closeTransport(index, now: now) }
    case .publish(let room, let id, let transport, let parameters): publish(id, on: transport, parameters, in: room, now: now)
    case .inject(let room, let id, let parameters, let injection): inject(id, parameters, from: injection, in: room)
    case .unpublish(let room, let id):
      if let book = book(room), let index = book.tracks[id] { removeTrack(index) }
    case .setMuted(let room, let id, let isMuted):
      if let book = book(room), let index = book.tracks[id] { setMuted(index, isMuted) }
    case .subscribe(let room, let id, let track, let transport, let parameters, let continues):
      subscribe(id, to: track, on: transport, parameters, continues: continues, in: room)
    case .unsubscribe(let room, let id):
      if let book = book(room), let index = book.subscriptions[id] { removeSubscription(index) }
    case .tap(let room, let id, let tap):
      if let index = book(room)?.tracks[id] { self.tap(index, with: tap) } else { tap.ring.write(TapRecord.headOfEnd, nil) }
    case .untap(let room, let id, let tap):
      if let index = book(room)?.tracks[id] { untap(index, tap) }
    case .requestKeyFrame(let room, let id):
      if let index = book(room)?.tracks[id], tracks[index].pointee.isVideo { tracks[index].pointee.keyFrames.want() }
    case .statistics(let room, let reply): reply(statistics(of: room))
    case .counters(let reply): reply(currentCounters())
    case .stop: break
    }
  }

  func book(_ number: RoomNumber) -> RoomBook? { roomIndices[number].flatMap { rooms[$0] } }

  func refuse(_ event: MediaEvent, in number: RoomNumber) {
    if let room = roomIndices[number] { tell(event, to: room) }
  }

  private func openRoom(_ number: RoomNumber, events: @escaping @Sendable (MediaEvent) -> Void) {
    guard roomIndices[number] == nil else { return }
    let book = RoomBook(number: number, events: events)
    if let free = rooms.firstIndex(where: { $0 == nil }) {
      rooms[free] = book
      roomIndices[number] = free
    } else {
      rooms.append(book)
      roomIndices[number] = rooms.count - 1
    }
  }

  func closeRoom(_ number: RoomNumber, now: Instant) {
    guard let index = roomIndices.removeValue(forKey: number), let book = rooms[index] else { return }
    for transport in Array(book.transports.values) { closeTransport(transport, now: now) }
    // What is left comes from this process.
    for track in Array(book.tracks.values) { removeTrack(track) }
    book.deliver()
    rooms[index] = nil
    load.rooms.subtract(1, ordering: .relaxed)
  }

  // MARK: Transports

  private func openTransport(
    _ id: TransportID, _ credentials: ICECredentials, _ role: DTLSRole, in number: RoomNumber, now: Instant
  ) {
    guard let room = roomIndices[number], let book = rooms[room] else { return }
    let limits = setup.limits
    let configuration = Peer.Configuration(
      ice: .lite, role: role, certificate: setup.certificate, credentials: credentials,
      streamLimit: limits.learnedSSRCsPerTransport + 2 * limits.tracksPerTransport)
    guard book.transports[id] == nil, users[credentials.ufrag] == nil, let peer = try? Peer(configuration),
      let index = transports.insert(TransportSlot(id: id, room: room, peer: peer, now: now))
    else {
      refuse(.refused(.transport(id)), in: number)
      return
    }
    transportBooks[index] = TransportBook(peer: peer, ufrag: credentials.ufrag)
    users[credentials.ufrag] = index
    book.transports[id] = index
  }

  private func restartTransport(_ id: TransportID, _ credentials: ICECredentials, in number: RoomNumber) {
    guard let book = book(number), let index = book.transports[id], let transport = transportBooks[index] else { return }
    guard users[credentials.ufrag] == nil, transport.ufrags.count < TransportBook.maximumRestarts else {
      refuse(.refused(.transport(id)), in: number)
      return
    }
    // Checks with the old name are still answered until the first with the new one.
    transport.ufrags.append(credentials.ufrag)
    users[credentials.ufrag] = index
    transport.peer.setLocal(credentials)
  }

  private func connectTransport(_ id: TransportID, _ remote: TransportParameters, in number: RoomNumber, now: Instant) {
    guard let book = book(number), let index = book.transports[id], let transport = transportBooks[index] else { return }
    transport.peer.setRemote(remote, now: now)
    drain(index, now: now)
  }

  func closeTransport(_ index: Int, now: Instant) {
    guard transports.isLive(index), let book = transportBooks[index] else { return }
    let transport = transports[index]
    while transport.pointee.firstSubscription >= 0 { removeSubscription(Int(transport.pointee.firstSubscription)) }
    while transport.pointee.firstTrack >= 0 { removeTrack(Int(transport.pointee.firstTrack)) }
    book.peer.close(now: now)
    transport.pointee.phase = .ended
    while let output = book.peer.nextOutput() {
      if case .transmit(let bytes, let address) = output { transmit(bytes, to: destination(of: address)) }
    }
    forgetAddresses(of: index)
    for ufrag in book.ufrags { users[ufrag] = nil }
    rooms[transport.pointee.room]?.transports[transport.pointee.id] = nil
    transportBooks[index] = nil
    transports.remove(index)
  }

  // MARK: Tracks

  private func publish(
    _ id: MediaTrackID, on transportID: TransportID, _ parameters: RTPParameters, in number: RoomNumber, now: Instant
  ) {
    guard let book = book(number) else { return }
    guard let transport = book.transports[transportID] else { return refuse(.refused(.track(id)), in: number) }
    if let index = book.tracks[id] {
      guard tracks[index].pointee.transport == transport else { return refuse(.refused(.track(id)), in: number) }
      configure(index, parameters)
      return
    }
    let isVideo = parameters.kind == .video
    let clockRate = parameters.codecs.first?.clockRate ?? (isVideo ? 90_000 : 48_000)
    guard !parameters.codecs.isEmpty, transports[transport].pointee.trackCount < setup.limits.tracksPerTransport,
      parameters.encodings.prefix(1).allSatisfy({ isFree($0.ssrc, on: transport) && isFree($0.rtxSSRC, on: transport) }),
      let ring = PacketRing(capacity: isVideo ? Self.videoPackets : Self.audioPackets)
    else { return refuse(.refused(.track(id)), in: number) }
    let reception = ReceptionBook(clockRate: clockRate, isVideo: isVideo)
    let slot = TrackSlot(
      id: id, room: transports[transport].pointee.room, transport: transport, isVideo: isVideo, clockRate: clockRate,
      ring: ring,
      reception: Unmanaged.passUnretained(reception))
    guard let index = tracks.insert(slot) else {
      ring.free()
      return refuse(.refused(.track(id)), in: number)
    }
    trackBooks[index] = TrackBook(
      parameters: parameters, reception: reception,
      canonicalName: parameters.cname.isEmpty ? "\(number.rawValue)-\(transportID.rawValue)" : parameters.cname)
    book.tracks[id] = index
    tracks[index].pointee.nextInTransport = transports[transport].pointee.firstTrack
    transports[transport].pointee.firstTrack = Int32(truncatingIfNeeded: index)
    transports[transport].pointee.trackCount += 1
    counters.ringBytes += ring.bytes
    configure(index, parameters)
  }

  /// About 2 s of video at 2.5 Mb/s, and 1 s of audio in packets of 20 ms.
  static let videoPackets = 512
  static let audioPackets = 64

  private func isFree(_ ssrc: UInt32?, on transport: Int) -> Bool {
    guard let ssrc else { return true }
    let key = StreamKey(transport: transport, ssrc: ssrc)
    return mediaStreams[key] < 0 && repairStreams[key] < 0
  }

  /// Takes the parameters of a first or a later offer.
  private func configure(_ index: Int, _ parameters: RTPParameters) {
    let track = tracks[index]
    let transport = transports[track.pointee.transport]
    let codecsChanged = trackBooks[index]?.parameters.codecs != parameters.codecs
    trackBooks[index]?.parameters = parameters
    track.pointee.setCodecs(parameters.codecs)
    let feedback = parameters.codecs.reduce(into: RTCPFeedback()) { $0.formUnion($1.feedback) }
    track.pointee.wantsNACK = feedback.contains(.nack)
    track.pointee.wantsPLI = feedback.contains(.pli)
    track.pointee.wantsFIR = feedback.contains(.fir)

    let ids = RTPExtensionIDs(parameters.headerExtensions)
    transport.pointee.extensions.merge(ids)
    if ids.transportSequence != 0, feedback.contains(.transportCC), let book = transportBooks[track.pointee.transport],
      book.feedback == nil
    {
      let feedback = FeedbackBook()
      book.feedback = feedback
      transport.pointee.feedback = Unmanaged.passUnretained(feedback)
    }
    transport.pointee.wantsBitrateEstimate = transport.pointee.feedback == nil && feedback.contains(.remb)

    if let encoding = parameters.encodings.first {
      if let ssrc = encoding.ssrc, ssrc != track.pointee.ssrc, isFree(ssrc, on: track.pointee.transport) {
        assign(ssrc, to: index, isRepair: false)
      }
      if let ssrc = encoding.rtxSSRC, ssrc != track.pointee.rtxSSRC, isFree(ssrc, on: track.pointee.transport) {
        assign(ssrc, to: index, isRepair: true)
      }
    }
    guard codecsChanged else { return }
    var subscription = Int(track.pointee.firstSubscription)
    while subscription >= 0 {
      let slot = subscriptions[subscription]
      if let theirs = subscriptionBooks[subscription]?.parameters { slot.pointee.match(parameters.codecs, to: theirs.codecs) }
      // What the ring holds was numbered by the old codecs: sent again, it would be another packet under a used index.
      slot.pointee.map.forget(after: track.pointee.highest)
      subscription = Int(slot.pointee.nextInTrack)
    }
    if track.pointee.isVideo, track.pointee.subscriptionCount > 0 { track.pointee.keyFrames.want() }
  }

  func removeTrack(_ index: Int) {
    guard tracks.isLive(index) else { return }
    let track = tracks[index]
    while track.pointee.firstSubscription >= 0 { removeSubscription(Int(track.pointee.firstSubscription)) }
    endTaps(of: index)
    if track.pointee.injected != nil {
      injections.removeAll { $0 == index }
    } else {
      takeOff(index, track.pointee.transport)
    }
    counters.ringBytes -= track.pointee.ring.bytes
    track.pointee.ring.free()
    let room = rooms[track.pointee.room]
    room?.tracks[track.pointee.id] = nil
    room?.speakers.remove(track.pointee.id)
    trackBooks[index] = nil
    tracks.remove(index)
  }

  /// Takes a track off its transport.
  private func takeOff(_ index: Int, _ transport: Int) {
    for ssrc in [tracks[index].pointee.ssrc, tracks[index].pointee.rtxSSRC] where ssrc != 0 {
      transportBooks[transport]?.peer.removeStream(ssrc: ssrc)
      mediaStreams.remove(StreamKey(transport: transport, ssrc: ssrc))
      repairStreams.remove(StreamKey(transport: transport, ssrc: ssrc))
    }
    unlink(index, from: &transports[transport].pointee.firstTrack) {
      tracks[$0].pointee.nextInTransport
    } set: {
      tracks[$0].pointee.nextInTransport = $1
    }
    transports[transport].pointee.trackCount -= 1
  }

  private func setMuted(_ index: Int, _ isMuted: Bool) {
    let track = tracks[index]
    guard track.pointee.isMuted != isMuted else { return }
    track.pointee.isMuted = isMuted
    track.pointee.taps.write(TapRecord.head(muted: isMuted))
    if isMuted {
      // What was forwarded keeps its numbers; what comes meanwhile gets none.
      var subscription = Int(track.pointee.firstSubscription)
      while subscription >= 0 {
        subscriptions[subscription].pointee.map.close(before: track.pointee.highest &+ 1)
        subscription = Int(subscriptions[subscription].pointee.nextInTrack)
      }
    } else if track.pointee.isVideo {
      track.pointee.keyFrames.want()
    }
  }

  // MARK: Subscriptions

  private func subscribe(
    _ id: SubscriptionID, to trackID: MediaTrackID, on transportID: TransportID, _ parameters: RTPParameters, continues: Bool,
    in number: RoomNumber
  ) {
    guard let book = book(number) else { return }
    guard book.subscriptions[id] == nil, let track = book.tracks[trackID], let transport = book.transports[transportID],
      let source = trackBooks[track], let target = transportBooks[transport],
      let encoding = parameters.encodings.first, let ssrc = encoding.ssrc,
      outgoingStreams[StreamKey(transport: transport, ssrc: ssrc)] < 0,
      transports[transport].pointee.subscriptionCount < setup.limits.tracksPerTransport,
      tracks[track].pointee.subscriptionCount < setup.limits.subscriptionsPerTrack,
      target.retired.count < TransportBook.maximumRetired,
      let slot = SubscriptionSlot(
        id: id, track: track, transport: transport, ssrc: ssrc, encoding: encoding, source: source.parameters.codecs,
        parameters: parameters, continues: continues, retired: target.retired),
      let index = subscriptions.insert(slot)
    else { return refuse(.refused(.subscription(id)), in: number) }
    outgoingStreams.set(StreamKey(transport: transport, ssrc: ssrc), index)
    subscriptionBooks[index] = SubscriptionBook(
      parameters: parameters, canonicalName: parameters.cname.isEmpty ? source.canonicalName : parameters.cname)
    book.subscriptions[id] = index
    subscriptions[index].pointee.nextInTrack = tracks[track].pointee.firstSubscription
    tracks[track].pointee.firstSubscription = Int32(truncatingIfNeeded: index)
    tracks[track].pointee.subscriptionCount += 1
    subscriptions[index].pointee.nextInTransport = transports[transport].pointee.firstSubscription
    transports[transport].pointee.firstSubscription = Int32(truncatingIfNeeded: index)
    transports[transport].pointee.subscriptionCount += 1
    if tracks[track].pointee.isVideo, transports[transport].pointee.isConnected { tracks[track].pointee.keyFrames.want() }
  }

  func removeSubscription(_ index: Int) {
    guard subscriptions.isLive(index) else { return }
    let subscription = subscriptions[index]
    let track = subscription.pointee.track
    let transport = subscription.pointee.transport
    if subscription.pointee.packets > 0, !subscription.pointee.continues {
      sendRTCP(on: transport) { writer in
        writer.receiverReport(ssrc: subscription.pointee.ssrc)
        writer.goodbye(ssrc: subscription.pointee.ssrc)
      }
    }
    if let book = transportBooks[transport] {
      book.retired[subscription.pointee.ssrc] = subscription.pointee.retired(on: tracks[track].pointee)
      if subscription.pointee.rtxSSRC != 0 {
        book.retired[subscription.pointee.rtxSSRC] = RetiredStream(next: subscription.pointee.rtxNext)
      }
    }
    outgoingStreams.remove(StreamKey(transport: transport, ssrc: subscription.pointee.ssrc))
    unlink(index, from: &tracks[track].pointee.firstSubscription) {
      subscriptions[$0].pointee.nextInTrack
    } set: {
      subscriptions[$0].pointee.nextInTrack = $1
    }
    unlink(index, from: &transports[transport].pointee.firstSubscription) {
      subscriptions[$0].pointee.nextInTransport
    } set: {
      subscriptions[$0].pointee.nextInTransport = $1
    }
    tracks[track].pointee.subscriptionCount -= 1
    transports[transport].pointee.subscriptionCount -= 1
    rooms[tracks[track].pointee.room]?.subscriptions[subscription.pointee.id] = nil
    subscriptionBooks[index] = nil
    subscriptions.remove(index)
  }

  /// Takes `index` out of a list that runs through a table.
  private func unlink(_ index: Int, from first: inout Int32, _ next: (Int) -> Int32, set: (Int, Int32) -> Void) {
    if Int(first) == index {
      first = next(index)
      return
    }
    var current = Int(first)
    while current >= 0 {
      let following = Int(next(current))
      if following == index {
        set(current, next(index))
        return
      }
      current = following
    }
  }
}
