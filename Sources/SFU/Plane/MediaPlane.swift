import CLinux
import Synchronization
public import WebRTC

/// All media workers of a server: one thread, one UDP port and the rooms assigned to it each.
///
/// Made once at the start. `openRoom` puts a room on the worker with the least load; its packets never leave that worker.
public final class MediaPlane: Sendable {
  /// How to start.
  public struct Configuration: Sendable {
    /// Worker threads; nil takes one for each core that this process may use.
    public var workers: Int?
    /// The numeric address to bind: "127.0.0.1", "0.0.0.0".
    public var bind: String
    /// The first worker's port; the others follow. 0 lets the kernel choose each.
    public var port: UInt16
    /// Numeric addresses told to clients as candidates; empty tells `bind`.
    public var announced: [String]
    /// The DTLS certificate; nil makes a new one.
    public var certificate: Certificate?
    /// The bounds of each worker.
    public var limits: MediaLimits

    /// See the properties.
    public init(
      workers: Int? = nil, bind: String = "127.0.0.1", port: UInt16 = 0, announced: [String] = [],
      certificate: Certificate? = nil,
      limits: MediaLimits = .init()
    ) {
      self.workers = workers
      self.bind = bind
      self.port = port
      self.announced = announced
      self.certificate = certificate
      self.limits = limits
    }
  }

  /// What it was made with, the certificate filled in.
  public let configuration: Configuration
  /// What session descriptions say of the DTLS certificate of this start.
  public let fingerprint: Fingerprint
  private let workers: [Worker]
  private let nextRoom = Atomic<UInt32>(1)

  /// More threads than this are of no use on any machine so far.
  private static let maximumWorkers = 256

  /// Binds the sockets, so that ports and candidates are known; no thread runs before `start()`.
  public init(_ configuration: Configuration) throws(MediaPlaneError) {
    var configuration = configuration
    guard let address = TransportAddress(host: configuration.bind, port: configuration.port) else {
      throw .badAddress(configuration.bind)
    }
    for host in configuration.announced where TransportAddress(host: host, port: 0) == nil { throw .badAddress(host) }
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
      var bind = address
      if configuration.port != 0 {
        guard let port = UInt16(exactly: Int(configuration.port) + number) else {
          throw .badAddress("\(configuration.bind), port \(Int(configuration.port) + number)")
        }
        bind.port = port
      }
      // With a core for each, the threads stay where their caches are; with fewer, the kernel knows better.
      let core = count > 1 && count <= cores ? number : nil
      workers.append(
        try Worker(
          WorkerSetup(number: number, bind: bind, certificate: certificate, limits: configuration.limits, core: core)))
    }
    self.workers = workers
    self.configuration = configuration
  }

  deinit { stop() }

  /// Starts the workers' threads. Once.
  public func start() throws(MediaPlaneError) {
    for worker in workers { try worker.start() }
  }

  /// Closes all transports, ends the threads and waits for them. Commands after it do nothing.
  public func stop() {
    for worker in workers { worker.stop() }
  }

  /// The UDP ports in use, one a worker.
  public var ports: [UInt16] { workers.map(\.socket.local.port) }

  /// Opens a room on the worker with the least load. `events` is called on that worker's thread.
  public func openRoom(events: @escaping @Sendable (MediaEvent) -> Void) -> MediaRoom {
    let number = RoomNumber(rawValue: nextRoom.add(1, ordering: .relaxed).oldValue)
    var chosen = workers[0]
    for worker in workers where worker.load.score < chosen.load.score { chosen = worker }
    chosen.load.rooms.add(1, ordering: .relaxed)
    chosen.mailbox.post(.openRoom(number, events: events))
    return MediaRoom(number: number, worker: chosen, candidates: candidates(of: chosen))
  }

  private func candidates(of worker: Worker) -> [ICECandidate] {
    let hosts = configuration.announced.isEmpty ? [configuration.bind] : configuration.announced
    return hosts.enumerated().compactMap { index, host in
      guard let address = TransportAddress(host: host, port: worker.socket.local.port) else { return nil }
      // RFC 8445 §5.1.2.1: host candidates, the first address preferred, component 1.
      let priority = 126 << 24 | UInt32(65_535 - min(index, 1000)) << 8 | 255
      return ICECandidate(foundation: "\(index + 1)", priority: priority, address: address, kind: .host)
    }
  }

  /// What the workers counted, in their order.
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

/// Why the media plane could not start.
public enum MediaPlaneError: Error, Sendable, Hashable {
  /// Not a numeric address, or a port beyond 65535.
  case badAddress(String)
  /// The socket could not be bound; with the system's own words.
  case bind(address: String, reason: String)
  case thread(reason: String)
  case certificate(reason: String)
}
