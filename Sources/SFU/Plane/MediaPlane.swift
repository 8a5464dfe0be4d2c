import RoomCLinux
import Synchronization
public import RoomWebRTC

/// All media workers of a server. Each has one thread, one port and the rooms assigned to it.
///
/// Created once at the start. `openRoom` puts a room on the worker with the least load. A large room spreads over more of them.
public final class MediaPlane: Sendable {
  /// The options of a media plane.
  public struct Configuration: Sendable {
    /// Worker threads; nil starts one for each core that this process may use.
    public var workers: Int?
    /// Numeric addresses to bind, at most 16: "127.0.0.1", "::1". "0.0.0.0" is every IPv4 address that the machine has at the
    /// start, "::" every address of both families. Both exclude link-local addresses.
    public var bind: [String]
    /// The first worker's port; the others follow. 0 lets the kernel choose each.
    public var port: UInt16
    /// Whether clients may also connect over TCP, to the same port numbers (RFC 6544).
    public var tcp: Bool
    /// Whether to send a frame's packets as one message that the kernel segments (UDP GSO). If the kernel can't, the packets
    /// are sent one by one.
    public var segmentation: Bool
    /// Numeric addresses at which clients reach the media ports, if they differ from the bound ones, such as those of a NAT
    /// that maps each port to the same number. Announced as candidates in this order. If empty, the bound addresses are
    /// announced; loopback only if there is no other.
    public var announced: [String]
    /// Whether to announce the bound addresses after those of `announced`, for clients on this side of the NAT.
    public var announcesBound: Bool
    /// The DTLS certificate; nil creates a new one.
    public var certificate: Certificate?
    /// The limits of each worker.
    public var limits: MediaLimits
    /// Until when the workers may send; nil for always.
    public var authority: SendingAuthority?

    /// Creates a configuration from its properties.
    public init(
      workers: Int? = nil, bind: [String] = ["127.0.0.1"], port: UInt16 = 0, tcp: Bool = true, segmentation: Bool = true,
      announced: [String] = [], announcesBound: Bool = false, certificate: Certificate? = nil,
      limits: MediaLimits = .init()
    ) {
      self.workers = workers
      self.bind = bind
      self.port = port
      self.tcp = tcp
      self.segmentation = segmentation
      self.announced = announced
      self.announcesBound = announcesBound
      self.certificate = certificate
      self.limits = limits
    }
  }

  /// The configuration of this plane, including the certificate.
  public let configuration: Configuration
  /// The fingerprint of the DTLS certificate, for session descriptions.
  public let fingerprint: Fingerprint
  private let workers: [Worker]
  /// The host candidates of each worker, best first.
  private let candidates: [[ICECandidate]]
  private let nextRoom = Atomic<UInt32>(1)

  private static let maximumWorkers = Forwarder.networkWorker

  /// Binds the sockets, so that ports and candidates are known. No thread runs before `start()`.
  public init(_ configuration: Configuration) throws(MediaPlaneError) {
    var configuration = configuration
    let announced = try Self.addresses(configuration.announced)
    let named = try Self.addresses(configuration.bind)
    let bound = LocalAddresses.expand(named, announced: announced)
    for address in announced where !bound.contains(where: { $0.isIPv4 == address.isIPv4 }) {
      throw .unreachable(announced: address.host)
    }
    let hosts = Self.hosts(named: named, bound: bound, announced: announced, both: configuration.announcesBound)
    let certificate: Certificate
    do throws(CertificateError) {
      certificate = if let given = configuration.certificate { given } else { try Certificate() }
    } catch {
      throw .certificate(reason: "\(error)")
    }
    configuration.certificate = certificate
    fingerprint = certificate.fingerprint

    let cores = max(1, Int(linux_cpu_count()))
    let count = min(max(1, configuration.workers ?? cores), Self.maximumWorkers)
    var workers: [Worker] = []
    for number in 0..<count {
      guard let port = UInt16(exactly: configuration.port == 0 ? 0 : Int(configuration.port) + number) else {
        throw .badAddress("port \(Int(configuration.port) + number)")
      }
      // With one core per thread, pinning keeps caches warm. With fewer cores, the kernel schedules better.
      let core = count > 1 && count <= cores ? number : nil
      workers.append(
        try Worker(
          WorkerSetup(
            number: number, bind: bound.map { $0.withPort(port) }, tcp: configuration.tcp,
            segments: configuration.segmentation, certificate: certificate, limits: configuration.limits,
            authority: configuration.authority, core: core)))
    }
    self.workers = workers
    candidates = workers.map { Self.candidates(hosts, port: $0.sockets.port, tcp: configuration.tcp) }
    self.configuration = configuration
  }

  deinit { stop() }

  /// Starts the workers' threads. Call it once.
  public func start() throws(MediaPlaneError) {
    for worker in workers { try worker.start() }
  }

  /// Closes all transports, ends the threads and waits for them. Later commands do nothing.
  public func stop() {
    for worker in workers { worker.stop() }
  }

  /// The ports in use, one per worker, for both UDP and TCP.
  public var ports: [UInt16] { workers.map(\.sockets.port) }

  /// Opens a room on the worker with the least load. `events` is called on the threads of the workers that the room uses.
  public func openRoom(events: @escaping @Sendable (MediaEvent) -> Void) -> MediaRoom {
    let number = RoomNumber(rawValue: nextRoom.add(1, ordering: .relaxed).oldValue)
    let home = workers.indices.min { workers[$0].load.score < workers[$1].load.score } ?? 0
    return MediaRoom(
      number: number, home: home, workers: workers, hosts: candidates, limits: configuration.limits,
      events: events)
  }

  private static func candidates(_ hosts: [TransportAddress], port: UInt16, tcp: Bool) -> [ICECandidate] {
    let datagrams = hosts.enumerated().map { index, host in
      // RFC 8445 §5.1.2.1: host candidates, the first address preferred, component 1.
      ICECandidate(
        foundation: "\(index + 1)", priority: 126 << 24 | UInt32(65_535 - index) << 8 | 255, address: host.withPort(port),
        kind: .host)
    }
    guard tcp else { return datagrams }
    return datagrams
      + hosts.enumerated().map { index, host in
        var address = host.withPort(port)
        address.isTCP = true
        // RFC 6544 §4.2: a type preference below UDP's, even below UDP's server-reflexive one; then the direction, passive.
        let local = 4 << 13 | UInt32(8191 - index)
        return ICECandidate(
          foundation: "\(hosts.count + index + 1)", priority: 90 << 24 | local << 8 | 255, address: address, kind: .host)
      }
  }

  private static func addresses(_ hosts: [String]) throws(MediaPlaneError) -> [TransportAddress] {
    var addresses: [TransportAddress] = []
    for host in hosts {
      guard let address = TransportAddress(host: host, port: 0) else { throw .badAddress(host) }
      addresses.append(address)
    }
    return addresses
  }

  /// The announced addresses, without duplicates. A loopback address is one if the configuration names it, or if there is no other.
  private static func hosts(
    named: [TransportAddress], bound: [TransportAddress], announced: [TransportAddress], both: Bool
  ) -> [TransportAddress] {
    let reachable = bound.filter { !$0.isLoopback || named.contains($0) }
    let own = reachable.isEmpty ? bound : reachable
    var hosts: [TransportAddress] = []
    for host in announced.isEmpty ? own : announced + (both ? own : []) where !hosts.contains(host) { hosts.append(host) }
    return Array(hosts.prefix(LocalAddresses.limit))
  }

  /// Returns the workers' counters, in the order of the workers.
  public func counters() async -> MediaCounters {
    var all: [WorkerCounters] = []
    for worker in workers {
      all.append(
        await withCheckedContinuation { continuation in
          if !worker.mailbox.post(.counters { continuation.resume(returning: $0) }) {
            continuation.resume(returning: WorkerCounters())
          }
        })
    }
    return MediaCounters(workers: all)
  }
}
