import RoomCClient
import RoomClient

extension ServerTrust {
  /// Reads the accepted certificates: those of a PEM file, or the system's.
  init(any: Bool, certificates: UnsafePointer<CChar>?) throws(Refusal) {
    if any {
      self = .none
    } else if let path = try optionalText(certificates, "certificates") {
      self = .certificates(path: path)
    } else {
      self = .system
    }
  }
}

extension ReconnectPolicy {
  /// Reads the number of tries; -2 for no limit, 0 for none.
  init(tries: Int32) throws(Refusal) {
    switch try integer(tries, "reconnect_tries", in: -2...1_000_000) {
    case -2: self = .unlimited
    case ...0: self = .never
    case let tries: self = ReconnectPolicy(tries: tries)
    }
  }
}
