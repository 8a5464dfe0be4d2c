import RoomProtocol
import RoomRTP

/// Chooses the node of each room, from the reports of all nodes.
///
/// Each node has a value of its own and chooses alone. Reports are a few seconds old, so many nodes may choose at the same time
/// from the same reports:
/// - A new room goes to the better of two nodes, which are drawn in proportion to what is free on them. If all nodes
///   placed rooms on the emptiest one, it would be full before its next report.
/// - The rooms of a dead node go to ``claims(on:needing:in:except:attempt:at:)``, which all nodes compute alike.
///
/// There is no I/O, clock or randomness in it: callers give the reports, the time and a generator.
public struct Placement: Sendable {
  /// What a node reports of itself.
  public struct Node: Hashable, Sendable {
    public var name: NodeID
    public var region: Region
    /// Whether the node opens rooms; a draining node does not.
    public var accepts: Bool
    public var capacity: NodeResources
    public var load: NodeResources

    public init(_ name: NodeID, in region: Region, accepts: Bool, capacity: NodeResources, load: NodeResources) {
      self.name = name
      self.region = region
      self.accepts = accepts
      self.capacity = capacity
      self.load = load
    }
  }

  public var rules: PlacementRules

  /// In the order of their names, so that equal reports and equal random numbers give the same choices.
  private var nodes: [Entry] = []

  private struct Entry: Sendable {
    var report: Node { didSet { factors = report.capacity.inverse } }
    private var factors: SIMD4<Double>
    var received: Instant
    /// What this value placed on the node and the report does not include yet.
    var promised = NodeResources.none
    var promisedAt: Instant
    let hash: UInt64

    init(_ report: Node, at now: Instant) {
      self.report = report
      factors = report.capacity.inverse
      received = now
      promisedAt = now
      hash = Rendezvous.hash(report.name.text)
    }

    /// The share of the node that is used once a room is there.
    func share(with demand: NodeResources) -> Double { (report.load + promised + demand).share(by: factors) }
  }

  public init(rules: PlacementRules = PlacementRules()) { self.rules = rules }

  // MARK: Reports

  /// Takes a node's report.
  /// - Returns: false if it is ignored: the name of its region or the capacity is invalid, or there are too many nodes.
  @discardableResult
  public mutating func update(_ report: Node, at now: Instant) -> Bool {
    guard NameRule.allows(report.region), report.capacity.isValid else { return false }
    let index = index(of: report.name)
    if index < nodes.count, nodes[index].report.name == report.name {
      nodes[index].report = report
      nodes[index].received = now
      if now - nodes[index].promisedAt >= rules.settling { nodes[index].promised = .none }
      return true
    }
    guard nodes.count < rules.nodes else { return false }
    nodes.insert(Entry(report, at: now), at: index)
    return true
  }

  /// Forgets a node, because it is dead or has left.
  public mutating func remove(_ node: NodeID) {
    let index = index(of: node)
    if index < nodes.count, nodes[index].report.name == node { nodes.remove(at: index) }
  }

  /// Forgets the nodes whose last report is too old.
  public mutating func removeStale(at now: Instant) {
    nodes.removeAll { now - $0.received >= rules.staleAfter }
  }

  /// The position of a node, or the position at which it belongs.
  private func index(of name: NodeID) -> Int {
    var (lower, upper) = (0, nodes.count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if nodes[middle].report.name < name { lower = middle + 1 } else { upper = middle }
    }
    return lower
  }

  // MARK: New rooms

  /// Chooses the node of a new room, and adds the room's load to that node's until the node reports it.
  /// - Parameters:
  ///   - demand: the load that the room is expected to cause.
  ///   - region: the preferred region. Other regions are used only if no node there has enough headroom.
  ///   - generator: the source of randomness.
  /// - Throws: the reason why no node can open the room.
  public mutating func place(
    _ demand: NodeResources, in region: Region?, at now: Instant, using generator: inout some RandomNumberGenerator
  ) throws(PlacementRefusal) -> NodeID {
    let name = try choose(for: demand, in: region, at: now, using: &generator)
    let index = index(of: name)
    nodes[index].promised += demand
    nodes[index].promisedAt = now
    return name
  }

  /// Chooses a node like ``place(_:in:at:using:)``, and counts nothing.
  public func choose(
    for demand: NodeResources, in region: Region?, at now: Instant, using generator: inout some RandomNumberGenerator
  ) throws(PlacementRefusal) -> NodeID {
    let (local, others) = candidates(for: demand, in: region, at: now)
    let candidates = local.isEmpty ? others : local
    let free = candidates.reduce(0) { $0 + $1.free }
    var best: Candidate?
    for _ in 0..<max(1, rules.choices) {
      let other = Self.draw(candidates, of: free, using: &generator)
      if let other, other.share < best?.share ?? .infinity { best = other }
    }
    guard let best else { throw refusal(of: demand, at: now) }
    return nodes[best.index].report.name
  }

  private struct Candidate {
    var index: Int
    /// The share of the node's capacity that is used once the room is there.
    var share: Double
    /// What is free then, in packets per second.
    var free: Double
  }

  /// Returns the nodes with enough headroom, in the region and elsewhere. Without a region, all are in it.
  private func candidates(
    for demand: NodeResources, in region: Region?, at now: Instant
  ) -> (local: [Candidate], others: [Candidate]) {
    var local: [Candidate] = []
    var others: [Candidate] = []
    for (index, node) in nodes.enumerated() where node.report.accepts && isRecent(node, at: now) {
      let share = node.share(with: demand)
      guard share <= rules.fill else { continue }
      let free = (1 - share) * max(1, node.report.capacity[.packets])
      let candidate = Candidate(index: index, share: share, free: free)
      if region == nil || node.report.region == region { local.append(candidate) } else { others.append(candidate) }
    }
    return (local, others)
  }

  /// Draws a candidate in proportion to what is free on it; nil if there is none.
  /// - Parameter free: the sum of what is free.
  private static func draw(
    _ candidates: [Candidate], of free: Double, using generator: inout some RandomNumberGenerator
  ) -> Candidate? {
    var rest = Double.random(in: 0..<1, using: &generator) * free
    for candidate in candidates {
      rest -= candidate.free
      if rest < 0 { return candidate }
    }
    return candidates.last
  }

  private func isRecent(_ node: Entry, at now: Instant) -> Bool { now - node.received < rules.staleAfter }

  private func refusal(of demand: NodeResources, at now: Instant) -> PlacementRefusal {
    let recent = nodes.filter { isRecent($0, at: now) }
    guard !recent.isEmpty else { return .noNode }
    let open = recent.filter(\.report.accepts)
    guard let largest = open.min(by: { $0.report.capacity.share(of: demand) < $1.report.capacity.share(of: demand) }) else {
      return .draining
    }
    guard largest.report.capacity.share(of: demand) <= rules.fill else {
      return .tooLarge(largest.report.capacity.scarcest(under: demand))
    }
    var counts = [Int](repeating: 0, count: NodeResources.Kind.allCases.count)
    for node in open {
      counts[node.report.capacity.scarcest(under: node.report.load + node.promised + demand).rawValue] += 1
    }
    return .full(NodeResources.Kind.allCases.max { counts[$0.rawValue] < counts[$1.rawValue] } ?? .packets)
  }

  // MARK: Rooms of a dead node

  /// A node's turn to claim the room of a dead node.
  public struct Claim: Hashable, Sendable {
    public var node: NodeID
    /// The wait before the claim, in microseconds.
    public var delay: Int64
  }

  /// Returns the nodes that may claim the room of a dead node, in their order.
  ///
  /// The first ones are in the room's region. The order depends on the room's name, so the rooms of a dead node spread over all
  /// nodes in proportion to what is free. Headroom counts in eighths of a node: reports of different age then seldom give
  /// another order.
  ///
  /// A node claims if it finds itself among them and has headroom, so it needs recent figures of itself only. Otherwise the
  /// next one claims a step later. The lease on the room decides if several nodes claim it.
  /// - Parameters:
  ///   - attempt: counts how often no candidate took the room; each attempt has other candidates.
  public func claims(
    on room: RoomName, needing demand: NodeResources, in region: Region?, except dead: NodeID, attempt: Int = 0,
    at now: Instant
  ) -> [Claim] {
    var local = Ranking(limit: rules.candidates)
    var others = local
    let hash = Rendezvous.mixed(Rendezvous.hash(room.rawValue) &+ UInt64(truncatingIfNeeded: attempt))
    for (index, node) in nodes.enumerated() where node.report.accepts && isRecent(node, at: now) && node.report.name != dead {
      let headroom = rules.failoverFill - node.share(with: demand)
      guard headroom > 0 else { continue }
      let eighths = (8 * headroom).rounded(.up) / 8
      let weight = eighths * max(1, node.report.capacity[.packets])
      if region == nil || node.report.region == region {
        local.insert(index, Rendezvous.score(hash, node.hash, weight: weight, above: local.least))
      } else {
        others.insert(index, Rendezvous.score(hash, node.hash, weight: weight, above: others.least))
      }
    }
    let wait = local.indices.isEmpty ? 0 : rules.abroadWait
    return (local.indices + others.indices).enumerated().map { rank, index in
      let delay = Int64(rank) &* rules.claimStep &+ (rank < local.indices.count ? 0 : wait)
      return Claim(node: nodes[index].report.name, delay: delay)
    }
  }

  /// The few nodes with the highest scores, in their order.
  private struct Ranking {
    let limit: Int
    private(set) var indices: [Int] = []
    private var scores: [Double] = []

    init(limit: Int) { self.limit = max(1, limit) }

    /// The score that an entry must exceed.
    var least: Double { scores.count == limit ? scores.last ?? 0 : 0 }

    mutating func insert(_ index: Int, _ score: Double?) {
      guard let score else { return }
      let position = scores.firstIndex { $0 < score } ?? scores.count
      scores.insert(score, at: position)
      indices.insert(index, at: position)
      if scores.count > limit {
        scores.removeLast()
        indices.removeLast()
      }
    }
  }
}
