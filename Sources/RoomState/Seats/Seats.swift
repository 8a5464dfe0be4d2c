import RoomProtocol

/// The seats of a room: who sits where, and their switches. A user sits on one at most.
struct Seats: Codable, Hashable, Sendable {
  enum State { case free, taken(UserID), locked, missing }
  /// What there is for who takes any seat.
  enum Free { case seat(Int), onlyLocked, none }

  private(set) var all: [SeatInfo]

  init(count: Int) { all = (0..<count).map { SeatInfo(index: $0) } }

  var count: Int { all.count }
  /// Who sits on the host's seat.
  var host: UserID? { all.first?.userId }

  func contains(_ index: Int) -> Bool { all.indices.contains(index) }

  subscript(index: Int) -> SeatInfo { all[index] }

  func index(of user: UserID) -> Int? { all.firstIndex { $0.userId == user } }

  func state(of index: Int) -> State {
    guard contains(index) else { return .missing }
    if let user = all[index].userId { return .taken(user) }
    return all[index].locked ? .locked : .free
  }

  /// - Parameter first: where to begin; the host's seat is not for everyone.
  func firstFree(from first: Int) -> Free {
    var locked = false
    for seat in all where seat.index >= first && seat.userId == nil {
      if !seat.locked { return .seat(seat.index) }
      locked = true
    }
    return locked ? .onlyLocked : .none
  }

  mutating func seat(_ user: UserID, on index: Int) { all[index].userId = user }

  /// Lock and mute stay with the seat, what its user switched does not.
  mutating func vacate(_ index: Int) {
    all[index] = SeatInfo(index: index, locked: all[index].locked, muted: all[index].muted)
  }

  mutating func set(_ switches: SeatSwitches) {
    if let locked = switches.locked { all[switches.index].locked = locked }
    if let muted = switches.muted { all[switches.index].muted = muted }
    if let video = switches.video { all[switches.index].video = video }
    if let audio = switches.audio { all[switches.index].audio = audio }
  }

  /// Other seats: the first so many stay as they are, the others are new.
  /// - Returns: who has no seat any more.
  mutating func rebuild(count: Int, keeping kept: Int) -> [SeatInfo] {
    let kept = all.prefix(min(kept, count))
    let off = all.dropFirst(kept.count).filter { $0.userId != nil }
    all = kept + (kept.count..<count).map { SeatInfo(index: $0) }
    return off
  }
}
