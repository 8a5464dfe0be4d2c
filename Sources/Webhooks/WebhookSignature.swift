import COpenSSL

/// Proves to a receiver who sent a delivery, and when: `t=UNIXTIME,v1=HEX`, where HEX is HMAC-SHA256 of `t`, a dot and the body.
enum WebhookSignature {
  static let header = "Roomserver-Signature"

  /// - Parameter time: seconds since 1970.
  static func sign(_ body: [UInt8], secret: String, at time: Int64) -> String {
    let key = Array(secret.utf8)
    let message = Array("\(time).".utf8) + body
    var digest = [UInt8](repeating: 0, count: 32)
    _ = HMAC(EVP_sha256(), key, Int32(clamping: key.count), message, message.count, &digest, nil)
    let hex = digest.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    return "t=\(time),v1=\(hex)"
  }
}
