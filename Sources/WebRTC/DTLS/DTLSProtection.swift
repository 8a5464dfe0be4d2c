import RoomCOpenSSL
import RoomDigests

/// The records of an association after its handshake, by AES-128-GCM (RFC 5288, RFC 6347 §4.1.2): OpenSSL's association needs 40 kB.
///
/// - Only alerts and application data are left. A handshake message is ignored: nothing renegotiates.
/// - Replays are refused, as are records more than 64 behind the newest.
final class DTLSProtection {
  enum Opened: Equatable { case data([UInt8]), closeNotify, fatalAlert, nothing }

  private static let epoch: UInt64 = 1 << 48
  /// The explicit part of the nonce.
  private static let nonceLength = 8
  /// The number of the first record: above those that OpenSSL has used.
  private static let firstNumber: UInt64 = 1 << 16
  private static let replayWindow = 64

  private struct Direction {
    var key: [UInt8]
    /// The implicit part of the nonce.
    var salt: UInt32
    /// Made with the first record: most associations have none.
    var cipher: GCMCipher?
  }

  private var sending: Direction
  private var receiving: Direction
  private var nextNumber = firstNumber
  private var received = ReplayWindow(size: replayWindow)

  /// Takes over from an association whose handshake is complete. Returns nil if its cipher is another one.
  init?(of ssl: OpaquePointer, role: DTLSRole) {
    guard let cipher = SSL_get_current_cipher(ssl), SSL_CIPHER_get_cipher_nid(cipher) == NID_aes_128_gcm,
      let session = SSL_get_session(ssl)
    else { return nil }
    var master = [UInt8](repeating: 0, count: 48)
    var (client, server) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32))
    guard SSL_SESSION_get_master_key(session, &master, master.count) == master.count,
      SSL_get_client_random(ssl, &client, client.count) == client.count,
      SSL_get_server_random(ssl, &server, server.count) == server.count
    else { return nil }
    // RFC 5246 §6.3: the keys of client and server, then their salts.
    let block = Self.expand(master, seed: Array("key expansion".utf8) + server + client, count: 2 * 16 + 2 * 4)
    OPENSSL_cleanse(&master, master.count)
    func direction(_ place: Int) -> Direction {
      let salt = block[(32 + 4 * place)..<(36 + 4 * place)].reduce(0) { $0 << 8 | UInt32($1) }
      return Direction(key: Array(block[(16 * place)..<(16 * place + 16)]), salt: salt)
    }
    let own = role == .client ? 0 : 1
    sending = direction(own)
    receiving = direction(1 - own)
  }

  deinit {
    sending.cipher?.deallocate()
    receiving.cipher?.deallocate()
    received.deallocate()
  }

  /// P_SHA256 of RFC 5246 §5.
  private static func expand(_ secret: [UInt8], seed: [UInt8], count: Int) -> [UInt8] {
    var (result, link) = ([UInt8](), seed)
    while result.count < count {
      link = Digest.sha256.hmac(of: link, key: secret)
      result += Digest.sha256.hmac(of: link + seed, key: secret)
    }
    return Array(result.prefix(count))
  }

  /// Returns a record; nil if the numbers are used up, or libcrypto fails.
  func seal(_ type: DTLSRecord.ContentType, _ data: [UInt8]) -> [UInt8]? {
    if sending.cipher == nil { sending.cipher = GCMCipher(key: sending.key, opening: false) }
    guard let cipher = sending.cipher, nextNumber < Self.epoch else { return nil }
    let number = Self.epoch | nextNumber
    nextNumber += 1
    let length = Self.nonceLength + data.count + GCMCipher.tagLength
    var record = Self.header(type, number, length: length) + Self.bytes(number)
    let start = record.count
    record += data + [UInt8](repeating: 0, count: GCMCipher.tagLength)
    let clear = Self.clear(type, number, length: data.count)
    let isSealed = record.withUnsafeMutableBytes { record in
      guard let base = record.baseAddress else { return false }
      return cipher.seal(
        clear: clear, clear.count, base + start, into: base + start, count: data.count,
        iv: Self.nonce(sending.salt, number), tag: base + (start + data.count))
    }
    return isSealed ? record : nil
  }

  /// Opens a record of epoch 1. One that is not authentic is nothing.
  func open(_ record: DTLSRecord, in datagram: UnsafeRawBufferPointer) -> Opened {
    let body = datagram[record.range].dropFirst(DTLSRecord.headerLength)
    let count = body.count - Self.nonceLength - GCMCipher.tagLength
    let number = datagram.bigEndian64(at: record.range.lowerBound + 3)
    guard count >= 0, record.epoch == 1, received.accepts(number & ~Self.epoch), let base = datagram.baseAddress else {
      return .nothing
    }
    if receiving.cipher == nil { receiving.cipher = GCMCipher(key: receiving.key, opening: true) }
    guard let cipher = receiving.cipher else { return .nothing }
    let explicit = datagram.bigEndian64(at: body.startIndex)
    let source = base + (body.startIndex + Self.nonceLength)
    let clear = Self.clear(record.type, number, length: count)
    var isOpened = false
    let plain = [UInt8](unsafeUninitializedCapacity: max(1, count)) { plain, length in
      guard let target = plain.baseAddress else { return }
      isOpened = cipher.open(
        clear: clear, clear.count, source, into: target, count: count, iv: Self.nonce(receiving.salt, explicit),
        tag: source + count)
      length = isOpened ? count : 0
    }
    guard isOpened else { return .nothing }
    received.insert(number & ~Self.epoch)
    switch record.type {
    case .applicationData: return .data(plain)
    // RFC 5246 §7.2: level and description; a description of 0 closes.
    case .alert where plain.count == 2: return plain[1] == 0 ? .closeNotify : plain[0] == 2 ? .fatalAlert : .nothing
    case .alert, .handshake, .changeCipherSpec: return .nothing
    }
  }

  private static func header(_ type: DTLSRecord.ContentType, _ number: UInt64, length: Int) -> [UInt8] {
    [type.rawValue, 0xFE, 0xFD] + bytes(number) + [UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)]
  }

  /// What is authenticated beside the data (RFC 5246 §6.2.3.3, RFC 6347 §4.1.2.1).
  private static func clear(_ type: DTLSRecord.ContentType, _ number: UInt64, length: Int) -> [UInt8] {
    bytes(number) + [type.rawValue, 0xFE, 0xFD, UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)]
  }

  private static func nonce(_ salt: UInt32, _ explicit: UInt64) -> (UInt32, UInt32, UInt32) {
    (salt, UInt32(truncatingIfNeeded: explicit >> 32), UInt32(truncatingIfNeeded: explicit))
  }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
  }
}
