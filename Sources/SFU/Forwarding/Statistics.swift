import RoomRTP
import RoomWebRTC

// Counters and statistics, produced on request.

extension Forwarder {
  func currentCounters() -> WorkerCounters {
    var current = counters
    current.rooms = roomIndices.count
    current.transports = transports.count
    current.tracks = tracks.count
    current.subscriptions = subscriptions.count
    current.tcpConnections = connections.count
    for index in 0..<transports.end where transports.isLive(index) && transports[index].pointee.isConnected {
      current.connectedTransports += 1
      guard let path = transports[index].pointee.path, path.pointee.hasEstimate else { continue }
      current.paths += 1
      if path.pointee.isPaced, path.pointee.hasLimit {
        current.limitedPaths += 1
        current.limitedPathBitrate += path.pointee.estimator.target
      }
    }
    for index in current.drops.indices { current.drops[index] = drops[index] }
    return current
  }

  func statistics(of number: RoomNumber) -> MediaStatistics {
    guard let room = roomIndices[number].flatMap({ rooms[$0] }) else { return MediaStatistics() }
    return MediaStatistics(
      transports: room.transports.mapValues(transportStatistics), tracks: room.tracks.mapValues(trackStatistics),
      subscriptions: room.subscriptions.mapValues(subscriptionStatistics))
  }

  private func transportStatistics(_ index: Int) -> TransportStatistics {
    let slot = transports[index]
    var result = TransportStatistics()
    result.isConnected = slot.pointee.phase == .connected
    result.remoteAddress = transportBooks[index]?.peer.remoteAddress?.description
    result.roundTripMilliseconds = slot.pointee.roundTrip > 0 ? Double(slot.pointee.roundTrip) / 1000 : nil
    result.packetsReceived = slot.pointee.packetsReceived
    result.bytesReceived = slot.pointee.bytesReceived
    result.packetsSent = slot.pointee.packetsSent
    result.bytesSent = slot.pointee.bytesSent
    result.receiveKbps = slot.pointee.receiveRate.kbps
    result.sendKbps = slot.pointee.sendRate.kbps
    result.feedbackReceived = slot.pointee.feedbackReceived
    result.feedbackLost = slot.pointee.feedbackLost
    if let path = slot.pointee.path, path.pointee.hasEstimate {
      result.targetKbps = path.pointee.estimator.target / 1000
      result.queueMilliseconds = Double(path.pointee.estimator.queueDelay) / 1000
      result.isPaced = path.pointee.isPaced
    }
    return result
  }

  private func trackStatistics(_ index: Int) -> TrackStatistics {
    let slot = tracks[index]
    var result = TrackStatistics()
    if let book = trackBooks[index] {
      let codecs = book.parameters.codecs
      let codec = Int(slot.pointee.codec)
      result.codec = codec < codecs.count ? codecs[codec].name : ""
      result.lost = book.reception.stream.statistics.lost
      result.jitterMilliseconds = Double(book.reception.stream.statistics.jitterMicroseconds) / 1000
    }
    result.isMuted = slot.pointee.isMuted
    result.kbps = slot.pointee.rate.kbps
    result.framesPerSecond = slot.pointee.rate.framesPerSecond
    result.packets = slot.pointee.packets
    result.bytes = slot.pointee.bytes
    result.fractionLost = Double(slot.pointee.fractionLost) / 256
    result.frames = slot.pointee.frames
    result.keyFrames = slot.pointee.keyFrameCount
    result.nacksSent = slot.pointee.nacksSent
    result.keyFrameRequests = slot.pointee.keyFrameRequestsSent
    result.audioLevel = slot.pointee.isVideo ? nil : -Int(slot.pointee.lastLevel)
    result.subscriptions = slot.pointee.subscriptionCount
    if slot.pointee.nextLayer >= 0 { result.add(trackStatistics(Int(slot.pointee.nextLayer))) }
    return result
  }

  private func subscriptionStatistics(_ index: Int) -> SubscriptionStatistics {
    let slot = subscriptions[index]
    let track = tracks[slot.pointee.track]
    var result = SubscriptionStatistics()
    result.track = track.pointee.id
    result.transport = transports[slot.pointee.transport].pointee.id
    result.kbps = slot.pointee.rate.kbps
    result.packets = slot.pointee.packets
    result.bytes = slot.pointee.bytes
    result.nacks = slot.pointee.nacks
    result.retransmitted = slot.pointee.retransmitted
    result.keyFrameRequests = slot.pointee.keyFrameRequests
    result.lost = slot.pointee.lost
    result.fractionLost = Double(slot.pointee.fractionLost) / 256
    result.jitterMilliseconds = Double(slot.pointee.jitter) * 1000 / Double(max(1, track.pointee.clockRate))
    return result
  }
}
