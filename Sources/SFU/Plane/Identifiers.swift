/// One ICE + DTLS + SRTP association of a room. Chosen by the control plane, unique within its room.
public struct TransportID: Hashable, Sendable {
  public var rawValue: UInt32
  public init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

/// One published stream of a room. Chosen by the control plane, unique within its room.
public struct TrackID: Hashable, Sendable {
  public var rawValue: UInt32
  public init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

/// One track sent on one transport. Chosen by the control plane, unique within its room.
public struct SubscriptionID: Hashable, Sendable {
  public var rawValue: UInt32
  public init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

extension TransportID: CustomStringConvertible {
  public var description: String { "transport \(rawValue)" }
}

extension TrackID: CustomStringConvertible {
  public var description: String { "track \(rawValue)" }
}

extension SubscriptionID: CustomStringConvertible {
  public var description: String { "subscription \(rawValue)" }
}
