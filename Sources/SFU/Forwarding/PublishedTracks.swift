import RoomRTP
import RoomWebRTC

// Publishing, changing and ending tracks.

extension Forwarder {
  func publish(
    _ id: MediaTrackID, on transportID: TransportID, _ parameters: RTPParameters, in number: RoomNumber, now: Instant
  ) {
    guard let book = book(number) else { return }
    guard let transport = book.transports[transportID] else { return refuse(.refused(.track(id)), in: number) }
    if let index = book.tracks[id] {
      guard tracks[index].pointee.transport == transport else { return refuse(.refused(.track(id)), in: number) }
      configure(index, parameters)
      return
    }
    let count = parameters.kind == .video ? min(max(1, parameters.encodings.count), TrackSlot.maximumLayers) : 1
    guard !parameters.codecs.isEmpty, transports[transport].pointee.trackCount + count <= limits.tracksPerTransport,
      parameters.encodings.prefix(count).allSatisfy({ isFree($0.ssrc, on: transport) && isFree($0.rtxSSRC, on: transport) }),
      let layers = insertLayers(
        count, of: id, in: transports[transport].pointee.room, on: transport, parameters,
        name: "\(number.rawValue)-\(transportID.rawValue)")
    else { return refuse(.refused(.track(id)), in: number) }
    for index in layers {
      tracks[index].pointee.nextInTransport = transports[transport].pointee.firstTrack
      transports[transport].pointee.firstTrack = Int32(truncatingIfNeeded: index)
      transports[transport].pointee.trackCount += 1
    }
    begin(id, at: layers[0], in: book)
    configure(layers[0], parameters)
  }

  /// Adds a track whose first layer is at this index.
  func begin(_ id: MediaTrackID, at first: Int, in book: MediaRoomState) {
    book.tracks[id] = first
    if tracks[first].pointee.isLayered { layered.append(first) }
  }

  /// Inserts a slot and a book for each layer, linked in the order of the offer. Returns nil, and inserts nothing, if the table is
  /// full. `name` is the canonical name if the parameters have none.
  func insertLayers(
    _ count: Int, of id: MediaTrackID, in room: Int, on transport: Int, _ parameters: RTPParameters, name: String
  ) -> [Int]? {
    let isVideo = parameters.kind == .video
    let clockRate = parameters.codecs.first?.clockRate ?? (isVideo ? 90_000 : 48_000)
    var inserted: [(index: Int, reception: ReceptionState)] = []
    for layer in 0..<count {
      let reception = ReceptionState(clockRate: clockRate, isVideo: isVideo)
      let ring = PacketRing(capacity: isVideo ? Self.videoPackets : Self.audioPackets)
      let index = ring.flatMap { ring -> Int? in
        var slot = TrackSlot(
          id: id, room: room, transport: transport, isVideo: isVideo, clockRate: clockRate, ring: ring,
          reception: Unmanaged.passUnretained(reception))
        slot.isLayered = count > 1
        slot.layer = UInt8(layer)
        return tracks.insert(slot)
      }
      guard let index else {
        ring?.free()
        for (index, _) in inserted {
          tracks[index].pointee.ring.free()
          tracks.remove(index)
        }
        return nil
      }
      if let last = inserted.last { tracks[last.index].pointee.nextLayer = Int32(truncatingIfNeeded: index) }
      inserted.append((index, reception))
      tracks[index].pointee.firstLayer = Int32(truncatingIfNeeded: inserted[0].index)
    }
    for (index, reception) in inserted {
      trackBooks[index] = TrackState(
        parameters: parameters, reception: reception, canonicalName: parameters.cname.isEmpty ? name : parameters.cname)
      counters.ringBytes += tracks[index].pointee.ring.bytes
    }
    return inserted.map(\.index)
  }

  /// About 2 s of video at 2.5 Mb/s, and 1 s of audio in packets of 20 ms.
  static let videoPackets = 512
  static let audioPackets = 64

  private func isFree(_ ssrc: SSRC?, on transport: Int) -> Bool {
    guard let ssrc else { return true }
    let key = StreamKey(transport: transport, ssrc: ssrc)
    return mediaStreams[key] < 0 && repairStreams[key] < 0
  }

  /// Applies the parameters of a first or a later offer. The number of layers never changes.
  private func configure(_ first: Int, _ parameters: RTPParameters) {
    forEachLayer(of: first) { configure(layer: $0, parameters) }
  }

  private func configure(layer index: Int, _ parameters: RTPParameters) {
    let track = tracks[index]
    let transport = transports[track.pointee.transport]
    setCodecs(of: index, parameters)
    let feedback = parameters.codecs.reduce(into: RTCPFeedback()) { $0.formUnion($1.feedback) }
    track.pointee.wantsNACK = feedback.contains(.nack)
    track.pointee.wantsPLI = feedback.contains(.pli)
    track.pointee.wantsFIR = feedback.contains(.fir)

    let ids = RTPExtensionIDs(parameters.headerExtensions)
    transport.pointee.extensions.merge(ids)
    if ids.transportSequence != 0, feedback.contains(.transportCC), let book = transportBooks[track.pointee.transport],
      book.feedback == nil
    {
      let feedback = ArrivalRecorder()
      book.feedback = feedback
      transport.pointee.feedback = Unmanaged.passUnretained(feedback)
    }
    transport.pointee.wantsBitrateEstimate = transport.pointee.feedback == nil && feedback.contains(.remb)

    let layer = Int(track.pointee.layer)
    if layer < parameters.encodings.count {
      let encoding = parameters.encodings[layer]
      if let ssrc = encoding.ssrc, ssrc != track.pointee.ssrc, isFree(ssrc, on: track.pointee.transport) {
        assign(ssrc, to: index, isRepair: false)
      }
      if let ssrc = encoding.rtxSSRC, ssrc != track.pointee.rtxSSRC, isFree(ssrc, on: track.pointee.transport) {
        assign(ssrc, to: index, isRepair: true)
      }
    }
  }

  /// Sets a track's parameters. If its codecs change, its subscriptions begin anew.
  func setCodecs(of index: Int, _ parameters: RTPParameters) {
    let track = tracks[index]
    let codecsChanged = trackBooks[index]?.parameters.codecs != parameters.codecs
    trackBooks[index]?.parameters = parameters
    track.pointee.setCodecs(parameters.codecs)
    guard codecsChanged else { return }
    var subscription = Int(track.pointee.firstSubscription)
    while subscription >= 0 {
      let slot = subscriptions[subscription]
      if let theirs = subscriptionBooks[subscription]?.parameters { slot.pointee.match(parameters.codecs, to: theirs.codecs) }
      setRedundancy(subscription, transports[slot.pointee.transport].pointee.redundancy.distance)
      // The ring's packets were numbered for the old codecs. Retransmitting one would seal a different packet under a used
      // index.
      slot.pointee.map.forget(after: track.pointee.highest, leftOut: slot.pointee.leftOut(on: track.pointee))
      slot.pointee.cursor = .max
      subscription = Int(slot.pointee.nextInTrack)
    }
    if track.pointee.isVideo, track.pointee.subscriptionCount > 0 { track.pointee.keyFrames.request() }
  }

  /// Removes a track with all its layers.
  func removeTrack(_ index: Int) {
    guard tracks.isLive(index) else { return }
    let first = firstLayer(of: index)
    leaveRoom(first)
    forEachLayer(of: first) { layer in
      let track = tracks[layer]
      if track.pointee.injected != nil {
        injections.removeAll { $0 == layer }
        if !track.pointee.isReported { linkEnds -= 1 }
      } else {
        detach(layer, track.pointee.transport)
      }
      counters.ringBytes -= track.pointee.ring.bytes
      track.pointee.ring.free()
      trackBooks[layer] = nil
      switching.removeAll { $0 == layer }
      tracks.remove(layer)
    }
  }

  /// Ends what a room does with a track.
  func leaveRoom(_ first: Int) {
    forEachLayer(of: first) { layer in
      while tracks[layer].pointee.firstSubscription >= 0 { removeSubscription(Int(tracks[layer].pointee.firstSubscription)) }
    }
    endTaps(of: first)
    endLinks(of: first)
    if tracks[first].pointee.isLayered { layered.removeAll { $0 == first } }
    let room = rooms[tracks[first].pointee.room]
    room?.tracks[tracks[first].pointee.id] = nil
    room?.speakers.remove(tracks[first].pointee.id)
  }

  /// Removes a track from its transport.
  private func detach(_ index: Int, _ transport: Int) {
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

  func setMuted(_ first: Int, _ isMuted: Bool) { forEachLayer(of: first) { setMuted(layer: $0, isMuted) } }

  private func setMuted(layer index: Int, _ isMuted: Bool) {
    let track = tracks[index]
    guard track.pointee.isMuted != isMuted else { return }
    track.pointee.isMuted = isMuted
    track.pointee.taps.write(TapRecord.head(muted: isMuted))
    if isMuted {
      // Forwarded packets keep their numbers; packets that arrive while muted get none.
      var subscription = Int(track.pointee.firstSubscription)
      while subscription >= 0 {
        subscriptions[subscription].pointee.closeMap(on: track.pointee)
        subscription = Int(subscriptions[subscription].pointee.nextInTrack)
      }
    } else if track.pointee.isVideo {
      track.pointee.keyFrames.request()
    } else {
      // What was lost while muted stays lost.
      track.pointee.restorableFrom = track.pointee.highest &+ 1
    }
  }
}
