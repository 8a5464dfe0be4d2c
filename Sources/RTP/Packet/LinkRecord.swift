/// The head of a record of a track that leaves its media worker: a packet, a report or a mark, on the way to another worker or over a link to
/// another node. A link reads only `stream` and `arrival`; the two ends agree on the meaning of the other members.
public struct LinkRecord: Hashable, Sendable {
  /// The number of the stream on a link between two nodes, which the link sets.
  public var stream: UInt32
  public var kind: UInt8
  /// The payload format, with the marker as its highest bit.
  public var format: UInt8
  public var sequence: Int64
  public var timestamp: UInt32
  public var time: UInt64
  /// A time of the sender's clock; nil for none. A link between nodes carries the age of it, up to an hour, so that it arrives as a time of
  /// the receiver's clock, late by the time on the network.
  public var arrival: Instant?

  public init(
    stream: UInt32 = 0, kind: UInt8, format: UInt8 = 0, sequence: Int64 = 0, timestamp: UInt32 = 0, time: UInt64 = 0,
    arrival: Instant? = nil
  ) {
    self.stream = stream
    self.kind = kind
    self.format = format
    self.sequence = sequence
    self.timestamp = timestamp
    self.time = time
    self.arrival = arrival
  }
}
