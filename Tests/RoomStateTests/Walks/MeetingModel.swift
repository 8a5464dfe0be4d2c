import RoomProtocol

@testable import RoomState

/// All orders in which three rooms of a PK send, receive, decide and fall silent, up to a number of each.
struct MeetingModel {
  struct Letter: Hashable {
    var from: RoomName
    var to: RoomName
    var beat: PKBeat
  }

  struct World: Hashable {
    var rooms: [PKMeeting]
    /// Milliseconds since the beginning, by room.
    var clocks: [Int64] = [0, 0, 0]
    /// What is lost stays here.
    var letters: Set<Letter> = []
    var beats = [0, 0, 0]
    var silences = 0
    var decisions = 0
    /// The charters that count somewhere.
    var counted: [PKCharter.Version: PKCharter]
  }

  /// Two decisions that exclude each other.
  struct Violation: Error { var text: String }

  let beats: Int
  let silences: Int
  let decisions: Int
  private(set) var worlds = 0
  /// How often a charter began to count, and how often a room began to lead.
  private(set) var committed = 0
  private(set) var handovers = 0

  init(beats: Int, silences: Int, decisions: Int) {
    (self.beats, self.silences, self.decisions) = (beats, silences, decisions)
  }

  static let names: [RoomName] = ["b", "c", "a"]

  /// - Parameter limit: the most worlds to visit.
  mutating func check(limit: Int) throws {
    let charter = PKCharter(
      parties: Self.names.map { PKCharter.Party(id: PKID("p\($0.rawValue)"), room: $0, host: "h", inviter: "") }, startedAt: 0)
    let rooms = Self.names.map { name in
      var room = PKMeeting(name, charter, silence: 15_000, at: 0)
      room.advance(to: 0)
      return room
    }
    let first = World(rooms: rooms, counted: [charter.version: charter])
    var seen: Set = [first]
    // The last world first: a few worlds reach decisions.
    var waiting = [first]
    while let world = waiting.popLast(), seen.count < limit {
      for new in try successors(of: world) where seen.insert(new).inserted { waiting.append(new) }
    }
    worlds = seen.count
  }

  private mutating func successors(of world: World) throws -> [World] {
    var all: [World] = []
    for (index, name) in Self.names.enumerated() {
      if world.beats[index] < beats {
        var new = world
        new.beats[index] += 1
        for other in new.rooms[index].others {
          let beat = new.rooms[index].beat(wishes: [])
          new.letters.insert(Letter(from: name, to: other.room, beat: beat))
        }
        all.append(new)
      }
      if world.silences < silences {
        var new = world
        new.silences += 1
        new.clocks[index] += 20_000
        let now = new.clocks[index]
        try change(index, in: &new) { $0.advance(to: now) }
        all.append(new)
      }
      if world.decisions < decisions, world.rooms[index].leads {
        var new = world
        new.decisions += 1
        let (now, decision) = (new.clocks[index], Int64(new.decisions))
        try change(index, in: &new) { room in
          room.decide(at: now) { charter in
            // Which decision it is, and after how many others.
            charter.extensions += 1
            charter.endsAt = decision
          }
        }
        all.append(new)
      }
    }
    for letter in world.letters {
      guard let index = Self.names.firstIndex(of: letter.to) else { continue }
      var new = world
      new.letters.remove(letter)
      let now = new.clocks[index]
      try change(index, in: &new) { _ = $0.take(letter.beat, from: letter.from, at: now) }
      all.append(new)
    }
    return all
  }

  private mutating func change(_ index: Int, in world: inout World, _ change: (inout PKMeeting) -> Void) throws {
    let before = world.rooms[index]
    change(&world.rooms[index])
    let after = world.rooms[index]
    if after.leads, !before.leads { handovers += 1 }
    guard after.charter.version != before.charter.version else { return }
    let charter = after.charter
    if let known = world.counted[charter.version] {
      guard known == charter else { throw Violation(text: "\(charter) and \(known) both count") }
      return
    }
    guard let newest = world.counted.max(by: { $0.key < $1.key })?.value else { return }
    let isSame = charter.extensions == newest.extensions && charter.endsAt == newest.endsAt
    guard charter.version > newest.version, isSame || charter.extensions == newest.extensions + 1 else {
      throw Violation(text: "\(charter) counts after \(newest)")
    }
    world.counted[charter.version] = charter
    committed += 1
  }
}
