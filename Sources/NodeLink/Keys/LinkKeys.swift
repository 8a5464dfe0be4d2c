/// A node at one end of a link.
public struct LinkEnd: Hashable, Sendable {
  /// The node's name in the cluster, at most 255 bytes in UTF-8.
  public var node: String
  /// A number that no other run of the node has had.
  public var incarnation: UInt64

  public init(node: String, incarnation: UInt64) {
    self.node = node
    self.incarnation = incarnation
  }
}

/// The keys of both directions of a link, which both nodes derive from the cluster's secret.
///
/// They depend on the names and the incarnations of both nodes. A node that starts again therefore has other keys, and its
/// datagrams can be numbered from 1 again. A link that is opened again between the same two incarnations has the same keys, and
/// continues the numbers of the last one.
public struct LinkKeys: Sendable {
  /// The minimum length of the secret in bytes.
  public static let minimumSecret = 16

  /// The keys of the datagrams from this node.
  let sending: DirectionKeys
  /// The keys of the datagrams from the other node.
  let receiving: DirectionKeys
  /// The same at both ends. It tells the datagrams of another incarnation apart before they are opened.
  let epoch: UInt8

  /// Derives the keys. The other node calls it with the two ends exchanged.
  /// - Throws: ``LinkError/secretTooShort``, ``LinkError/invalidEnds``, ``LinkError/cryptography``.
  public init(secret: [UInt8], local: LinkEnd, remote: LinkEnd) throws(LinkError) {
    guard secret.count >= Self.minimumSecret else { throw .secretTooShort }
    guard local.node != remote.node, local.node.utf8.count <= 255, remote.node.utf8.count <= 255 else { throw .invalidEnds }
    let key = HKDF.extract(salt: Array("roomserver node link 1".utf8), secret: secret)
    let (near, far) = (Self.bytes(local), Self.bytes(remote))
    let ordered = near.lexicographicallyPrecedes(far) ? near + far : far + near
    let epoch = HKDF.expand(key, info: Array("epoch".utf8) + ordered, count: 1)
    guard let sending = DirectionKeys(key, info: Array("data".utf8) + near + far),
      let receiving = DirectionKeys(key, info: Array("data".utf8) + far + near), let first = epoch.first
    else { throw .cryptography }
    self.sending = sending
    self.receiving = receiving
    self.epoch = first
  }

  /// The length of the name, the name, and the incarnation in network order.
  private static func bytes(_ end: LinkEnd) -> [UInt8] {
    [UInt8(truncatingIfNeeded: end.node.utf8.count)] + Array(end.node.utf8)
      + (0..<8).map { UInt8(truncatingIfNeeded: end.incarnation >> (56 - 8 * UInt64($0))) }
  }
}

/// The key and the salt of one direction.
struct DirectionKeys: Hashable, Sendable {
  /// 16 bytes, for AES-128.
  let key: [UInt8]
  /// 12 bytes, the length of a nonce.
  let salt: [UInt8]

  /// Derives them; returns nil if libcrypto fails.
  init?(_ pseudorandom: [UInt8], info: [UInt8]) {
    let bytes = HKDF.expand(pseudorandom, info: info, count: 28)
    guard bytes.count == 28 else { return nil }
    key = Array(bytes[..<16])
    salt = Array(bytes[16...])
  }
}
