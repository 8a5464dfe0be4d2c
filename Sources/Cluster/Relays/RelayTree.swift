import RoomRTP

/// Which edges of a room send its tracks on to which others, so that no node sends more than `fanOut` copies of a track. The root is
/// the node that owns the room. A value without I/O: edges and their distances go in, moves come out.
///
/// A move changes the parent of an edge, which keeps its own children. The caller lets the new parent send before the old one stops.
public struct RelayTree<ID: Hashable & Comparable & Sendable>: Sendable {
  /// What is known of an edge.
  public struct Place: Sendable, Hashable {
    public var region: String
    /// The round trip to the root, in µs.
    public var roundTrip: Int64
    /// Whether the edge has the capacity to send to others. One that drains has none.
    public var canRelay: Bool

    public init(region: String = "", roundTrip: Int64 = 0, canRelay: Bool = true) {
      self.region = region
      self.roundTrip = max(0, roundTrip)
      self.canRelay = canRelay
    }
  }

  /// A new parent of an edge; nil for the root.
  public struct Move: Sendable, Hashable {
    public var edge: ID
    public var parent: ID?

    public init(_ edge: ID, under parent: ID?) { (self.edge, self.parent) = (edge, parent) }
  }

  /// That two edges exchange no datagrams.
  private struct Separation {
    /// How often the two were separated.
    var times: Int
    var end: Instant
  }

  private struct Entry {
    var place: Place
    var separations: [ID: Separation] = [:]
    var parent: ID?
    var children: [ID] = []
    /// 1 for a child of the root.
    var depth = 1
    /// The estimated time from the root, in µs.
    var delay: Int64 = 0
  }

  /// What one more level costs, in µs.
  private static var levelCost: Int64 { 1_500 }
  /// What crossing to another region costs beyond its round trip, in µs: such lines are the expensive ones.
  private static var regionCost: Int64 { 20_000 }
  /// The least time between two nodes of a region, in µs.
  private static var leastHop: Int64 { 500 }

  /// How long two edges stay separated for the first time, in µs: each time twice as long as before.
  private static var separationTime: Int64 { 60_000_000 }
  /// The most times that the separation doubles.
  private static var mostDoublings: Int { 6 }

  public let fanOut: Int
  private var now = Instant(microseconds: 0)
  private var entries: [ID: Entry] = [:]
  private var rootChildren: [ID] = []

  /// - Parameter fanOut: the maximum number of children of the root and of each edge; at least 1.
  public init(fanOut: Int) { self.fanOut = max(1, fanOut) }

  public var count: Int { entries.count }
  /// The number of levels below the root.
  public var depth: Int { entries.values.reduce(0) { max($0, $1.depth) } }
  public var edges: some Collection<ID> { entries.keys }

  public func contains(_ edge: ID) -> Bool { entries[edge] != nil }
  public func parent(of edge: ID) -> ID? { entries[edge]?.parent }
  /// The children of an edge, or of the root.
  public func children(of edge: ID?) -> [ID] { edge.map { entries[$0]?.children ?? [] } ?? rootChildren }
  /// The estimated time from the root to an edge, in µs.
  public func delay(of edge: ID) -> Int64 { entries[edge]?.delay ?? 0 }

  // MARK: Changes

  /// Adds an edge. The first move is its own; further ones make room for it.
  public mutating func add(_ edge: ID, at place: Place) -> [Move] {
    guard entries[edge] == nil else { return update(edge, to: place) }
    entries[edge] = Entry(place: place)
    let displaced = attach(edge) + relieve()
    return ([edge] + displaced.filter { $0 != edge }).map(move)
  }

  /// Removes an edge that has left or died. Its children get other parents.
  public mutating func remove(_ edge: ID) -> [Move] {
    guard let entry = entries[edge] else { return [] }
    detach(edge)
    entries[edge] = nil
    for other in entry.separations.keys { entries[other]?.separations[edge] = nil }
    let moved = attachAll(entry.children)
    return (moved.isEmpty ? rootChildren.count > fanOut ? relieve() : raise() : moved).map(move)
  }

  /// Changes what is known of an edge. One that can't relay any more loses its children, and keeps its own parent.
  public mutating func update(_ edge: ID, to place: Place) -> [Move] {
    guard let entry = entries[edge] else { return [] }
    entries[edge]?.place = place
    settle(edge)
    guard !place.canRelay else { return relieve().map(move) }
    entries[edge]?.children = []
    return attachAll(entry.children).map(move)
  }

  /// Gives an edge another parent, because the present one can't reach it. Neither feeds the other for a minute, and twice as long
  /// each further time.
  /// - Returns: no move if `parent` is not its parent.
  public mutating func separate(_ edge: ID, from parent: ID, now: Instant) -> [Move] {
    self.now = max(self.now, now)
    guard let entry = entries[edge], entry.parent == parent else { return [] }
    let times = (entry.separations[parent]?.times ?? 0) + 1
    let time = Self.separationTime << min(times - 1, Self.mostDoublings)
    let separation = Separation(times: times, end: self.now.advanced(microseconds: time))
    entries[edge]?.separations[parent] = separation
    entries[parent]?.separations[edge] = separation
    detach(edge)
    return attachAll([edge]).map(move)
  }

  /// Lets separated edges feed each other again whose time is over.
  public mutating func advance(to now: Instant) -> [Move] {
    self.now = max(self.now, now)
    return relieve().map(move)
  }

  private func move(_ edge: ID) -> Move { Move(edge, under: parent(of: edge)) }

  // MARK: Choice of parents

  /// Attaches edges that have lost their parent, with all below them: those with the most below first.
  private mutating func attachAll(_ orphans: [ID]) -> [ID] {
    let sizes = orphans.map { ($0, size(of: $0)) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    var moved: [ID] = []
    for (edge, _) in sizes {
      for other in [edge] + attach(edge) where !moved.contains(other) { moved.append(other) }
    }
    return moved
  }

  /// Attaches an edge that has no parent. Returns others whose parent has changed for that.
  private mutating func attach(_ edge: ID) -> [ID] {
    if let displaced = displacedByRegion(of: edge) {
      detach(displaced)
      put(edge, under: nil)
      return [displaced] + attach(displaced)
    }
    if let parent = cheapestParent(of: edge) {
      put(edge, under: parent)
      return []
    }
    // No edge with children to spare can relay: one that can takes the place of one that can't.
    if entries[edge]?.place.canRelay == true,
      let displaced = rootChildren.filter({ entries[$0]?.place.canRelay == false }).min()
    {
      detach(displaced)
      put(edge, under: nil)
      return [displaced] + attach(displaced)
    }
    // Otherwise the root sends more copies: nobody is left without.
    put(edge, under: nil)
    return []
  }

  /// Returns the child of the root that makes room for the first edge of a region: one of the region with the most, if that has two.
  private func displacedByRegion(of edge: ID) -> ID? {
    guard rootChildren.count >= fanOut, let place = entries[edge]?.place, place.canRelay else { return nil }
    var byRegion: [String: [ID]] = [:]
    for child in rootChildren { if let region = entries[child]?.place.region { byRegion[region, default: []].append(child) } }
    guard byRegion[place.region] == nil,
      let most = byRegion.max(by: { ($0.value.count, $1.key) < ($1.value.count, $0.key) })?.value, most.count > 1
    else { return nil }
    return most.min { (size(of: $0), $0) < (size(of: $1), $1) }
  }

  /// Returns the parent with a free place over which tracks arrive first, `.some(nil)` for the root; nil if there is none.
  private func cheapestParent(of edge: ID) -> ID?? {
    guard let own = entries[edge] else { return nil }
    var best: (cost: Int64, depth: Int, parent: ID?)?
    if rootChildren.count < fanOut { best = (cost(from: nil, to: own.place), 0, nil) }
    for (candidate, entry) in entries
    where entry.place.canRelay && entry.children.count < fanOut && (own.separations[candidate]?.end ?? now) <= now {
      let rank = (cost(from: entry, to: own.place), entry.depth)
      if let best, rank >= (best.cost, best.depth) {
        guard rank == (best.cost, best.depth), let other = best.parent, candidate < other else { continue }
      }
      if !isBelow(candidate, edge) { best = (rank.0, rank.1, candidate) }
    }
    return best.map { $0.parent }
  }

  private func cost(from parent: Entry?, to place: Place) -> Int64 {
    guard let parent else { return place.roundTrip / 2 + Self.levelCost }
    let hop =
      parent.place.region == place.region
      ? max(abs(parent.place.roundTrip - place.roundTrip) / 2, Self.leastHop)
      : (parent.place.roundTrip + place.roundTrip) / 2 + Self.regionCost
    return parent.delay + hop + Self.levelCost
  }

  /// Moves children of the root that are too many to edges that have a place since.
  private mutating func relieve() -> [ID] {
    var moved: [ID] = []
    while rootChildren.count > fanOut {
      let children = rootChildren.sorted { (size(of: $0), $0) < (size(of: $1), $1) }
      var better: (child: ID, parent: ID?)?
      for child in children {
        guard let parent = cheapestParent(of: child) else { continue }
        better = (child, parent)
        break
      }
      guard let (child, parent) = better else { break }
      detach(child)
      put(child, under: parent)
      moved.append(child)
    }
    return moved
  }

  /// Moves the deepest edge up after a place has become free, if that saves a level.
  private mutating func raise() -> [ID] {
    guard let deepest = entries.max(by: { ($0.value.depth, $1.key) < ($1.value.depth, $0.key) }), deepest.value.depth > 1,
      let better = cheapestParent(of: deepest.key), (better.flatMap { entries[$0]?.depth } ?? 0) + 1 < deepest.value.depth
    else { return [] }
    detach(deepest.key)
    put(deepest.key, under: better)
    return [deepest.key]
  }

  // MARK: Places

  private mutating func detach(_ edge: ID) {
    if let parent = entries[edge]?.parent {
      entries[parent]?.children.removeAll { $0 == edge }
    } else {
      rootChildren.removeAll { $0 == edge }
    }
    entries[edge]?.parent = nil
  }

  private mutating func put(_ edge: ID, under parent: ID?) {
    entries[edge]?.parent = parent
    if let parent { entries[parent]?.children.append(edge) } else { rootChildren.append(edge) }
    settle(edge)
  }

  /// Computes the depth and the delay of an edge and of all below it.
  private mutating func settle(_ edge: ID) {
    guard let entry = entries[edge] else { return }
    let parent = entry.parent.flatMap { entries[$0] }
    entries[edge]?.depth = (parent?.depth ?? 0) + 1
    let delay = cost(from: parent, to: entry.place)
    entries[edge]?.delay = delay
    for child in entry.children { settle(child) }
  }

  /// Whether a node is `edge` or receives from it.
  private func isBelow(_ node: ID, _ edge: ID) -> Bool {
    var node: ID? = node
    while let current = node {
      if current == edge { return true }
      node = entries[current]?.parent
    }
    return false
  }

  private func size(of edge: ID) -> Int { 1 + children(of: edge).reduce(0) { $0 + size(of: $1) } }
}
