import RoomWebRTC

/// The data channels on which a client receives messages.
public struct OutgoingChannels: Sendable, Hashable, Codable {
  public var channels: [DataChannel]
  /// Whether the client opens them, with these labels; this side does otherwise.
  public var areOpenedByClient: Bool

  public init(_ channels: [DataChannel], areOpenedByClient: Bool = false) {
    (self.channels, self.areOpenedByClient) = (channels, areOpenedByClient)
  }

  /// The client receives none.
  public static let none = OutgoingChannels([])
}
