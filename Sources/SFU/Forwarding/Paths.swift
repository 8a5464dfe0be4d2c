import RoomRTP
import RoomWebRTC

// The paths to subscribers: their feedback, and how the bitrate that a path carries is divided among its streams.
//
// Audio comes first (`AudioSelection.swift`). Video that a path does not carry gets a smaller layer, or is paused. Without a sign
// of a limit (a queue, loss that a lower rate reduces, or an estimate of the subscriber's own) nothing is paused.

extension Forwarder {
  /// Microseconds between two allocations of one path; a fall of its estimate does not wait for it.
  private static let allocationInterval: Int64 = 1_000_000
  /// The same while a track does not fit.
  private static let shortInterval: Int64 = 200_000
  /// Time for which a track must not fit before it is paused, in microseconds.
  private static let pausePatience: Int64 = 1_000_000
  /// The same if its publisher was asked to send less, or the queue may be that of others, for a share of which the path competes.
  private static let unsurePatience: Int64 = 3_000_000
  /// Time after a step down before a step up, and after a pause before the track resumes, in microseconds.
  static let risePatience: Int64 = 5_000_000
  static let resumePatience: Int64 = 2_000_000
  /// Time between two trials of a paused video if the path cannot be probed, in microseconds.
  private static let trialPatience: Int64 = 15_000_000
  private static let trialTime: Int64 = 2_000_000
  /// The fraction of lost packets, in 1/256, at which a report alone makes a path.
  private static let muchLoss: UInt8 = 26

  // MARK: Life

  /// Returns the path of a transport that receives something. The first call makes it.
  private func path(of index: Int) -> UnsafeMutablePointer<Path>? {
    let transport = transports[index]
    if let path = transport.pointee.path { return path }
    guard transport.pointee.firstSubscription >= 0 else { return nil }
    let path = UnsafeMutablePointer<Path>.allocate(capacity: 1)
    path.initialize(to: Path())
    transport.pointee.path = path
    return path
  }

  /// Makes the path of a transport before its first packet, so that it knows the delay without a queue.
  func beginPath(for subscription: Int) {
    guard subscriptions[subscription].pointee.header.transportSequenceOffset > 0 else { return }
    _ = path(of: subscriptions[subscription].pointee.transport)
  }

  /// Lets the first video with layers begin with a small one, if probes can show what the path carries.
  func startLow(_ index: Int, now: Instant) {
    guard canPad(index), let path = path(of: index), path.pointee.startLow(now: now) else { return }
    allocate(index, path, now: now)
  }

  func freePath(of index: Int) {
    guard let path = transports[index].pointee.path else { return }
    transports[index].pointee.path = nil
    servedTransports.removeAll { $0 == index }
    path.pointee.free()
    path.deinitialize(count: 1)
    path.deallocate()
  }

  // MARK: Feedback

  func receive(_ feedback: TransportFeedback, on index: Int, now: Instant) {
    counters.transportFeedbackReceived &+= 1
    let transport = transports[index]
    for status in feedback {
      if status.arrival == nil { transport.pointee.feedbackLost &+= 1 } else { transport.pointee.feedbackReceived &+= 1 }
    }
    guard let path = path(of: index) else { return }
    if path.pointee.take(feedback, roundTrip: transport.pointee.measuredRoundTrip, now: now) {
      allocate(index, path, now: now)
    }
    if canPad(index), path.pointee.beginProbe(now: now) {
      counters.probes &+= 1
      serve(index, path)
    }
  }

  /// Takes a subscriber's own estimate (REMB).
  func receive(_ estimate: ReceiverEstimatedMaximumBitrate, on index: Int, now: Instant) {
    guard let path = path(of: index) else { return }
    path.pointee.limit(to: estimate.bitrate)
    let before = path.pointee.allocatedTarget
    if path.pointee.divided * 20 < before * 19 || before == 0 { allocate(index, path, now: now) }
  }

  func receivedReport(_ block: ReportBlock, on index: Int, now: Instant) {
    let transport = transports[index]
    let isMuch = block.fractionLost >= Self.muchLoss
    guard let path = isMuch ? path(of: index) : transport.pointee.path, isMuch || path.pointee.hasEstimate else { return }
    if path.pointee.report(fractionLost: block.fractionLost, roundTrip: transport.pointee.measuredRoundTrip, now: now) {
      allocate(index, path, now: now)
    }
  }

  // MARK: Allocation

  /// Divides the bitrates that are due. Called once in `layerInterval`.
  func allocate(_ now: Instant) {
    shareBottlenecks()
    for index in 0..<transports.end where transports.isLive(index) {
      guard let path = transports[index].pointee.path, path.pointee.hasEstimate || path.pointee.isProving else { continue }
      path.pointee.advance(to: now, isConnected: transports[index].pointee.isConnected)
      followLoss(of: index, path, now: now)
      if path.pointee.hasLimit, now - path.pointee.estimator.lastSent >= Self.layerInterval { keepMeasuring(index, now: now) }
      if path.pointee.nextAllocation <= now || path.pointee.divided * 20 < path.pointee.allocatedTarget * 19 {
        allocate(index, path, now: now)
      }
    }
  }

  /// Adapts the copies of audio and the delay of video to what the path loses.
  private func followLoss(of index: Int, _ path: UnsafeMutablePointer<Path>, now: Instant) {
    let measured = path.pointee.loss(at: now)
    if let measured { raiseAudioLoss(to: measured, on: index) }
    // Others who fill the queue cause losses again and again.
    let isCompeting = path.pointee.estimator.isCompeting
    guard let loss = isCompeting ? max(measured ?? 0, PlayoutDelay.leastLoss) : measured else { return }
    let roundTrip = transports[index].pointee.measuredRoundTrip
    guard path.pointee.playoutDelay.update(loss: loss, roundTrip: roundTrip, now: now) else { return }
    for subscription in subscriptions(on: index) {
      subscriptions[subscription].pointee.header.setPlayoutDelay(milliseconds: path.pointee.playoutDelay.milliseconds)
    }
  }

  /// Lets the next `allocate` include this transport.
  func allocateSoon(_ index: Int) { transports[index].pointee.path?.pointee.nextAllocation = Instant(microseconds: 0) }

  private func allocate(_ index: Int, _ path: UnsafeMutablePointer<Path>, now: Instant) {
    let sound = selectAudio(of: index, path, now: now)
    let videos = videos(of: index, isLimited: path.pointee.hasLimit, now: now)
    let target = path.pointee.divided
    setAffordsRedundancy(!path.pointee.hasLimit || target >= sound.sent * Self.audioShare, on: index)
    // Copies of earlier packets are audio too.
    let audio = sound.sent * (1 + Int(transports[index].pointee.redundancy.distance))
    let repairs = min(path.pointee.repairRate.wireRate, target / 10)
    let bitrate = max(0, target * 19 / 20 - audio - repairs)
    let pauses = path.pointee.hasLimit
    let choice = Allocation.choose(videos.map(\.demand), bitrate: bitrate, pauses: pauses)
    path.pointee.audio = sound.sent
    path.pointee.wanted = audio + sound.wanted - sound.sent
    var allotted = audio
    var isMissing = false
    path.pointee.leastVideo = 0
    for (video, step) in zip(videos, choice) {
      let full = video.hasLayers ? 0 : trackBooks[video.steps[0].layer]?.cap?.full ?? 0
      path.pointee.wanted += max(video.demand.rates.last ?? 0, full) * 6 / 5
      if step >= 0 { allotted += video.demand.rates[step] }
      if apply(step, to: video, path, now: now) { isMissing = true }
      if !subscriptions[video.subscription].pointee.isStarved { path.pointee.leastVideo += video.demand.rates.first ?? 0 }
    }
    share(bitrate, among: zip(videos, choice).map { ($0, $1) }, isLimited: pauses)
    path.pointee.isOvercommitted = isMissing
    path.pointee.allocatedTarget = target
    path.pointee.nextAllocation = now.advanced(microseconds: isMissing ? Self.shortInterval : Self.allocationInterval)
    setPaced(
      index, path,
      pauses && now >= path.pointee.trialEnd && (isMissing || target * 2 < allotted * 3 || path.pointee.isFilling), now: now)
  }

  /// Returns the subscriptions to audio or video that a subscriber wants: neither muted nor paused by it.
  func wanted(of index: Int, isVideo: Bool) -> [Int] {
    subscriptions(on: index).filter { subscription in
      let track = tracks[subscriptions[subscription].pointee.track]
      return track.pointee.isVideo == isVideo && !track.pointee.isMuted && !subscriptions[subscription].pointee.isPaused
    }
  }

  /// Returns the videos that a subscriber wants.
  private func videos(of index: Int, isLimited: Bool, now: Instant) -> [VideoDemand] {
    wanted(of: index, isVideo: true).map { video(of: $0, isLimited: isLimited, now: now) }
  }

  /// The subscriber's own priority, and more for the room's speakers.
  func priority(of subscription: Int) -> Int {
    let slot = subscriptions[subscription]
    let priority = Int(slot.pointee.priority)
    guard priority < Allocation.pinned else { return priority }
    return publisherSpeaks(of: slot.pointee.track) ? min(priority + Self.speakerPriority, Allocation.pinned - 1) : priority
  }

  /// Returns whether one of the room's active speakers has the same publisher as this track.
  private func publisherSpeaks(of track: Int) -> Bool {
    let transport = tracks[track].pointee.transport
    if transport >= 0 { return tracks(on: transport).contains { !tracks[$0].pointee.isVideo && isSpeaking($0) } }
    guard tracks[track].pointee.isLinked, let room = rooms[tracks[track].pointee.room], let book = trackBooks[track] else {
      return false
    }
    return room.speakers.speakers.contains { id in
      room.tracks[id].flatMap { trackBooks[$0]?.canonicalName } == book.canonicalName
    }
  }

  /// Whether a track is among the room's active speakers.
  func isSpeaking(_ track: Int) -> Bool {
    rooms[tracks[track].pointee.room]?.speakers.speakers.contains(tracks[track].pointee.id) ?? false
  }

  private static let speakerPriority = 64
  /// Audio is repeated if it takes at most this part of the target.
  private static let audioShare = 4

  /// Gives a track the chosen step; −1 pauses it in a while. Returns whether the track does not fit.
  private func apply(_ step: Int, to video: VideoDemand, _ path: UnsafeMutablePointer<Path>, now: Instant) -> Bool {
    let slot = subscriptions[video.subscription]
    bound(video, to: max(0, step))
    guard step >= 0 else {
      let missing = slot.pointee.missing(at: now)
      let isCapped = trackBooks[slot.pointee.track]?.cap != nil
      let isUnsure = isCapped || path.pointee.estimator.mayYieldInVain
      let patience = path.pointee.isOverflowing ? 0 : isUnsure ? Self.unsurePatience : Self.pausePatience
      if !slot.pointee.isStarved, now >= path.pointee.trialEnd, missing >= patience {
        starve(video.subscription, now: now)
      } else if slot.pointee.isStarved, needsTrial(video.subscription, now: now) {
        slot.pointee.missingSince = now
        path.pointee.trialEnd = now.advanced(microseconds: Self.trialTime)
        resume(video.subscription)
        slot.pointee.loweredAt = now
      }
      return true
    }
    slot.pointee.missingSince = nil
    // Before the first probe the target is a guess, so a step down says nothing about the path.
    if step < video.demand.current, !path.pointee.isProving { slot.pointee.loweredAt = now }
    if slot.pointee.isStarved {
      slot.pointee.loweredAt = nil
      resume(video.subscription)
    }
    return false
  }

  /// Limits what is sent of a video to one of its steps.
  private func bound(_ video: VideoDemand, to step: Int) {
    let slot = subscriptions[video.subscription]
    let step = video.steps[step]
    slot.pointee.ceiling = step.layer == video.steps.last?.layer ? nil : step.layer
    slot.pointee.pathLimit = step.isWhole ? .all : step.limit
    setLimit(video.subscription)
  }

  /// Pauses a track that the path does not carry.
  func starve(_ subscription: Int, now: Instant) {
    stop(subscription)
    subscriptions[subscription].pointee.isStarved = true
    subscriptions[subscription].pointee.loweredAt = now
    counters.bandwidthPauses &+= 1
    reportStream(subscription)
  }

  func resume(_ subscription: Int) {
    let slot = subscriptions[subscription]
    slot.pointee.isStarved = false
    tracks[slot.pointee.track].pointee.keyFrames.request()
    reportStream(subscription)
  }

  /// Whether only the video itself can show that the path carries it: no padding can be sent to look for more.
  private func needsTrial(_ subscription: Int, now: Instant) -> Bool {
    let slot = subscriptions[subscription]
    return !canPad(slot.pointee.transport) && slot.pointee.loweredAt.map { now - $0 >= Self.trialPatience } ?? true
  }
}
