/// The numbers that a link has used and seen under its keys. A link that is opened again with the same keys continues after them: a
/// number used twice would reveal the keys, and a datagram from before must not be accepted.
public struct LinkNumbers: Hashable, Sendable {
  /// The newest datagrams sent.
  var recordsSent: UInt64 = 0
  var controlSent: UInt64 = 0
  /// The newest datagrams received.
  var recordsReceived: UInt64 = 0
  var controlReceived: UInt64 = 0

  /// The numbers of a link whose keys are new.
  public init() {}

  init(recordsSent: UInt64, controlSent: UInt64, recordsReceived: UInt64, controlReceived: UInt64) {
    self.recordsSent = recordsSent
    self.controlSent = controlSent
    self.recordsReceived = recordsReceived
    self.controlReceived = controlReceived
  }
}
