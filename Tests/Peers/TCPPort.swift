import Foundation

/// TCP ports of 127.0.0.1.
public enum TCPPort {
  /// Returns a port that was free a moment ago.
  public static func free() throws -> UInt16 { try free(SOCK_STREAM) }

  fileprivate static func free(_ type: __socket_type) throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(type.rawValue), 0)
    defer { close(descriptor) }
    var address = address(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
      }
    }
    guard isBound else { throw ProgramFailure(what: "no free port: \(errno)") }
    return UInt16(bigEndian: address.sin_port)
  }

  /// Returns whether the port is in use.
  public static func isTaken(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = address(port)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}

/// UDP ports of 127.0.0.1.
public enum UDPPort {
  /// Returns a port that was free a moment ago.
  public static func free() throws -> UInt16 { try TCPPort.free(SOCK_DGRAM) }
}
