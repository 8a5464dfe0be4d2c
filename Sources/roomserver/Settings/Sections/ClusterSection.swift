/// Several servers as one service.
enum ClusterSection: SettingSection {
  static let title = "Cluster"
  static let settings: [Setting] = [
    .text(
      "cluster", "url", at: \.cluster, privacy: .secret,
      """
      The Redis or Valkey that the nodes of a cluster share: redis://[user:password@]host[:port][/database], rediss:// for \
      TLS, redis+sentinel://host,host/master, or redis+cluster://host,host. Rooms are stored there. Without it this server runs all rooms alone
      """),
    .text(
      "node-address", "url", at: \.nodeAddress, default: "the address and port of HTTP",
      "The URL at which clients and the other nodes reach this one, such as http://10.0.0.7:8080"),
    .text(
      "node-ca", "file", at: \.nodeCA, default: "the authorities of the system",
      "A PEM file of the authorities that certify other nodes whose address is https://"),
    .port("node-link-port", at: \.nodeLinkPort, "The UDP port at which other nodes send this one tracks"),
    .flag("edge", at: \.edge, "Serve the clients of rooms of other nodes here, instead of redirecting them"),
    .count(
      "edge-fan-out", 1...32, at: \.edgeFanOut,
      "Edges to which a node sends a track of a room. Further edges get the track from these"),
    .text("region", "name", at: \.region, "The region of this node"),
    .text(
      "node-id", "name", at: \.nodeID, default: "random, kept in the data directory",
      "The name of this node: letters, digits, dots, hyphens and underscores"),
  ]
}
