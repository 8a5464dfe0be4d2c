import Glibc
import RoomCLinux

/// The IP address and UDP port of a node, in the kernel's form.
public struct NodeAddress: Hashable, Sendable {
  /// The first 32 bytes of the kernel's structure; the unused ones are zero.
  private var a: UInt64 = 0
  private var b: UInt64 = 0
  private var c: UInt64 = 0
  private var d: UInt64 = 0
  private(set) var length: UInt32 = 0

  private static let capacity = 32

  /// Parses a numeric address such as "192.0.2.1" or "2001:db8::1".
  /// - Throws: ``LinkError/invalidAddress(_:)`` for anything else, host names included.
  public init(host: String, port: UInt16) throws(LinkError) {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard !host.utf8.contains(0), getaddrinfo(host, String(port), &hints, &list) == 0, let first = list else {
      throw .invalidAddress(host)
    }
    defer { freeaddrinfo(list) }
    guard let address = first.pointee.ai_addr,
      let parsed = Self(UnsafeRawPointer(address), length: first.pointee.ai_addrlen)
    else { throw .invalidAddress(host) }
    self = parsed
  }

  /// Copies an address; returns nil if it is longer than an IPv6 address, or empty.
  init?(_ bytes: UnsafeRawPointer, length: UInt32) {
    guard (1...UInt32(Self.capacity)).contains(length) else { return nil }
    self.length = length
    withUnsafeMutableBytes(of: &self) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: Int(length)))
    }
  }

  /// Passes the kernel's structure to `body`.
  func withAddress<Result>(_ body: (UnsafePointer<sockaddr>, UInt32) -> Result) -> Result {
    var storage = sockaddr_storage()
    write(to: &storage)
    return withUnsafePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }

  func write(to storage: UnsafeMutablePointer<sockaddr_storage>) {
    withUnsafeBytes(of: self) { bytes in
      guard let base = bytes.baseAddress else { return }
      UnsafeMutableRawPointer(storage).copyMemory(from: base, byteCount: Self.capacity)
    }
  }

  /// The port number; 0 for a family other than IPv4 and IPv6.
  public var port: UInt16 {
    // At the same offset in both families.
    withUnsafeBytes(of: self) { UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)) }
  }
}
