import RoomDigests

/// The ciphers of one direction and one protocol (SRTP or SRTCP), with the salt (RFC 3711 §4.1, RFC 7714).
final class SRTPCipher {
  enum Kind: BitwiseCopyable {
    /// Includes authentication.
    case gcm(GCMCipher)
    /// With an HMAC.
    case cm(CMCipher)
  }

  let profile: SRTPProfile
  let kind: Kind
  /// The session salt as big-endian words: 96 bits (GCM), or 112 bits and 16 zero bits (CM).
  let salt: (UInt32, UInt32, UInt32, UInt32)

  /// Creates a cipher. Returns nil if the master has the wrong length, libcrypto fails, or the machine lacks the library.
  /// `opening` selects the direction of GCM, `library` its implementation.
  init?(
    profile: SRTPProfile, master: [UInt8], keys labels: SRTPKeyDerivation.Labels, opening: Bool = false,
    library: GCMCipher.Library = GCMCipher.Library.available[0]
  ) {
    guard master.count == SRTPProfile.masterKeyLength + profile.masterSaltLength,
      let key = SRTPKeyDerivation.derive(labels.encryption, count: 16, master: master),
      let sessionSalt = SRTPKeyDerivation.derive(labels.salt, count: profile.masterSaltLength, master: master),
      let authenticationKey = SRTPKeyDerivation.derive(labels.authentication, count: 20, master: master)
    else { return nil }
    self.profile = profile
    let padded = sessionSalt + [UInt8](repeating: 0, count: 16 - sessionSalt.count)
    salt = padded.withUnsafeBytes {
      ($0.bigEndian32(at: 0), $0.bigEndian32(at: 4), $0.bigEndian32(at: 8), $0.bigEndian32(at: 12))
    }
    switch profile {
    case .aeadAES128GCM:
      guard let gcm = GCMCipher(key: key, opening: opening, library: library) else { return nil }
      kind = .gcm(gcm)
    case .aesCM128HMACSHA1_80:
      guard let cm = CMCipher(key: key, authenticationKey: authenticationKey) else { return nil }
      kind = .cm(cm)
    }
  }

  deinit {
    switch kind {
    case .gcm(let gcm): gcm.deallocate()
    case .cm(let cm): cm.deallocate()
    }
  }
}
