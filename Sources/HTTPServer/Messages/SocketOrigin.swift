import RoomWebRTC

/// Who opens a WebSocket.
package enum SocketOrigin: Sendable, Hashable {
  /// A client.
  case client
  /// Another node, for a client at this address; nil if it does not know it.
  case node(client: TransportAddress?)
  /// Somebody who claims to be a node.
  case forged
}
