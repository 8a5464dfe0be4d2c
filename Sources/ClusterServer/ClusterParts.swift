import RoomServer

/// The parts of a node of a cluster.
package let clusterParts: [any ServerPart.Type] = [ClusterPart.self, ClusterRoomsPart.self, ClusterStatePart.self]
