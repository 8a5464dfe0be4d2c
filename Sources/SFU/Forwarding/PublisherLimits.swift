import RoomRTP
import RoomWebRTC

// What publishers of tracks without layers are asked to send at most (REMB): as much as the best of their subscribers can take.

extension Forwarder {
  /// Records how much of its tracks without layers this path could take, for `limitPublishers`.
  func share(_ bitrate: Int, among choices: [(video: VideoDemand, step: Int)], isLimited: Bool) {
    let single = choices.filter { !tracks[$0.video.steps[0].layer].pointee.isLayered }
    guard !single.isEmpty else { return }
    var left = bitrate
    for choice in choices where choice.video.hasLayers && choice.step >= 0 {
      left -= choice.video.demand.rates[choice.step]
    }
    let needs = single.map { choice in
      max(choice.video.demand.rates.last ?? 0, trackBooks[choice.video.steps[0].layer]?.cap?.full ?? 0)
    }
    let shares = Allocation.shares(of: left, needs: needs)
    for (index, choice) in single.enumerated() {
      subscriptions[choice.video.subscription].pointee.share =
        isLimited && shares[index] < needs[index] ? shares[index] : nil
    }
  }

  /// Asks publishers of tracks without layers to send no more than the best of their subscribers can take. Called once in
  /// `layerInterval`.
  func limitPublishers(_ now: Instant) {
    for index in 0..<transports.end where transports.isLive(index) && transports[index].pointee.firstTrack >= 0 {
      let transport = transports[index]
      let limit = publishLimit(of: index)
      let before = transport.pointee.publishLimit
      if let limit {
        transport.pointee.publishLimit = limit
        // A change of a tenth is worth a report of its own.
        if abs(limit - (before ?? 0)) * 10 > limit { transport.pointee.nextReport = now }
      } else if before != nil {
        transport.pointee.publishLimit = nil
        transport.pointee.limitReports = TransportSlot.releaseReports
        transport.pointee.nextReport = now
      }
    }
    for index in injections where tracks[index].pointee.isLinked && tracks[index].pointee.isVideo {
      guard let book = trackBooks[index] else { continue }
      let share = bestShare(of: index)
      book.injection?.setSubscriberShare(share)
      setCap(share != nil, of: index)
    }
  }

  /// Records whether the publisher of a track is asked for less than it would send.
  private func setCap(_ isCapped: Bool, of track: Int) {
    guard let book = trackBooks[track] else { return }
    book.cap =
      isCapped ? PublisherCap(full: max(tracks[track].pointee.rate.wireRate, book.cap?.full ?? 0)) : nil
  }

  /// Returns the bitrate that a publisher's subscribers can take; nil if one of them can take all, or something else uses it.
  private func publishLimit(of index: Int) -> Int? {
    var total = 0
    var caps: [Int: Int] = [:]
    for track in tracks(on: index) {
      let slot = tracks[track]
      if !slot.pointee.isVideo {
        total += slot.pointee.rate.wireRate
      } else if let share = bestShare(of: track) {
        // Less than the share, so that the video still fits if the estimate wavers.
        caps[track] = max(share * 4 / 5, PublisherCap.least)
      } else if slot.pointee.rate.wireRate > 0 {
        caps = [:]
        break
      }
    }
    for track in tracks(on: index) { setCap(caps[track] != nil, of: track) }
    return caps.isEmpty ? nil : caps.values.reduce(total, +)
  }

  /// Returns the largest share of the track's subscribers; nil if one has no limit, or if a program uses the track.
  private func bestShare(of track: Int) -> Int? {
    guard !tracks[track].pointee.isLayered, tracks[track].pointee.taps.count == 0 else { return nil }
    var best: Int?
    for link in trackBooks[track]?.links ?? [] {
      guard let share = link.injection.subscriberShare else { return nil }
      best = max(best ?? 0, share)
    }
    var subscription = Int(tracks[track].pointee.firstSubscription)
    while subscription >= 0 {
      let slot = subscriptions[subscription]
      if !slot.pointee.isPaused {
        guard let share = slot.pointee.share else { return nil }
        best = max(best ?? 0, share)
      }
      subscription = Int(slot.pointee.nextInTrack)
    }
    return best
  }
}

/// The limit on the publisher of a track without layers.
struct PublisherCap {
  /// The least bitrate in bits per second that a publisher is asked for.
  static let least = 60_000
  /// The bitrate in bits per second before the limit.
  var full: Int
}
