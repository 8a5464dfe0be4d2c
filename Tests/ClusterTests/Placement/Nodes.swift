import RoomLinkModel
import RoomProtocol
import RoomRTP

@testable import RoomCluster

extension Instant {
  /// The instant this many seconds after the clock's epoch.
  static func second(_ seconds: Double) -> Self { Self(microseconds: Int64(seconds * 1e6)) }
}

extension NodeResources {
  /// A node for 100,000 packets per second, 2 cores of mixes, 8 GB and 1000 rooms.
  static let node = Self(packets: 100_000, mixCores: 2, memory: 8e9, rooms: 1000)
  /// A room for 1000 packets per second.
  static let room = Self(packets: 1000, memory: 1e6, rooms: 1)
}

extension NodeID {
  /// The names `node-0`, `node-1` and so on.
  static func node(_ index: Int) -> Self { Self("node-\(index)") ?? "node" }
}

extension Placement.Node {
  /// - Parameter used: the share of all resources that is used.
  init(_ node: NodeID, in region: Region = "west", used: Double = 0, accepts: Bool = true, capacity: NodeResources = .node) {
    let load = NodeResources(
      packets: used * capacity[.packets], mixCores: used * capacity[.mixCores], memory: used * capacity[.memory],
      rooms: used * capacity[.rooms])
    self.init(node, in: region, accepts: accepts, capacity: capacity, load: load)
  }
}

/// A placement with what its tests need: a seeded generator and a time.
struct Stand {
  var placement = Placement()
  var generator: SeededGenerator
  var now = Instant.second(1)

  init(seed: UInt64 = 1, _ reports: [Placement.Node] = []) {
    generator = SeededGenerator(seed: seed)
    for report in reports { placement.update(report, at: now) }
  }

  mutating func place(_ demand: NodeResources = .room, in region: Region? = nil) throws(PlacementRefusal) -> NodeID {
    try placement.place(demand, in: region, at: now, using: &generator)
  }

  func refusal(of demand: NodeResources = .room, in region: Region? = nil) -> PlacementRefusal? {
    var copy = self
    do {
      _ = try copy.place(demand, in: region)
      return nil
    } catch {
      return error
    }
  }

  func claims(on room: RoomName, in region: Region? = nil, except dead: NodeID = "dead", attempt: Int = 0) -> [NodeID] {
    placement.claims(on: room, needing: .room, in: region, except: dead, attempt: attempt, at: now).map(\.node)
  }
}
