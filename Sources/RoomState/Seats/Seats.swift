import RoomProtocol

/// The seats of a room with their users and switches. A user has at most one seat.
struct Seats: Codable, Hashable, Sendable {
  enum State { case free, taken(UserID), locked, missing }
  /// The result of a search for any free seat.
  enum Free { case seat(Int), onlyLocked, none }

  private(set) var all: [SeatInfo]

  init(count: Int) { all = (0..<count).map { SeatInfo(index: $0) } }

  var count: Int { all.count }
  /// The user on the host's seat.
  var host: UserID? { all.first?.userId }

  func contains(_ index: Int) -> Bool { all.indices.contains(index) }

  subscript(index: Int) -> SeatInfo { all[index] }

  func index(of user: UserID) -> Int? { all.firstIndex { $0.userId == user } }

  func state(of index: Int) -> State {
    guard contains(index) else { return .missing }
    if let user = all[index].userId { return .taken(user) }
    return all[index].locked ? .locked : .free
  }

  /// Returns the first free seat.
  /// - Parameter first: the index to start from; not everyone may take the host's seat.
  func firstFree(from first: Int) -> Free {
    var locked = false
    for seat in all where seat.index >= first && seat.userId == nil {
      if !seat.locked { return .seat(seat.index) }
      locked = true
    }
    return locked ? .onlyLocked : .none
  }

  mutating func seat(_ user: UserID, on index: Int) { all[index].userId = user }

  /// Empties a seat. Lock and mute stay; the switches of its user are reset.
  mutating func vacate(_ index: Int) {
    all[index] = SeatInfo(index: index, locked: all[index].locked, muted: all[index].muted)
  }

  mutating func set(_ switches: SeatSwitches) {
    if let locked = switches.locked { all[switches.index].locked = locked }
    if let muted = switches.muted { all[switches.index].muted = muted }
    if let video = switches.video { all[switches.index].video = video }
    if let audio = switches.audio { all[switches.index].audio = audio }
  }

  /// Replaces the seats; the first `kept` of them stay as they are.
  /// - Returns: the seats whose users lost them.
  mutating func rebuild(count: Int, keeping kept: Int) -> [SeatInfo] {
    let kept = all.prefix(min(kept, count))
    let off = all.dropFirst(kept.count).filter { $0.userId != nil }
    all = kept + (kept.count..<count).map { SeatInfo(index: $0) }
    return off
  }
}
