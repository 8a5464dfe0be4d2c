import RTP
import RoomProtocol

// The pace of calls that send an event to the whole room: each of them costs the server as many messages as the room has members.

extension Room {
  /// Takes what a call costs from its caller's pace.
  /// - Returns: what to put back if the call is refused.
  /// - Throws: 80302 if the caller makes such calls too fast.
  func takePace(of call: SignalCall, by participant: Participant) throws(RoomError) -> Double {
    guard let cost = call.fanOutCost else { return 0 }
    let (perSecond, burst) = (settings.limits.changesPerSecond, settings.limits.changeBurst)
    var pace = participant.changes ?? TokenBucket(perSecond: perSecond, burst: burst, now: .now)
    let isTaken = pace.take(cost, now: .now)
    participant.changes = pace
    guard isTaken else {
      surroundings.counters.count(limit: .changeRate)
      throw RoomError(
        .updateRoomFailed, "too many changes: a participant makes at most \(Int(perSecond)) a second; wait a little")
    }
    return cost
  }
}

extension SignalCall {
  /// Bytes of attributes that cost as much as one call more.
  private static let costlyBytes = 4096

  /// How many changes the call counts as; nil if it sends nothing to the whole room, or has a pace of its own.
  var fanOutCost: Double? {
    switch self {
    case .setAttributes(let params):
      let set = (params.set ?? [:]).reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
      let removed = (params.remove ?? []).reduce(0) { $0 + $1.utf8.count }
      return Double(1 + (set + removed) / Self.costlyBytes)
    case .seats(.listRequests): return nil
    case .seats, .pk, .publish, .unpublish, .mute, .startForward, .startMerge, .setLayouts, .stopJob: return 1
    case .join, .leave, .subscribe, .unsubscribe, .answer, .resubscribe, .kick, .sendMessage, .ping, .unknown: return nil
    }
  }
}
