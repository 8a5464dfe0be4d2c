import RoomProtocol
import RoomTestSupport

@testable import RoomState

/// Users that make random calls, allowed or not.
struct RandomCalls {
  let users: [UserID] = ["ann", "bob", "cid", "dan", "eve", "fay", "gus", "hal", "ivy", "jon", "kim", "leo"]
  /// Users that observe during the whole walk.
  static let watchers: [UserID?] = ["watcher", "warden", nil]
  private var ids = 0
  private let prefix: String

  init(prefix: String = "pk") { self.prefix = prefix }

  static func admitWatchers(to room: inout RoomState) throws {
    try room.join("watcher", grants: .subscribe)
    try room.join("warden", grants: [.subscribe, .admin, .hidden])
  }

  mutating func newID() -> PKID {
    ids += 1
    return "\(prefix)\(ids)"
  }

  private func grants(_ random: inout SeededGenerator) -> Grants {
    switch random.below(8) {
    case 0, 1: [.publish, .subscribe, .admin]
    case 2: [.subscribe, .admin]
    case 3, 4: .subscribe
    case 5: [.publish, .subscribe, .hidden]
    default: [.publish, .subscribe]
    }
  }

  private func index(_ random: inout SeededGenerator) -> Int {
    switch random.below(12) {
    case 0: -2
    case 1...3: -1
    default: random.below(8)
    }
  }

  private func caller(_ random: inout SeededGenerator) -> Caller {
    random.chance(1, in: 6) ? .api : .user(random.chance(1, in: 20) ? "nobody" : random.pick(users))
  }

  /// Returns a caller with the admin grant: most calls would fail otherwise.
  private func admin(_ room: RoomState, _ random: inout SeededGenerator) -> Caller {
    random.chance(1, in: 3) ? caller(&random) : random.chance(1, in: 2) ? .user("warden") : .api
  }

  /// Makes users join and leave.
  mutating func move(_ room: inout RoomState, _ random: inout SeededGenerator) throws(RoomError) {
    let user = random.pick(users)
    if room.members[user] == nil {
      try room.join(user, grants: grants(&random))
    } else if random.chance(1, in: 2) {
      room.setConnected(user, random.chance(1, in: 2))
    } else {
      room.leave(user, random.pick([.left, .kickedOut, .timedOut, .duplicateLogin]))
    }
  }

  mutating func call(_ room: inout RoomState, _ random: inout SeededGenerator) throws(RoomError) {
    let user = random.pick(users)
    switch random.below(30) {
    case 0...2: _ = try room.takeSeat(index(&random), by: user)
    case 3: try room.leaveSeat(by: user)
    case 4: try room.kickFromSeat(user, by: admin(room, &random))
    case 5, 6: try room.setSeat(switches(&random), by: random.chance(1, in: 2) ? .user(user) : admin(room, &random))
    case 7: if random.chance(1, in: 4) { try room.setLayout(layout(&random), by: admin(room, &random)) }
    case 8...12: try room.requestSeat(index(&random), by: user)
    case 13: try room.cancelRequest(by: user)
    case 14, 15: _ = try room.acceptRequest(of: waiting(room, &random) ?? user, by: admin(room, &random))
    case 16: try room.rejectRequest(of: waiting(room, &random) ?? user, by: admin(room, &random))
    case 17...19: try room.inviteToSeat(user, index: index(&random), by: admin(room, &random))
    case 20: try room.cancelInvitation(of: user, by: admin(room, &random))
    case 21, 22: _ = try room.acceptInvitation(by: room.invitations.first?.userId ?? user)
    case 23: try room.rejectInvitation(by: user)
    case 24...27: _ = try room.sendMessage(message(&random), by: caller(&random))
    default: try room.setAttributes(attributes(&random), by: admin(room, &random))
    }
  }

  private func waiting(_ room: RoomState, _ random: inout SeededGenerator) -> UserID? {
    room.requests.count == 0 ? nil : room.requests.all[random.below(room.requests.count)].userId
  }

  private func switches(_ random: inout SeededGenerator) -> SeatSwitches {
    var switches = SeatSwitches(index: index(&random))
    let on = random.chance(1, in: 2)
    switch random.below(5) {
    // Mostly unlocked, so that there are seats to take.
    case 0: switches.locked = random.chance(1, in: 3)
    case 1: switches.muted = on
    case 2: switches.video = on
    case 3: switches.audio = on
    default: switches = SeatSwitches(index: switches.index, locked: false, audio: on)
    }
    return switches
  }

  private func layout(_ random: inout SeededGenerator) -> LayoutParams {
    let type = random.pick(LayoutType.allCases)
    if type == .custom {
      let like: [LayoutType] = [.gridTwo, .gridNine, .custom]
      return LayoutParams(.custom, frames: random.pick(like).frames)
    }
    return LayoutParams(type, canvas: random.chance(1, in: 8) ? CanvasSize(width: 640, height: 360) : nil)
  }

  private func message(_ random: inout SeededGenerator) -> MessageParams {
    let to = random.chance(1, in: 3) ? random.pick(users) : nil
    switch random.below(6) {
    case 0: return MessageParams(.like, to: to)
    case 1: return MessageParams(.gift, type: "rose", count: random.below(3), to: to)
    case 2: return MessageParams(.custom, type: "x", data: random.chance(1, in: 4) ? "{" : "[1]", to: to)
    default: return MessageParams(.text, text: "hi", to: to)
    }
  }

  private func attributes(_ random: inout SeededGenerator) -> AttributeParams {
    var params = AttributeParams()
    for _ in 0..<random.below(3) {
      params.set = (params.set ?? [:]).merging(["k\(random.below(60))": "\(random.below(3))"]) { $1 }
    }
    if random.chance(1, in: 2) { params.remove = ["k\(random.below(60))"] }
    return params
  }
}
