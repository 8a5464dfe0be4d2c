import RoomCluster
import RoomProtocol

/// The scripts of the store, as values.
struct StoreData {
  struct Owner {
    var incarnation: Incarnation?
    var fence: Int64
  }

  var epoch: Int64 = 0
  var members: [Incarnation: ClusterMember] = [:]
  /// The process that the members know, since when, and whether the data began then.
  var process: (name: String, since: Int64, isNew: Bool)?
  var rooms: [RoomName: Owner] = [:]

  var membership: Membership { Membership(epoch: epoch, members: members) }

  /// The rooms whose owners are no members.
  var orphans: [RoomName: Incarnation] {
    rooms.compactMapValues { owner in owner.incarnation.flatMap { members[$0] == nil ? $0 : nil } }
  }

  mutating func join(
    _ node: NodeID, process own: UInt64, previous: Incarnation?, leaving: [Incarnation], server: String, now: Int64
  ) -> NodeLease.Entry {
    if let process {
      if process.name != server { self.process = (server, now, false) }
    } else {
      process = (server, now, true)
    }
    for incarnation in leaving { members[incarnation] = nil }
    let incarnation: Incarnation
    if let previous, members[previous] != nil {
      incarnation = previous
    } else {
      epoch += 1
      incarnation = Incarnation(node: node, epoch: epoch, process: own)
      members[incarnation] = ClusterMember(incarnation, beat: 0, seen: 0, report: NodeReport(address: node.text))
    }
    return NodeLease.Entry(
      incarnation: incarnation, membership: membership, age: now - (process?.since ?? now), isNewStore: process?.isNew ?? true)
  }

  mutating func renew(_ own: Incarnation, beat: Int64, seen: Int64) -> Membership? {
    guard members[own] != nil else { return nil }
    members[own]?.beat = beat
    members[own]?.seen = seen
    return membership
  }

  mutating func assert(_ leases: [RoomLease], _ own: Incarnation) -> [RoomName] {
    leases.compactMap { lease in
      if let current = rooms[lease.room] {
        let isOwn = current.incarnation.map { $0.node == own.node && $0.process == own.process } ?? false
        if current.fence > lease.fence || current.fence == lease.fence && !isOwn { return lease.room }
      }
      rooms[lease.room] = Owner(incarnation: own, fence: lease.fence)
      return nil
    }
  }

  mutating func end(_ member: Incarnation, beat: Int64, by own: Incarnation) -> Membership? {
    guard members[own] != nil else { return nil }
    if members[member]?.beat == beat { members[member] = nil }
    return membership
  }

  /// Returns the fence; nil if the room has another owner.
  mutating func claim(_ room: RoomName, from expected: Incarnation?, by own: Incarnation) -> Int64? {
    let current = rooms[room]
    guard current?.incarnation == expected || current?.incarnation == own else { return nil }
    let fence = (current?.fence ?? 0) + 1
    rooms[room] = Owner(incarnation: own, fence: fence)
    return fence
  }

  /// Returns the fence; nil if the giver does not own the room any more.
  mutating func receive(_ handover: Handover, by own: Incarnation, comparesFence: Bool) -> Int64? {
    guard let current = rooms[handover.room], current.incarnation == handover.owner,
      !comparesFence || current.fence == handover.fence
    else { return nil }
    rooms[handover.room] = Owner(incarnation: own, fence: current.fence + 1)
    return current.fence + 1
  }

  mutating func release(_ lease: RoomLease, by own: Incarnation) {
    if rooms[lease.room]?.incarnation == own, rooms[lease.room]?.fence == lease.fence { rooms[lease.room]?.incarnation = nil }
  }
}

/// A process of the store, with the past of its data: what a failover or a crash returns to.
final class SimulatedServer {
  let name: String
  var data: StoreData
  var isAlive = true
  /// Whether its replicas receive its writes.
  var isReplicated = true
  private var past: [(time: Int64, data: StoreData)] = []

  init(_ name: String, _ data: StoreData) {
    self.name = name
    self.data = data
  }

  func write<Result>(now: Int64, _ body: (inout StoreData) -> Result) -> Result {
    if past.count > 400 { past.removeFirst(200) }
    past.append((now, data))
    return body(&data)
  }

  /// The data at a time.
  func data(at time: Int64) -> StoreData { past.first { $0.time > time }?.data ?? data }
}
