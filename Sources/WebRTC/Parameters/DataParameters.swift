/// The SCTP part of a session description (RFC 8841).
public struct DataParameters: Sendable, Hashable, Codable {
  /// The SCTP port (`a=sctp-port`).
  public var port: UInt16
  /// The maximum size of a message that the described side accepts (`a=max-message-size`); nil if it has no limit.
  public var maximumMessage: Int?

  public init(port: UInt16 = 5000, maximumMessage: Int? = 256 * 1024) {
    self.port = port
    self.maximumMessage = maximumMessage
  }
}
