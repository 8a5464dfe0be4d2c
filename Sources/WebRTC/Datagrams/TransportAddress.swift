import Glibc

/// An IP address and a port (RFC 8445 §4 "transport address"). Trivial, so that tables of the packet path can store it.
///
/// IPv4 is stored as an IPv4-mapped IPv6 address, so that a dual-stack socket and a v4 socket identify a peer in the same way.
///
/// As a peer's address it represents the whole 5-tuple: the same IP address and port with datagrams, with a TCP connection, or
/// at another local socket are different peers (RFC 8445 §2.2: a pair has a local end too).
public struct TransportAddress: Hashable, Sendable, Codable {
  /// The upper 64 of the 128 address bits, in network order read as a big-endian number.
  public var high: UInt64
  public var low: UInt64
  public var port: UInt16
  /// The index of the owner's socket that receives from the peer; 0 if there is only one.
  public var socket: UInt8 = 0
  /// Whether this is the remote end of a TCP connection (RFC 6544) instead of a UDP address.
  public var isTCP = false

  @inlinable public init(high: UInt64, low: UInt64, port: UInt16) {
    self.high = high
    self.low = low
    self.port = port
  }

  /// Creates an IPv4 address. `ipv4` is in host order: 127.0.0.1 is 0x7F00_0001.
  @inlinable public init(ipv4: UInt32, port: UInt16) {
    self.init(high: 0, low: 0x0000_FFFF_0000_0000 | UInt64(ipv4), port: port)
  }

  @inlinable public var isIPv4: Bool { high == 0 && low >> 32 == 0x0000_FFFF }
  /// The IPv4 address in host order; only valid if `isIPv4`.
  @inlinable public var ipv4: UInt32 { UInt32(truncatingIfNeeded: low) }

  /// Parses a numeric address such as "127.0.0.1" or "::1"; returns nil for anything else, including host names.
  public init?(host: String, port: UInt16) {
    // C would stop at a NUL.
    guard !host.utf8.contains(0) else { return nil }
    var four = in_addr()
    if inet_pton(AF_INET, host, &four) == 1 {
      self.init(ipv4: UInt32(bigEndian: four.s_addr), port: port)
      return
    }
    var six = in6_addr()
    guard inet_pton(AF_INET6, host, &six) == 1 else { return nil }
    let (high, low) = withUnsafeBytes(of: &six) {
      (
        UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)),
        UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
    self.init(high: high, low: low, port: port)
  }

  /// Creates an address from a kernel structure; returns nil for a family other than IPv4 and IPv6.
  public init?(_ storage: UnsafePointer<sockaddr_storage>) {
    let raw = UnsafeRawPointer(storage)
    switch Int32(storage.pointee.ss_family) {
    case AF_INET:
      let four = raw.loadUnaligned(as: sockaddr_in.self)
      self.init(ipv4: UInt32(bigEndian: four.sin_addr.s_addr), port: UInt16(bigEndian: four.sin_port))
    case AF_INET6:
      // sin6_port at 2, sin6_addr at 8.
      self.init(
        high: UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
        low: UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 16, as: UInt64.self)),
        port: UInt16(bigEndian: raw.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
    default: return nil
    }
  }

  /// Writes the kernel structure and returns its length. IPv4 becomes `sockaddr_in` unless `mapped` (a dual-stack socket).
  public func write(to storage: UnsafeMutablePointer<sockaddr_storage>, mapped: Bool = false) -> UInt32 {
    let raw = UnsafeMutableRawPointer(storage)
    if isIPv4 && !mapped {
      var four = sockaddr_in()
      four.sin_family = sa_family_t(AF_INET)
      four.sin_port = port.bigEndian
      four.sin_addr.s_addr = ipv4.bigEndian
      raw.storeBytes(of: four, as: sockaddr_in.self)
      return UInt32(MemoryLayout<sockaddr_in>.size)
    }
    var six = sockaddr_in6()
    six.sin6_family = sa_family_t(AF_INET6)
    six.sin6_port = port.bigEndian
    raw.storeBytes(of: six, as: sockaddr_in6.self)
    raw.storeBytes(of: high.bigEndian, toByteOffset: 8, as: UInt64.self)
    raw.storeBytes(of: low.bigEndian, toByteOffset: 16, as: UInt64.self)
    return UInt32(MemoryLayout<sockaddr_in6>.size)
  }

  /// The numeric host without the port: "127.0.0.1", "::1".
  public var host: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    if isIPv4 {
      var four = in_addr(s_addr: ipv4.bigEndian)
      inet_ntop(AF_INET, &four, &text, socklen_t(text.count))
    } else {
      var six = (high.bigEndian, low.bigEndian)
      inet_ntop(AF_INET6, &six, &text, socklen_t(text.count))
    }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

extension TransportAddress: CustomStringConvertible {
  /// The text "192.0.2.1:8100" or "[2001:db8::1]:8100", prefixed with "tcp " for a connection.
  public var description: String { (isTCP ? "tcp " : "") + (isIPv4 ? "\(host):\(port)" : "[\(host)]:\(port)") }
}
