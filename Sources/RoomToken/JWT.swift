import Foundation
import RoomDigests

/// A JWT with HS256 (RFC 7519, RFC 7515 §3.1), of which only the header has been read.
struct JWT {
  /// The header fields that are read and written.
  struct Header: Codable {
    var alg: String?
    var typ: String?
    var kid: String?
    /// Extensions that must be understood (RFC 7515 §4.1.11).
    var crit: [String]?
  }

  let header: Header
  private let payload: ArraySlice<UInt8>
  private let signed: ArraySlice<UInt8>
  private let signatureText: ArraySlice<UInt8>

  /// Reads a token's form and header.
  /// - Parameter limit: the maximum length in bytes; a longer token is rejected unparsed.
  init(_ text: String, limit: Int) throws(TokenError) {
    let token = [UInt8](text.utf8)
    guard token.count <= limit else { throw .malformed("it has more than \(limit) bytes") }
    let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let header: Header = Self.decoded(parts[0]) else { throw .malformed("it is not a JWT") }
    guard let name = header.alg else { throw .malformed("its header has no alg") }
    guard name == "HS256" else { throw .wrongAlgorithm(name) }
    guard header.crit == nil else { throw .malformed("its header has a crit, but no extensions are supported") }
    self.header = header
    payload = parts[1]
    signed = token[..<parts[1].endIndex]
    signatureText = parts[2]
  }

  /// Verifies the signature.
  /// - Returns: the signature's bytes.
  func verify(_ secret: [UInt8]) throws(TokenError) -> Data {
    guard let signature = bytes(ofBase64URL: signatureText),
      Digest.isEqual(Digest.sha256.hmac(of: signed, key: secret), Array(signature))
    else { throw .wrongSignature }
    return signature
  }

  /// Decodes the claims. Only the name of the key may be used before the signature is verified.
  func claims<Claims: Decodable>(_ type: Claims.Type = Claims.self) throws(TokenError) -> Claims {
    guard let claims: Claims = Self.decoded(payload) else { throw .malformed("its claims are invalid") }
    return claims
  }

  /// Signs a header and a payload without validating them.
  static func sign(header: Data, payload: Data, secret: [UInt8]) throws(TokenError) -> String {
    let signed = "\(base64URL(header)).\(base64URL(payload))"
    let signature = Digest.sha256.hmac(of: signed.utf8, key: secret)
    guard !signature.isEmpty else { throw .malformed("it can't be signed") }
    return "\(signed).\(base64URL(Data(signature)))"
  }

  /// Checks the times of a token; all are seconds since 1970.
  /// - Parameter leeway: how far the clocks of the token's maker and of this server may differ.
  static func check(expires: Double, notBefore: Double?, now: Date, leeway: Double = 0) throws(TokenError) {
    let seconds = now.timeIntervalSince1970
    guard expires.isFinite, seconds - leeway < expires else { throw .expired }
    if let notBefore, seconds + leeway < notBefore { throw .notYetValid }
  }

  /// Decodes the JSON in one part of a token.
  private static func decoded<Value: Decodable>(_ part: ArraySlice<UInt8>) -> Value? {
    bytes(ofBase64URL: part).flatMap { try? JSONDecoder().decode(Value.self, from: $0) }
  }
}

/// Encodes base64url without padding (RFC 7515 §2).
func base64URL(_ data: Data) -> String {
  String(data.base64EncodedString().prefix { $0 != "=" }).replacing("+", with: "-").replacing("/", with: "_")
}

private func bytes(ofBase64URL text: ArraySlice<UInt8>) -> Data? {
  guard !text.contains(where: { "+/=".utf8.contains($0) }) else { return nil }
  var text = text.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0 }
  while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
  return Data(base64Encoded: Data(text))
}
