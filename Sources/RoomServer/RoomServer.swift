import Logging
import RoomEngine
import RoomHTTPServer
import RoomProtocol
import Synchronization

/// A running room server: HTTP, signalling, rooms and media workers, in this process.
///
/// ```swift
/// let server = try await RoomServer.start(ServerConfiguration(keys: ["key": secret]))
/// print(server.port)
/// await server.stop()
/// ```
public final class RoomServer: Sendable {
  /// The parts of every server. The order of their starts follows from their needs.
  package static let ownParts: [any ServerPart.Type] = [
    SystemPart.self, MediaPart.self, StoragePart.self, EventsPart.self, HistoryPart.self, OriginPart.self, RTMPPart.self,
    SRTPart.self, UploadsPart.self, RoomsPart.self, EntrancePart.self, APIPart.self, StreamKeysPart.self, IngestPart.self,
    WHIPPart.self, RecordingsPart.self, DrainPart.self, StatisticsPart.self, AlarmsPart.self, HTTPFront.self,
  ]

  public let configuration: ServerConfiguration
  let directory: RoomDirectory
  /// Nil if the server takes no uploads.
  let uploads: UploadStore?
  private let addresses: ServerAddresses
  private let assembly: Assembly
  private let drain: Drain
  private let stopping = Mutex<Task<Void, Never>?>(nil)

  /// Starts a server. It accepts clients when this returns.
  /// - Parameters:
  ///   - configuration: the addresses, keys and limits of the server.
  ///   - parts: what the server has besides ``ownParts``.
  ///   - log: receives one line for each event that matters to an operator; discards them by default.
  package static func start(
    _ configuration: ServerConfiguration, parts: [any ServerPart.Type], log: Logger
  ) async throws(StartError) -> RoomServer {
    let assembly = Assembly(try ServerGround(configuration, log: log), ownParts + parts)
    do throws(StartError) {
      return try await RoomServer(assembly)
    } catch {
      await assembly.stop()
      throw error
    }
  }

  /// Starts all parts.
  init(_ assembly: Assembly) async throws(StartError) {
    let front = try await assembly.part(HTTPFront.self)
    var addresses = ServerAddresses()
    (addresses.http, addresses.https) = (front.http.port, front.https?.port)
    if let rtmp = try await assembly.optional(RTMPPart.self)?.server {
      (addresses.rtmp, addresses.rtmps) = (rtmp.port, rtmp.securePort)
    }
    addresses.srt = try await assembly.optional(SRTPart.self)?.server.port
    addresses.media = try await assembly.part(MediaPart.self).plane.ports
    self.addresses = addresses
    self.assembly = assembly
    configuration = assembly.ground.configuration
    directory = try await assembly.part(RoomsPart.self).directory
    uploads = try await assembly.part(UploadsPart.self).store
    drain = try await assembly.part(DrainPart.self).drain
    await assembly.serve(at: addresses)
    assembly.ground.log.info("serving", metadata: addresses.metadata(configuration))
  }

  /// The TCP port of HTTP and signalling.
  public var port: UInt16 { addresses.http }
  /// The TCP port of HTTPS and signalling over TLS; nil without a certificate.
  public var securePort: UInt16? { addresses.https }
  /// The TCP port of RTMP; nil if RTMP is off.
  public var rtmpPort: UInt16? { addresses.rtmp }
  /// The TCP port of RTMPS; nil if RTMP is off or there is no certificate.
  public var secureRTMPPort: UInt16? { addresses.rtmps }
  /// The UDP port of SRT; nil if SRT is off.
  public var srtPort: UInt16? { addresses.srt }
  /// The UDP ports of the media workers.
  public var mediaPorts: [UInt16] { addresses.media }

  /// Drains the server: it opens no more rooms, and refuses joins that would open one with an error that names `redirect`. Open
  /// rooms continue. Returns when no participant is left, when the time is up, or when the calling task is cancelled. Call
  /// ``stop()`` afterwards.
  /// - Parameter redirect: the signalling URL of another server, `ws://` or `wss://`. New joins are redirected there at once,
  ///   and
  ///   the remaining participants at the end of the time.
  public func drain(for time: Duration, redirect: String? = nil) async {
    await drain.begin(for: time, redirect: redirect)
    await drain.isOver()
  }

  /// Returns when a drain that was started over REST has ended, or when the calling task is cancelled. Call ``stop()``
  /// afterwards.
  public func drained() async { await drain.isOver() }

  /// Ends all sessions with `ended(serverStopping)`, closes all sockets and waits for all threads. Later calls wait for the
  /// first one to finish.
  public func stop() async {
    let task = stopping.withLock { stopping in
      let task = stopping ?? Task { await self.stopOnce() }
      stopping = task
      return task
    }
    await task.value
  }

  private func stopOnce() async {
    assembly.ground.log.info("stopping")
    await assembly.stop()
    assembly.ground.log.info("stopped")
  }

  /// Returns the text of `/metrics`.
  public func metricsText() async -> String { await assembly.metrics() }
}

extension ServerAddresses {
  fileprivate func metadata(_ configuration: ServerConfiguration) -> Logger.Metadata {
    func shown(_ host: String, _ port: UInt16?) -> Logger.MetadataValue { "\(port.map { "\(host):\($0)" } ?? "off")" }
    return [
      "http": shown(configuration.host, http), "https": shown(configuration.host, https),
      "rtmp": shown(configuration.originHost, rtmp), "rtmps": shown(configuration.originHost, rtmps),
      "srt": shown(configuration.originHost, srt), "media": "\(configuration.media.bind):\(media)",
      "autoCreateRooms": "\(configuration.autoCreateRooms)",
    ]
  }
}
