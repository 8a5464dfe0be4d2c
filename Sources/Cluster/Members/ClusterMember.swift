/// What a node reports to the others.
public struct NodeReport: Sendable, Hashable, Codable {
  /// The URL at which other nodes and clients reach it.
  public var address: String
  public var region: String
  /// The free part of its capacity, 0 to 1. A node that drains has none.
  public var headroom: Double
  public var rooms: Int
  /// The numeric IP address and the UDP port of its links to other nodes, as in "10.0.0.7:8200"; nil if it opens none.
  public var link: String?
  /// The URL at which other nodes publish by RTMP: scheme, host and port; nil if the node has no such port.
  public var rtmp: String?
  /// Whether the node serves clients of rooms of other nodes; nil means false.
  public var edge: Bool?

  public init(
    address: String, region: String = "", headroom: Double = 1, rooms: Int = 0, link: String? = nil, rtmp: String? = nil,
    edge: Bool? = nil
  ) {
    self.edge = edge
    self.address = address
    self.region = region
    self.headroom = headroom
    self.rooms = rooms
    self.link = link
    self.rtmp = rtmp
  }
}

/// A member of the cluster, as the store knows it.
public struct ClusterMember: Sendable, Hashable {
  public let incarnation: Incarnation
  /// Changes with each renewal of its lease.
  public var beat: Int64
  /// The epoch of the latest list of members that it has received in this generation of the store: it knows all members up to
  /// that epoch.
  public var seen: Int64
  public var report: NodeReport

  public init(_ incarnation: Incarnation, beat: Int64, seen: Int64, report: NodeReport) {
    self.incarnation = incarnation
    self.beat = beat
    self.seen = seen
    self.report = report
  }
}

/// The members at one moment.
public struct Membership: Sendable, Hashable {
  /// The store's count of entries so far.
  public var epoch: Int64
  /// The store's count of entries and ends so far.
  public var version: Int64
  public var members: [Incarnation: ClusterMember]

  public init(epoch: Int64 = 0, version: Int64 = 0, members: [Incarnation: ClusterMember] = [:]) {
    self.epoch = epoch
    self.version = version
    self.members = members
  }

  /// Changes the list to a later one. Each answer of the store is later than the last one.
  mutating func apply(_ changes: MembershipChanges) {
    (epoch, version) = (changes.epoch, changes.version)
    for incarnation in changes.ended { members[incarnation] = nil }
    for member in changes.members { members[member.incarnation] = member }
  }

  /// Whether a member is one of the two that do what one has to do, so that its cost does not grow with the cluster.
  public func isDelegate(_ own: Incarnation) -> Bool {
    members[own] != nil && members.keys.count { ($0.process, $0.epoch) < (own.process, own.epoch) } < 2
  }

  /// Whether an incarnation was a member and is none any more. That is final.
  public func hasEnded(_ incarnation: Incarnation) -> Bool {
    incarnation.epoch <= epoch && members[incarnation] == nil
  }
}
