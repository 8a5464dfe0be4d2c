import RoomCOpenSSL

/// The session keys of an SRTP stream (RFC 3711 §4.3.1, key derivation rate 0; RFC 7714 §11 for GCM).
enum SRTPKeyDerivation {
  enum Label: UInt8 {
    case encryption = 0, authentication, salt, rtcpEncryption, rtcpAuthentication, rtcpSalt
  }

  /// The three labels of one protocol (RFC 3711 §4.3.2).
  struct Labels {
    let encryption: Label
    let authentication: Label
    let salt: Label

    static let srtp = Labels(encryption: .encryption, authentication: .authentication, salt: .salt)
    static let srtcp = Labels(encryption: .rtcpEncryption, authentication: .rtcpAuthentication, salt: .rtcpSalt)
  }

  /// Returns `count` bytes of the AES-CM key stream under the master key and salt; nil if libcrypto fails.
  static func derive(_ label: Label, count: Int, master: [UInt8]) -> [UInt8]? {
    let key = Array(master[..<SRTPProfile.masterKeyLength])
    // Salts of 12 bytes (GCM) are zero-padded to 14; the last two bytes are the block counter.
    var counter = Array(master[SRTPProfile.masterKeyLength...])
    counter += [UInt8](repeating: 0, count: 16 - counter.count)
    counter[7] ^= label.rawValue
    guard let context = EVP_CIPHER_CTX_new() else { return nil }
    defer { EVP_CIPHER_CTX_free(context) }
    let zeros = [UInt8](repeating: 0, count: count)
    var stream = zeros
    var written: Int32 = 0
    guard EVP_EncryptInit_ex(context, EVP_aes_128_ctr(), nil, key, counter) == 1,
      EVP_EncryptUpdate(context, &stream, &written, zeros, Int32(count)) == 1
    else { return nil }
    return stream
  }
}
