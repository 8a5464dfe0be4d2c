import Dispatch
import Foundation
import RoomCLinux
import RoomCNetwork
import RoomLinkModel
import RoomRTP
import Synchronization

/// An IP link between two network namespaces, over a TUN device in each. It carries every protocol over IPv4 and drops
/// everything else.
///
/// The far side is usually the one with the bad network: the server is near. A single thread does all the work; it ends on
/// `stop()` or with the last reference.
public final class TunLink: Sendable {
  /// Addresses of the sides in host byte order, and as text.
  public static let near: UInt32 = 0x0A5B_0001
  public static let far: UInt32 = 0x0A5B_0002
  public static let nearText = "10.91.0.1"
  public static let farText = "10.91.0.2"
  private static let mtu: Int32 = 1500

  private let control: TunControl

  /// - Parameter seed: seed of all random losses, jitter and reordering.
  public init(
    _ schedule: LinkSchedule, seed: UInt64, near: NetworkNamespace, far: NetworkNamespace
  ) throws {
    let nearDevice = try near.perform { try Self.device("link-near", Self.near) }
    let farDevice: Int32
    do { farDevice = try far.perform { try Self.device("link-far", Self.far) } } catch {
      close(nearDevice)
      throw error
    }
    let control = TunControl(LinkTransit(schedule, seed: seed, start: Instant(microseconds: linux_now_us())))
    self.control = control
    let thread = Thread {
      let isFirst = network_thread_first() == 0
      control.state.withLock { $0.isFirst = isFirst }
      var relay = TunRelay(near: nearDevice, far: farDevice, control: control)
      relay.run()
      control.finished.signal()
    }
    thread.name = "tun-link"
    thread.start()
  }

  deinit { stop() }

  private static func device(_ name: String, _ address: UInt32) throws(NetworkNamespace.Refused) -> Int32 {
    let device = network_tun(name, address, 30, mtu)
    guard device >= 0 else { throw NetworkNamespace.Refused(what: "the TUN device \(name)", errno: errno) }
    return device
  }

  /// Starts the schedule, or another one, and the record anew: after everybody has joined, for example.
  public func begin(_ schedule: LinkSchedule? = nil) {
    control.state.withLock { $0.transit.begin(schedule, at: Instant(microseconds: linux_now_us())) }
  }

  /// The record since the link's start, or since `begin(_:)`.
  public var report: LinkReport {
    control.state.withLock { $0.transit.report(at: Instant(microseconds: linux_now_us()), isFirst: $0.isFirst) }
  }

  /// Ends the link and removes its devices; packets in transit are discarded. Returns when that is done.
  public func stop() { control.stop() }
}

/// State shared by a link's owner and its thread.
final class TunControl: Sendable {
  struct State: Sendable {
    var transit: LinkTransit
    var isFirst = false
    var isStopping = false
  }

  let state: Mutex<State>
  /// An eventfd that interrupts the thread's wait.
  let wake = linux_eventfd()
  let finished = DispatchSemaphore(value: 0)

  init(_ transit: LinkTransit) { state = Mutex(State(transit: transit)) }

  deinit { close(wake) }

  /// Returns when the thread has ended; further calls do nothing.
  func stop() {
    let isFirst = state.withLock { state in
      defer { state.isStopping = true }
      return !state.isStopping
    }
    guard isFirst else { return }
    linux_eventfd_signal(wake)
    finished.wait()
  }
}
