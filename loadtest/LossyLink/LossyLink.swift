import CLinux
import Foundation

/// A UDP relay on a loopback address that treats the packets passing through it as a bad network would.
///
/// Clients send to `port`. Each client address gets a socket of its own towards the target, so that the target tells clients apart
/// and its answers find their way back. Both directions have conditions and a random generator of their own, shared by all clients.
/// One thread does all the work; `stop()`, or the last reference going away, ends it.
public final class LossyLink: Sendable {
  /// The way that packets go.
  public enum Direction: Sendable, Hashable { case toTarget, toClient }

  /// What befell the packets of one direction since the start.
  public struct Counters: Sendable, Hashable {
    /// Packets that entered the link.
    public var sent = 0
    /// Packets and copies of packets that left it.
    public var arrived = 0
    /// Lost at random.
    public var lost = 0
    /// Dropped at a full queue.
    public var overflowed = 0
    /// Packets of clients beyond `clientLimit`, or that came while `packetLimit` were on their way.
    public var refused = 0
  }

  /// The system gave the link no socket, with its `errno`.
  public struct SocketError: Error, Sendable, Hashable {
    public let errno: Int32
  }

  /// Client addresses that one link serves.
  public static let clientLimit = 512
  /// Packets on their way at any time.
  public static let packetLimit = 65_536

  /// The UDP port that clients send to.
  public let port: UInt16
  private let control: LinkControl

  /// - Parameters:
  ///   - target: UDP port on 127.0.0.1 that the packets go on to.
  ///   - host: the loopback address that clients send to, in host order: 127.0.0.9 is 0x7F00_0009.
  ///   - port: the port there; 0 takes a free one. With the target's own, the link is the NAT in front of it.
  ///   - seed: decides every random loss, jitter and reordering.
  public init(
    to target: UInt16, on host: UInt32 = 0x7F00_0001, port: UInt16 = 0, toTarget: LinkConditions = .perfect,
    toClient: LinkConditions = .perfect, seed: UInt64
  ) throws(SocketError) {
    let listener = try LoopbackSocket(host: host, port: port)
    let control = LinkControl(
      toTarget: LinkModel(toTarget, seed: seed), toClient: LinkModel(toClient, seed: ~seed), wake: linux_eventfd())
    self.port = listener.port
    self.control = control
    let thread = Thread {
      var relay = LinkRelay(listener: listener, target: target, control: control)
      relay.run()
      control.finished.signal()
    }
    thread.name = "lossy-link"
    thread.start()
  }

  deinit { stop() }

  /// Changes one direction under way; packets already on it keep their fate.
  public func set(_ direction: Direction, to conditions: LinkConditions) {
    control.state.withLock { $0[direction].model.conditions = conditions }
  }

  public func counters(_ direction: Direction) -> Counters {
    control.state.withLock { $0[direction].counters }
  }

  /// Ends the relay and closes its sockets; packets on their way are gone. Returns when that is done.
  public func stop() { control.stop() }
}
