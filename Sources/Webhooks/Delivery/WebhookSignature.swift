import RoomDigests

/// Proves the origin and the time of a delivery: `t=UNIXTIME,v1=HEX`, where HEX is HMAC-SHA256 of `t`, a dot and the body.
enum WebhookSignature {
  static let header = "Roomserver-Signature"

  /// - Parameter time: seconds since 1970.
  static func sign(_ body: [UInt8], secret: String, at time: Int64) -> String {
    "t=\(time),v1=\(Digest.sha256.hmac(of: Array("\(time).".utf8) + body, key: secret.utf8).hexadecimal)"
  }
}
