import RoomLinkModel
import RoomCLinux
import Foundation

/// A UDP relay on a loopback address that simulates a bad network.
///
/// Clients send to `port`. Each client address gets a socket of its own towards the target, so that the target can distinguish
/// clients and its responses are routed back. Each direction has its own conditions and random generator, shared by all
/// clients. A single thread does all the work; it ends on `stop()` or with the last reference.
public final class LossyLink: Sendable {
  /// The direction of packets.
  public enum Direction: Sendable, Hashable { case toTarget, toClient }

  /// Packet counters of one direction since the start.
  public struct Counters: Sendable, Hashable {
    /// Packets that entered the link.
    public var sent = 0
    /// Packets and copies of packets that left the link.
    public var arrived = 0
    /// Lost at random.
    public var lost = 0
    /// Dropped because the queue was full.
    public var overflowed = 0
    /// Packets of clients beyond `clientLimit`, or that arrived while `packetLimit` packets were in transit.
    public var refused = 0
  }

  /// The system provided no socket; contains its `errno`.
  public struct SocketError: Error, Sendable, Hashable {
    public let errno: Int32
  }

  /// Maximum number of client addresses per link.
  public static let clientLimit = 512
  /// Maximum number of packets in transit.
  public static let packetLimit = 65_536

  /// The UDP port that clients send to.
  public let port: UInt16
  private let control: LinkControl

  /// - Parameters:
  ///   - target: UDP port on 127.0.0.1 to which packets are forwarded.
  ///   - host: the loopback address that clients send to, in host byte order: 127.0.0.9 is 0x7F00_0009.
  ///   - port: the port that clients send to; 0 selects a free one. If it equals the target's port, the link acts as a NAT in front of it.
  ///   - seed: seed of all random losses, jitter and reordering.
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

  /// Changes the conditions of one direction; packets already on the link keep their fate.
  public func set(_ direction: Direction, to conditions: LinkConditions) {
    control.state.withLock { $0[direction].model.conditions = conditions }
  }

  public func counters(_ direction: Direction) -> Counters {
    control.state.withLock { $0[direction].counters }
  }

  /// Ends the relay, closes its sockets and discards packets in transit. Returns when that is done.
  public func stop() { control.stop() }
}
