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
    let isVideo = parameters.kind == .video
    let clockRate = parameters.codecs.first?.clockRate ?? (isVideo ? 90_000 : 48_000)
    guard !parameters.codecs.isEmpty, transports[transport].pointee.trackCount < limits.tracksPerTransport,
      parameters.encodings.prefix(1).allSatisfy({ isFree($0.ssrc, on: transport) && isFree($0.rtxSSRC, on: transport) }),
      let ring = PacketRing(capacity: isVideo ? Self.videoPackets : Self.audioPackets)
    else { return refuse(.refused(.track(id)), in: number) }
    let reception = ReceptionState(clockRate: clockRate, isVideo: isVideo)
    let slot = TrackSlot(
      id: id, room: transports[transport].pointee.room, transport: transport, isVideo: isVideo, clockRate: clockRate,
      ring: ring,
      reception: Unmanaged.passUnretained(reception))
    guard let index = tracks.insert(slot) else {
      ring.free()
      return refuse(.refused(.track(id)), in: number)
    }
    trackBooks[index] = TrackState(
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

  private func isFree(_ ssrc: SSRC?, on transport: Int) -> Bool {
    guard let ssrc else { return true }
    let key = StreamKey(transport: transport, ssrc: ssrc)
    return mediaStreams[key] < 0 && repairStreams[key] < 0
  }

  /// Applies the parameters of a first or a later offer.
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
      let feedback = ArrivalRecorder()
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
      // The ring's packets were numbered for the old codecs. Retransmitting one would seal a different packet under a used
      // index.
      slot.pointee.map.forget(after: track.pointee.highest)
      subscription = Int(slot.pointee.nextInTrack)
    }
    if track.pointee.isVideo, track.pointee.subscriptionCount > 0 { track.pointee.keyFrames.request() }
  }

  func removeTrack(_ index: Int) {
    guard tracks.isLive(index) else { return }
    let track = tracks[index]
    while track.pointee.firstSubscription >= 0 { removeSubscription(Int(track.pointee.firstSubscription)) }
    endTaps(of: index)
    if track.pointee.injected != nil {
      injections.removeAll { $0 == index }
    } else {
      detach(index, track.pointee.transport)
    }
    counters.ringBytes -= track.pointee.ring.bytes
    track.pointee.ring.free()
    let room = rooms[track.pointee.room]
    room?.tracks[track.pointee.id] = nil
    room?.speakers.remove(track.pointee.id)
    trackBooks[index] = nil
    tracks.remove(index)
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

  func setMuted(_ index: Int, _ isMuted: Bool) {
    let track = tracks[index]
    guard track.pointee.isMuted != isMuted else { return }
    track.pointee.isMuted = isMuted
    track.pointee.taps.write(TapRecord.head(muted: isMuted))
    if isMuted {
      // Forwarded packets keep their numbers; packets that arrive while muted get none.
      var subscription = Int(track.pointee.firstSubscription)
      while subscription >= 0 {
        subscriptions[subscription].pointee.map.close(before: track.pointee.highest &+ 1)
        subscription = Int(subscriptions[subscription].pointee.nextInTrack)
      }
    } else if track.pointee.isVideo {
      track.pointee.keyFrames.request()
    }
  }
}
