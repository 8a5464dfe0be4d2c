import RoomRTP

// What a path can carry of one video, step by step: the layers of a simulcast, and below the smallest its temporal layers.

extension Forwarder {
  /// One thing that can be sent of a video.
  struct VideoStep: Equatable {
    /// The layer, as an index in the table of tracks.
    var layer: Int
    var limit = TemporalLimit.all
    /// Whether this is all that the subscriber wants of the layer.
    var isWhole = true
  }

  /// A video that a path's bitrate is divided among.
  struct VideoDemand {
    var subscription: Int
    /// From the least to the best; as many as the demand's rates.
    var steps: [VideoStep] = []
    var demand: Allocation.Demand

    /// Whether the steps are of several layers.
    var hasLayers: Bool { steps.first?.layer != steps.last?.layer }
  }

  /// The part of the bitrate that a temporal step must save.
  private static let worthwhile = 10

  /// Returns what a subscription wants of its video. Without a limit of the path, frames are not left out.
  func video(of subscription: Int, isLimited: Bool, now: Instant) -> VideoDemand {
    let slot = subscriptions[subscription]
    let track = tracks[slot.pointee.track]
    var video = VideoDemand(
      subscription: subscription, demand: .init(rates: [], current: -1, priority: priority(of: subscription)))
    // More frames cost no key frame.
    let patience = slot.pointee.isStarved || slot.pointee.pathLimit != .all ? Self.resumePatience : Self.risePatience
    video.demand.mayRise = slot.pointee.loweredAt.map { now - $0 >= patience } ?? true
    var layers: [Int] = []
    if track.pointee.isLayered, let set = trackBooks[Int(track.pointee.firstLayer)]?.layers {
      layers = set.possible(slot.pointee.limits).prefix(Allocation.maximumLayers).map(\.index)
    }
    if layers.isEmpty { layers = [slot.pointee.track] }
    for layer in layers {
      for step in steps(of: layer, isDivided: isLimited && layer == layers[0], slot.pointee.limits) {
        video.steps.append(step)
        // A step that is larger counts as no cheaper.
        video.demand.rates.append(max(video.demand.rates.last ?? 0, rate(of: step)))
      }
    }
    video.demand.frameRates = video.steps.count { $0.layer == layers[0] }
    if !slot.pointee.isStarved {
      video.demand.current =
        video.steps.firstIndex { $0.layer == slot.pointee.track && $0.limit >= slot.pointee.limit }
        ?? video.steps.lastIndex { $0.layer == slot.pointee.track } ?? video.steps.count - 1
    }
    return video
  }

  /// Returns the steps of one layer. Only the smallest is divided: fewer frames of a large picture are worth less than all of a
  /// small one.
  private func steps(of layer: Int, isDivided: Bool, _ limits: SubscriptionSlot.Limits) -> [VideoStep] {
    let whole = VideoStep(layer: layer, limit: tracks[layer].pointee.limit(framesPerSecond: limits.framesPerSecond))
    guard isDivided, tracks[layer].pointee.temporal.top > 0 else { return [whole] }
    var steps = [whole]
    for limit in [TemporalLimit.middle, .base] where limit < whole.limit {
      let step = VideoStep(layer: layer, limit: limit, isWhole: false)
      guard rate(of: step) * Self.worthwhile <= rate(of: steps[0]) * (Self.worthwhile - 1) else { continue }
      steps.insert(step, at: 0)
    }
    return steps
  }

  private func rate(of step: VideoStep) -> Int {
    let rate = tracks[step.layer].pointee.rate(step.limit)
    // A publisher that was asked for less follows within a second.
    return trackBooks[step.layer]?.cap != nil ? rate.currentWireRate : rate.wireRate
  }
}
