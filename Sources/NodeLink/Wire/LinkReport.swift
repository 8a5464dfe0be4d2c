/// What the receiving end of a direction measured, sent every 100 ms.
public struct LinkReport: Hashable, Sendable {
  /// The highest number that is known to have been sent.
  public var highest: UInt64 = 0
  /// Datagrams of records received, without copies.
  public var received: UInt64 = 0
  /// Datagrams that were missing when a later one arrived, repaired or not.
  public var missed: UInt64 = 0
  /// Datagrams given up.
  public var lost: UInt64 = 0
  /// The rate of received datagrams with their headers, in kbit/s.
  public var kbps: UInt32 = 0
  /// The mean time that datagrams spent in queues, in microseconds.
  public var queueing: UInt32 = 0
}
