import RoomCluster

/// What rooms and viewers cost a node. docs/performance/scale.md names the measurement of each figure.
struct Costs {
  /// Packets per second of a viewer of 1 Mbit/s and a voice.
  var packetsPerViewer = 176.5
  /// Bytes of memory of a viewer.
  var viewerMemory = 124e3
  /// Bytes of memory of an open room: the actor, its state and its packet rings.
  var roomMemory = 2e6
  /// Cores of a mix of two, 720x1280 at 24 pictures per second.
  var mixCores = 0.29
  /// Bytes of memory of such a mix.
  var mixMemory = 47e6
  /// Viewers that one node serves of one room; further ones are served by another node, over a node link.
  var viewersPerShare = 350
  /// Viewers that a room is expected to have when it opens.
  var expectedViewers = 10
  /// The share of its capacity up to which a node lets viewers join.
  var joinFill = 0.95

  /// Packets that such a node sends in a second.
  static let nodePackets = 340_000.0
  /// A node with two cores for packets, at 80 %, two for mixes, at 85 %, and 8 GB.
  var node = NodeResources(packets: Self.nodePackets, mixCores: 1.7, memory: 6.4e9, rooms: 2000)

  /// Returns the load of a room at its owner.
  /// - Parameters:
  ///   - viewers: those that the owner itself serves.
  ///   - links: the other nodes that serve viewers, each of which gets one copy of the media.
  func owner(viewers: Int, links: Int, mixes: Bool) -> NodeResources {
    NodeResources(
      packets: packetsPerViewer * Double(1 + viewers + links), mixCores: mixes ? mixCores : 0,
      memory: roomMemory + viewerMemory * Double(viewers) + (mixes ? mixMemory : 0), rooms: 1)
  }

  /// Returns the load of a room at another node that serves viewers of it.
  func edge(viewers: Int) -> NodeResources {
    NodeResources(
      packets: packetsPerViewer * Double(1 + viewers), memory: roomMemory + viewerMemory * Double(viewers), rooms: 1)
  }
}
