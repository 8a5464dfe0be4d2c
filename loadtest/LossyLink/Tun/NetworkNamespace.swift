import Glibc
import RoomCNetwork

/// A network of its own for programs on this machine: without routes to any other, removed with its last user.
public final class NetworkNamespace: Sendable {
  /// The system refused to make or enter a namespace, or to open a device in it. Root may do that, and so may programs under
  /// `unshare --user --map-root-user --net` on systems that allow user namespaces.
  public struct Refused: Error, Sendable, Hashable, CustomStringConvertible {
    public let what: String
    public let errno: Int32

    public var description: String {
      "\(what): \(String(cString: strerror(errno))). It requires root, or a user namespace: unshare --user --map-root-user --net"
    }
  }

  private let descriptor: Int32

  /// Creates a network with a loopback alone.
  public convenience init() throws(Refused) { try self.init(network_new(), "a network namespace") }

  /// The calling thread's network.
  public static func current() throws(Refused) -> NetworkNamespace {
    try NetworkNamespace(network_current(), "this process's network namespace")
  }

  /// The calling thread's network after its loopback is up: that of a process that was started by `unshare --net`.
  public static func begin() throws(Refused) -> NetworkNamespace {
    guard network_loopback_up() == 0 else { throw Refused(what: "this network's loopback", errno: Glibc.errno) }
    return try current()
  }

  private init(_ descriptor: Int32, _ what: String) throws(Refused) {
    guard descriptor >= 0 else { throw Refused(what: what, errno: Glibc.errno) }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Runs `body` with the calling thread in this network. Sockets and devices that it opens, and programs that it starts,
  /// belong to this network for good.
  public func perform<Result>(_ body: () throws -> Result) throws -> Result {
    let before = try NetworkNamespace.current()
    guard network_enter(descriptor) == 0 else { throw Refused(what: "entering a network namespace", errno: Glibc.errno) }
    defer {
      // A thread that stayed in the wrong network would open all later sockets there.
      precondition(network_enter(before.descriptor) == 0, "the thread can't return to its network namespace")
    }
    return try body()
  }

  /// The words in front of a command that runs in this network, with `nsenter` of util-linux.
  public var prefix: [String] { ["nsenter", "--net=/proc/\(getpid())/fd/\(descriptor)", "--"] }
}
