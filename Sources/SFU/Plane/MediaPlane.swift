public import WebRTC

/// All media workers of a server: one thread, one UDP port and the rooms assigned to it each.
///
/// Made once at the start. `openRoom` puts a room on the worker with the least load; its packets never leave that worker.
public final class MediaPlane: Sendable {
  public struct Configuration: Sendable {
    /// Worker threads; nil takes one for each core that this process may use.
    public var workers: Int?
    /// The numeric address to bind: "127.0.0.1", "0.0.0.0".
    public var bind: String
    /// The first worker's port; the others follow. 0 lets the kernel choose each.
    public var port: UInt16
    /// Numeric addresses told to clients as candidates; empty tells `bind`.
    public var announced: [String]
    public var limits: MediaLimits

    public init(
      workers: Int? = nil, bind: String = "127.0.0.1", port: UInt16 = 0, announced: [String] = [], limits: MediaLimits = .init()
    ) {
      self.workers = workers
      self.bind = bind
      self.port = port
      self.announced = announced
      self.limits = limits
    }
  }

  public let configuration: Configuration

  /// Binds the sockets, so that ports and candidates are known; no thread runs before `start()`.
  public init(_ configuration: Configuration) throws(MediaPlaneError) {
    self.configuration = configuration
  }

  /// Starts the workers' threads. Once.
  public func start() throws(MediaPlaneError) {}

  /// Closes all transports, ends the threads and waits for them. Commands after it do nothing.
  public func stop() {}

  /// What session descriptions say of the DTLS certificate of this start.
  public var fingerprint: Fingerprint { Fingerprint(algorithm: "sha-256", bytes: []) }

  /// The UDP ports in use, one a worker.
  public var ports: [UInt16] { [] }

  /// Opens a room on the worker with the least load. `events` is called on that worker's thread.
  public func openRoom(events: @escaping @Sendable (MediaEvent) -> Void) -> MediaRoom { MediaRoom() }

  public func counters() async -> MediaCounters { MediaCounters() }
}

/// Why the media plane could not start.
public enum MediaPlaneError: Error, Sendable, Hashable {
  /// Not a numeric IPv4 address.
  case badAddress(String)
  /// The socket could not be bound; with the system's own words.
  case bind(address: String, reason: String)
  case thread(reason: String)
  case certificate(reason: String)
}
