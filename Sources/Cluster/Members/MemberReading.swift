/// What a renewal reads of the members.
public struct MemberReading: Sendable, Hashable {
  /// The version of the list that the node has, whose changes it reads; nil to read all members.
  public var since: Int64?
  /// The members whose records it reads as well.
  public var records: [Incarnation]

  public init(since: Int64? = nil, records: [Incarnation] = []) {
    self.since = since
    self.records = records
  }

  /// The answer.
  public enum Answer: Sendable, Hashable {
    case all(Membership)
    case changes(MembershipChanges)
  }
}

/// What has changed in a list of members, and the records that were read.
public struct MembershipChanges: Sendable, Hashable {
  /// The values of the new list.
  public var epoch: Int64
  public var version: Int64
  /// Members that have entered, and those whose records were asked for.
  public var members: [ClusterMember]
  /// Incarnations that are no members: some never were in the list.
  public var ended: [Incarnation]

  public init(epoch: Int64, version: Int64, members: [ClusterMember] = [], ended: [Incarnation] = []) {
    self.epoch = epoch
    self.version = version
    self.members = members
    self.ended = ended
  }
}
