/// The outcome of one packet with a transport sequence number, according to the far end's feedback.
public struct PacketOutcome: Sendable, Hashable {
  public var sent: Instant
  /// The size of the datagram in bytes.
  public var size: Int
  /// The arrival time on the receiver's clock, whose epoch is unknown; nil if the packet was lost.
  public var arrival: Instant?
  /// The probe that the packet belongs to, media or padding; 0 if none.
  public var probe: UInt8

  public init(sent: Instant, size: Int, arrival: Instant?, probe: UInt8 = 0) {
    self.sent = sent
    self.size = size
    self.arrival = arrival
    self.probe = probe
  }
}
