import RoomProtocol

extension RoomState {
  /// The largest score, which JavaScript numbers can represent; the lowest one is its negative.
  private static let largestScore = 1 << 53 - 1

  /// Sets this side's score, which is sent to the other rooms.
  /// - Throws: 10003 without the `admin` grant; 10001 for a number that some clients can't represent; 10013.
  public mutating func setPKScore(_ score: Int, by caller: Caller) throws(RoomError) {
    try checkAdmin(caller, "setting the score")
    guard (-Self.largestScore...Self.largestScore).contains(score) else {
      throw RoomError(
        .unknownMessage, "score: \(score) is out of range; the range is \(-Self.largestScore) to \(Self.largestScore)")
    }
    guard var running = pk.running else { throw Self.noPK }
    guard running.info.score != score else { return }
    try checkScoresChange(running)
    running.info.score = score
    scored(running)
  }

  /// Adds a gift to this side's score. A gift that was counted before changes nothing, even after the end of the time.
  /// - Throws: 10003 without the `admin` grant; 10001 for values out of range, and for a gift that the rules do not name; 10013.
  public mutating func addPKGift(_ params: PKGiftParams, by caller: Caller) throws(RoomError) -> PKGiftResult {
    try checkAdmin(caller, "adding a gift")
    if let error = params.validationError { throw RoomError(.unknownMessage, error) }
    guard var running = pk.running else { throw Self.noPK }
    var ledger = running.gifts ?? GiftLedger()
    guard ledger.enter(params.giftId) else { return PKGiftResult(score: running.info.score, counted: false) }
    try checkScoresChange(running)
    guard let weight = params.points ?? params.gift.flatMap({ running.info.rules?.gifts?[$0] }) else {
      throw RoomError(.unknownMessage, "gift: the rules of the PK name no \((params.gift ?? "").brief)")
    }
    // At most 10^15 points.
    let score = running.info.score + weight * (params.count ?? 1)
    guard score <= Self.largestScore else { throw RoomError(.unknownMessage, "the maximum score is \(Self.largestScore)") }
    running.info.score = score
    running.gifts = ledger
    scored(running)
    return PKGiftResult(score: score, counted: true)
  }

  private func checkScoresChange(_ running: RunningPK) throws(RoomError) {
    if running.meeting != nil, let end = running.info.endsAt, end <= clock {
      throw RoomError(.roomNotInPK, "the time of the PK is over: scores no longer change")
    }
  }

  private mutating func scored(_ new: RunningPK) {
    var running = new
    running.scoredAt = clock
    change(to: running, sendsUpdate: true)
    if let running = pk.running, let meeting = running.meeting { consider(running, since: meeting) }
  }
}
