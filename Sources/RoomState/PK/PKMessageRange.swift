import RoomProtocol

extension PKMessage {
  /// Numbers that all clients represent exactly, and with which a room can count on without an overflow.
  fileprivate static let numbers = -(1 << 53)...(1 << 53)
  /// Milliseconds since 1970.
  fileprivate static let times = 0...Int64(1 << 53)
  /// The most wishes of a beat.
  fileprivate static let wishes = 16
  /// The most rooms that a room keeps apart from itself.
  fileprivate static let apart = 64

  /// Whether the numbers and lists of the message are in the ranges of those that rooms send. A message of another server that is not
  /// must not reach a room.
  public var isInRange: Bool {
    switch body {
    case .invite(_, _, _, _, let duration, let terms):
      return Int32(exactly: duration ?? 0) != nil && (terms?.rules?.validationError == nil)
        && (terms?.rooms.count ?? 0) <= PKCharter.maximumParties && (0...8).contains(terms?.team ?? 0)
    case .begin(let startedAt, let endsAt): return [startedAt, endsAt ?? 0].allSatisfy(Self.times.contains)
    case .update(let update):
      return [update.version, update.score].allSatisfy(Self.numbers.contains)
        && [update.startedAt, update.endsAt ?? 0].allSatisfy(Self.times.contains)
    case .meet(let beat, let report):
      return beat.isInRange && [report.version, report.score].allSatisfy(Self.numbers.contains)
        && Self.times.contains(report.finalAt ?? 0) && (report.apart?.count ?? 0) <= Self.apart
    case .depart(let departure): return departure.charter?.isInRange ?? true
    case .matched, .cancel, .accept, .reject, .end: return true
    }
  }
}

extension PKBeat {
  fileprivate var isInRange: Bool {
    [number, ballot.number].allSatisfy(PKMessage.numbers.contains) && charter.isInRange && proposal?.isInRange ?? true
      && wishes.count <= PKMessage.wishes && wishes.allSatisfy(\.isInRange)
  }
}

extension PKWish {
  fileprivate var isInRange: Bool {
    guard PKMessage.times.contains(until) else { return false }
    return if case .end(let time) = change { PKMessage.times.contains(time) } else { true }
  }
}

extension PKCharter {
  fileprivate var isInRange: Bool {
    [version.number, version.ballot.number, extensions].allSatisfy(PKMessage.numbers.contains)
      && (result?.scores ?? []).map(\.score).allSatisfy(PKMessage.numbers.contains)
      && [startedAt, endsAt ?? 0].allSatisfy(PKMessage.times.contains) && rules?.validationError == nil
      && max(parties.count, result?.scores.count ?? 0, result?.winners.count ?? 0) <= Self.maximumParties
  }
}
