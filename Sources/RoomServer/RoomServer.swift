import RoomHTTPServer
import RoomLinux
public import Logging
import RoomOriginServer
import RoomProtocol
import RoomToken
import RoomCluster
import RoomEngine
import RoomSFU
import RoomWebhooks
import Synchronization

/// A running room server: HTTP, signalling, rooms and media workers, in this process.
///
/// ```swift
/// let server = try await RoomServer.start(ServerConfiguration(keys: ["key": secret]))
/// print(server.port)
/// await server.stop()
/// ```
public final class RoomServer: Sendable {
  /// The TCP port of HTTP and signalling.
  public var port: UInt16 { http.port }
  /// The TCP port of HTTPS and signalling over TLS; nil without a certificate.
  public var securePort: UInt16? { https?.port }
  /// The TCP port of RTMP; nil if RTMP is off.
  public let rtmpPort: UInt16?
  /// The TCP port of RTMPS; nil if RTMP is off or there is no certificate.
  public let secureRTMPPort: UInt16?
  /// The UDP port of SRT; nil if SRT is off.
  public let srtPort: UInt16?
  /// The UDP ports of the media workers.
  public let mediaPorts: [UInt16]
  public let configuration: ServerConfiguration

  /// Keeps the data directory locked as long as the server runs.
  private let data: DataDirectory?
  private let events: EventLog
  private let history: History
  private let http: HTTPDaemon
  private let https: HTTPDaemon?
  /// Reloads the certificate when its files change.
  private let following: Task<Void, Never>?
  private let signalling: SignallingServer
  let directory: RoomDirectory
  private let draining: Drain
  private let liveKit: LiveKitRecords
  private let dispatching: Task<Void, Never>
  /// Nil for a server that runs all rooms alone.
  private let cluster: Cluster?
  private let peers: NodePeers?
  /// Nil if the server redirects clients of rooms of other nodes.
  private let edges: Edges?
  /// Nil for a server that is no node of a cluster.
  private let carriage: Carriage?
  private let plane: MediaPlane
  private let origin: Origin
  private let rtmp: RTMPServer?
  private let srt: SRTServer?
  private let ingest: IngestServer
  private let flv: FLVAPI
  private let hls: HLSDirectory
  private let variants: VariantDirectory
  /// Nil for a server that is no node of a cluster.
  private let pulls: PullDirectory?
  private let recordings: RecordingsAPI
  /// Nil if the server takes no uploads.
  let uploads: UploadStore?
  private let metrics: MetricsReport
  private let sampling: Task<Void, Never>
  private let watching: Task<Void, Never>
  private let stopping = Mutex<Task<Void, Never>?>(nil)
  private let log: Logger

  /// Starts a server. It accepts clients when this returns.
  /// - Parameters:
  ///   - configuration: the addresses, keys and limits of the server.
  ///   - log: receives one line for each event that matters to an operator; discards them by default.
  public static func start(
    _ configuration: ServerConfiguration, log: Logger = Logger(label: "roomserver") { _ in SwiftLogNoOpLogHandler() }
  ) async throws(StartError) -> RoomServer {
    guard !configuration.keys.isEmpty else { throw .noKeys }
    if let validationError = configuration.iceServers.lazy.compactMap(\.validationError).first {
      throw .iceServer(reason: validationError)
    }
    if let validationError = configuration.relay.recordings?.validationError { throw .recordings(reason: validationError) }
    if let validationError = configuration.uploads?.validationError { throw .uploads(reason: validationError) }
    if let validationError = configuration.webhooks.validationError { throw .webhooks(reason: validationError) }
    let certificate: CurrentCertificate?
    do throws(CertificateError) {
      certificate = if let tls = configuration.tls { try CurrentCertificate(tls, log: log) } else { nil }
    } catch {
      throw .certificate(reason: "\(error)")
    }
    let data: DataDirectory? = if let path = configuration.data { try DataDirectory(path) } else { nil }
    let keys: TokenKeys
    do {
      keys = try TokenKeys(configuration.keys.mapValues(\.value), signing: configuration.signingKey)
    } catch {
      if case .secretTooShort(let key, _) = error { throw .shortSecret(key: key) }
      throw .noKeys
    }
    let plane: MediaPlane
    do {
      var media = configuration.media
      if configuration.cluster != nil { media.authority = SendingAuthority() }
      plane = try MediaPlane(media)
      try plane.start()
    } catch {
      throw .media(error)
    }
    let kicked = Guarded(KickedTokens(capacity: configuration.limits.kickedTokens))
    var stored = StoredServer()
    var store: StoreWriter?
    var documents: any DocumentStore = DocumentMemory()
    var cluster: Cluster?
    var links: NodeLinks?
    do throws(StartError) {
      if let settings = configuration.cluster {
        let joined = try await Cluster(settings, node: try settings.nodeID(in: data), kicked: kicked, log: log)
        cluster = joined
        links = try NodeLinks(joined, settings, host: configuration.host, log: log)
      }
    } catch {
      await cluster?.stop()
      await blocking(named: "media-stop") { plane.stop() }
      throw error
    }
    do {
      if let cluster {
        stored = try await cluster.rooms.load()
        store = StoreWriter(cluster.rooms, log: log)
        documents = cluster.rooms
      } else if let data {
        let opened = try SQLiteStore(path: data.privateFile(SQLiteStore.fileName))
        stored = try await opened.load()
        store = StoreWriter(opened, log: log)
        documents = opened
      }
    } catch {
      await blocking(named: "media-stop") { plane.stop() }
      throw .data(reason: "\(SQLiteStore.fileName): \(error)")
    }
    kicked.withLock { $0.restore(stored.kicked) }
    let summaries = Guarded<[RoomName: RoomSummary]>([:])
    let liveKit = LiveKitRecords(documents, keys: keys, rooms: summaries, log: log)
    let origin = Origin(
      configuration.origin, keys: keys, isRevoked: { token in kicked.withLock { $0.contains(token) } }, log: log)
    var rtmp: RTMPServer?
    var srt: SRTServer?
    var events: EventLog?
    var history: History?
    var uploads: UploadStore?
    do throws(StartError) {
      let eventLog: EventLog
      do throws(EventLogError) {
        eventLog = try await EventLog(
          configuration.webhooks, path: data?.privateFile("webhooks.sqlite"), cluster: cluster?.sharedEvents,
          secret: (configuration.webhooks.secret ?? keys.keys.first.flatMap { configuration.keys[$0] })?.value ?? "",
          liveKit: liveKit.webhooks, log: log)
      } catch {
        throw .data(reason: error.reason)
      }
      events = eventLog
      let started: History
      do {
        started = try await History(
          configuration.history, path: data?.privateFile(HistoryStore.fileName), rooms: Array(stored.rooms.keys), log: log)
      } catch {
        throw .data(reason: "\(HistoryStore.fileName): \(error)")
      }
      history = started
      if let settings = configuration.uploads {
        do throws(UploadFailure) {
          uploads = try UploadStore(settings, node: cluster?.node.id, log: log)
        } catch {
          throw .uploads(reason: error.reason)
        }
        await uploads?.start()
      }
      let peers = ConnectionsPerAddress(
        limit: configuration.origin.connectionsPerAddress, exempt: configuration.trustedProxies)
      if configuration.origin.listens {
        let secure = configuration.tls.flatMap { tls in certificate.map { (tls.rtmpPort, $0) } }
        do throws(ListenError) {
          rtmp = try await RTMPServer.start(
            origin, host: configuration.origin.host ?? configuration.host, secure: secure, peers: peers)
        } catch {
          throw StartError(rtmp: error)
        }
      }
      if configuration.origin.srt.listens {
        do throws(ListenError) {
          srt = try SRTServer(origin, host: configuration.origin.host ?? configuration.host, peers: peers)
        } catch {
          throw StartError(srt: error)
        }
      }
      let server = RoomServer(
        configuration, data: data, events: eventLog, history: started, keys: keys, kicked: kicked, plane: plane, origin: origin,
        rtmp: rtmp, srt: srt,
        store: store, liveKit: liveKit, summaries: summaries, uploads: uploads, cluster: cluster, links: links,
        certificate: certificate, log: log)
      // Before the first job records: a file that is being written now was cut.
      await server.directory.broadcasts.recordings?.start()
      await server.directory.restore(stored)
      await liveKit.restored(server.directory, isAlone: cluster == nil)
      await started.count { [origin] in origin.audience }
      do throws(StartError) { try await server.serve() } catch {
        await liveKit.agents.stop()
        server.dispatching.cancel()
        await server.directory.stop()
        await server.directory.endThreads()
        throw error
      }
      return server
    } catch {
      await store?.stop()
      await cluster?.stop()
      await events?.stop()
      await history?.stop()
      await uploads?.stop()
      await rtmp?.stop()
      await srt?.stop()
      await origin.stop()
      await blocking(named: "media-stop") { plane.stop() }
      throw error
    }
  }

  private init(
    _ configuration: ServerConfiguration, data: DataDirectory?, events: EventLog, history: History, keys: TokenKeys,
    kicked: Guarded<KickedTokens>, plane: MediaPlane, origin: Origin, rtmp: RTMPServer?, srt: SRTServer?,
    store: StoreWriter?, liveKit: LiveKitRecords, summaries: Guarded<[RoomName: RoomSummary]>, uploads: UploadStore?,
    cluster: Cluster?, links: NodeLinks?, certificate: CurrentCertificate?, log: Logger
  ) {
    self.configuration = configuration
    self.data = data
    self.events = events
    self.history = history
    self.plane = plane
    self.origin = origin
    self.rtmp = rtmp
    self.srt = srt
    self.uploads = uploads
    rtmpPort = rtmp?.port
    srtPort = srt?.port
    secureRTMPPort = rtmp?.securePort
    origin.addresses = OwnAddresses(configuration, port: rtmp?.port, securePort: rtmp?.securePort)
    origin.install(EncoderObserver(began: history.began(_:from:), ended: history.ended))
    let flv = FLVAPI(
      origin, limit: max(1, configuration.limits.connections / 2),
      isServer: { request in cluster?.sender(of: request) != nil })
    self.flv = flv
    let variants = VariantDirectory(configuration.origin.variants, origin: origin)
    origin.install { [weak variants] (path) throws(OriginRefusal) in try variants?.make(path) ?? false }
    self.variants = variants
    let pulls = cluster.map { PullDirectory(origin, $0.streams) }
    self.pulls = pulls
    let hls = HLSDirectory(configuration.origin.hls, origin: origin, connections: configuration.limits.connections)
    self.hls = hls
    self.log = log
    self.cluster = cluster
    self.liveKit = liveKit
    let counters = ServerCounters()
    let requests = HTTPCounters()
    let directory = RoomDirectory(
      configuration: configuration, plane: plane, origin: origin, keys: keys, kicked: kicked, counters: counters, store: store,
      ownership: cluster, events: EventTee(EventTee(events, history), liveKit.events), summaries: summaries, log: log)
    self.directory = directory
    directory.players.find(uploads: uploads)
    dispatching = Task { await liveKit.agents.run(directory) }
    peers = cluster.flatMap { cluster in
      links.map {
        NodePeers(
          cluster, $0, room: { [weak directory] in await directory?.room($0) },
          settled: { [store] in await store?.settled() }, log: log)
      }
    }
    if let peers { directory.peer.withLock { $0 = { [peer = peers.peers] name in ClusterPeer(name: name, peers: peer) } } }
    let draining = Drain(
      directory, origin: origin, history: history, moves: cluster.map { RoomMoves(directory, $0, log: log) }, log: log)
    self.draining = draining
    let limits = configuration.limits
    let entrance = Entrance(
      keys: keys, directory: directory,
      throttle: Guarded(
        JoinThrottle(perSecond: limits.joinsPerSecond, burst: limits.joinBurst, capacity: limits.joinAddresses)),
      configuration: configuration, counters: counters, history: history, log: log)
    ingest = IngestServer(entrance: entrance, keys: liveKit.streamKeys, routing: cluster?.ingestRouting)
    origin.install(ingest.publishHandler, for: IngestServer.app)
    origin.install(ingest.keyHandler, for: IngestServer.keyApp)
    let edgeCounters = EdgeCounters()
    var edges: Edges?
    var host: EdgeHost?
    if let cluster, let links {
      host = EdgeHost(cluster: cluster, links: links, entrance: entrance, counters: edgeCounters, log: log)
      if configuration.cluster?.isEdge == true {
        edges = Edges(
          cluster, links, plane: plane, silence: configuration.keepAlive.silence, isDraining: directory.isDraining,
          counters: edgeCounters, log: log)
      }
    }
    self.edges = edges
    let liveKitCalls = LiveKitCalls()
    let liveKitDoor = LiveKitDoor(entrance: entrance, calls: liveKitCalls, agents: liveKit.agents)
    let carriageCounters = CarriageCounters()
    let carriage = cluster.map { Carriage($0, directory, configuration, counters: carriageCounters, log: log) }
    self.carriage = carriage
    let agentDoor = AgentDoor(entrance: entrance, dispatches: liveKit.agents)
    let signalling = SignallingServer(configuration: configuration, counters: counters, log: log) {
      [edges, host, carriage] socket, request in
      if EdgeHost.serves(request) {
        await host?.serve(socket, request)
      } else if LiveKitDoor.serves(request) {
        if let carriage, let room = liveKitDoor.room(of: request) {
          await carriage.serve(socket, request, in: room) { await liveKitDoor.serve(socket, request) }
        } else {
          await liveKitDoor.serve(socket, request)
        }
      } else if AgentDoor.serves(request) {
        await agentDoor.serve(socket, request)
      } else {
        await SignalSession(entrance: entrance, socket: socket, client: request.client, relay: edges).run()
      }
    }
    self.signalling = signalling
    let gauge = ServerGauge(directory: directory, plane: plane, counters: counters, rtmpPort: rtmp?.port, srtPort: srt?.port)
    let samples = ServerHistory(gauge)
    let rooms = RoomsAPI(directory: directory, limits: limits, streamViewers: { origin.audience })
    let listing = cluster.map { ClusterListing(cluster: $0, rooms: rooms) }
    let liveKitAPI = LiveKitAPI(
      entrance: entrance, services: liveKit.services(directory, configuration, calls: liveKitCalls))
    let access = APIAccess(keys: keys)
    let recordings = RecordingsAPI(recordings: directory.broadcasts.recordings, access: access)
    self.recordings = recordings
    let alarms = AlarmWatch(
      directory: directory, plane: plane, events: events, history: history,
      recordings: configuration.relay.recordings?.directory,
      certificate: certificate, log: log)
    metrics = MetricsReport(
      directory: directory, plane: plane, counters: counters, requests: requests, origin: origin, hls: hls,
      variants: variants, pulls: pulls, events: events, history: history,
      downloads: recordings.downloads, uploads: uploads, alarms: alarms, cluster: cluster, links: links, edges: edgeCounters,
      egresses: liveKit.egresses, carriage: carriageCounters, agents: liveKit.agents, certificate: certificate)
    var endpoints =
      SystemAPI(metrics: metrics).endpoints + ConsolePages().endpoints
      + rooms.endpoints
      + ClusterAPI(
        cluster: cluster, listing: listing, link: { links?.status(of: $0) }, edges: { edgeCounters.counts }
      ).endpoints
      + ServerAPI(gauge: gauge, history: samples).endpoints
      + (peers?.endpoints ?? []) + (host == nil ? [] : [EdgeHost.endpoint])
      + DrainAPI(drain: draining, directory: directory, isReady: { cluster?.node.isReady ?? true }).endpoints
      + JobsAPI(directory: directory).endpoints + PlayersAPI(directory: directory).endpoints
      + ImagesAPI(directory: directory).endpoints + recordings.endpoints + UploadsAPI(store: uploads).endpoints
      + StateAPI(directory: directory).endpoints + EventsAPI(log: events).endpoints
      + HistoryAPI(history: history).endpoints
      + WatchAPI(entrance: entrance, origin: origin, limits: limits).endpoints + WatchPages(addresses: directory.play).endpoints
      + ShareAPI(directory: directory, access: access).endpoints
      + AlarmsAPI(alarms: alarms).endpoints
      + TokensAPI(access: access).endpoints + liveKitDoor.endpoints + agentDoor.endpoints + liveKitAPI.endpoints
      + WHIPAPI(entrance: entrance, keys: liveKit.streamKeys).endpoints
      + OriginAPI(origin: origin).endpoints
      // The paths of streams come last, so that they hide no other path.
      + flv.endpoints + HLSAPI(directory: hls).endpoints
    if let cluster, let listing {
      let routing = ClusterRouting(cluster: cluster, listing: listing, liveKit: liveKitAPI) { [weak directory] name in
        await directory?.restored(name)
      }
      endpoints = routing.routed(endpoints)
      if let carriage { endpoints = liveKitDoor.routed(endpoints, by: carriage) }
    }
    var handlers = HTTPDaemon.Handlers(
      router: Router(endpoints: endpoints), authorise: { access.refusal(of: $0) },
      upgraded: { upgraded in
        if EdgeHost.serves(upgraded.request) {
          signalling.accept(upgraded, messageBytes: EdgeHost.messageBytes, outgoingBytes: EdgeHost.outgoingBytes)
        } else {
          signalling.accept(upgraded, isBinary: LiveKitDoor.serves(upgraded.request) || AgentDoor.serves(upgraded.request))
        }
      },
      counters: requests,
      peers: ConnectionsPerAddress(limit: limits.connectionsPerAddress, exempt: configuration.trustedProxies),
      clients: ConnectionsPerAddress(limit: limits.connectionsPerAddress, exempt: configuration.trustedProxies))
    func daemon(port: UInt16, _ certificate: CurrentCertificate?) -> HTTPDaemon {
      HTTPDaemon(
        .init(
          host: configuration.host, port: port, threads: configuration.httpThreads, connections: limits.connections,
          bodyBytes: limits.bodyBytes, requestTime: limits.requestTime, idleTime: limits.idleTime,
          proxies: configuration.trustedProxies, certificate: certificate,
          headers: certificate == nil ? [] : configuration.tls?.headers ?? []),
        handlers: handlers)
    }
    if let cluster { handlers.origin = { PassedClient.origin(of: $0, at: RoomTime.now.unix, cluster.signature) } }
    http = daemon(port: configuration.port, nil)
    // The public port serves no metrics, as with a proxy in front.
    handlers.router = Router(endpoints: endpoints.filter { $0.path != SystemAPI.metricsPath })
    https = certificate.map { daemon(port: configuration.tls?.port ?? 0, $0) }
    following = certificate.map { certificate in Task { await certificate.watch() } }
    mediaPorts = plane.ports
    sampling = Task { await samples.run() }
    watching = Task { await alarms.run() }
  }

  /// Starts to accept clients.
  private func serve() async throws(StartError) {
    do throws(ListenError) {
      try http.start()
      try https?.start()
    } catch {
      await http.stop()
      sampling.cancel()
      following?.cancel()
      await endWatch()
      throw StartError(http: error)
    }
    let addresses = PlayAddresses(configuration, port: port, securePort: securePort, rtmpPort: rtmpPort)
    directory.play.withLock { $0 = addresses }
    enterCluster()
    log.info(
      "serving",
      metadata: [
        "http": "\(configuration.host):\(port)",
        "https": "\(securePort.map { "\(configuration.host):\($0)" } ?? "off")",
        "rtmp": "\(rtmp.map { "\(configuration.origin.host ?? configuration.host):\($0.port)" } ?? "off")",
        "rtmps": "\(rtmp?.securePort.map { "\(configuration.origin.host ?? configuration.host):\($0)" } ?? "off")",
        "srt": "\(srtPort.map { "\(configuration.origin.host ?? configuration.host):\($0)" } ?? "off")",
        "media": "\(configuration.media.bind):\(mediaPorts)",
        "autoCreateRooms": "\(configuration.autoCreateRooms)",
      ])
  }

  /// Enters the cluster, if the server is a node of one.
  private func enterCluster() {
    guard let cluster, let settings = configuration.cluster else { return }
    let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
    let (address, link) = (settings.address ?? "http://\(host):\(port)", peers?.links.address)
    let rtmp = rtmpPort.flatMap { Cluster.rtmp(at: address, port: $0) }
    let load = Guarded(NodeLoad(rooms: configuration.limits.rooms))
    if let authority = plane.configuration.authority {
      cluster.limit(authority) { [directory] in await directory.isSettled }
    }
    cluster.start(
      .init(
        report: { [directory] in
          let rooms = directory.summaries.withLock { $0.count }
          let headroom = load.withLock { $0.headroom(seconds: ProcessClock.seconds, rooms: rooms, now: .now) }
          return NodeReport(
            address: address, region: settings.region, headroom: directory.isDraining.withLock { $0 } ? 0 : headroom,
            rooms: rooms, link: link, rtmp: rtmp)
        },
        adopt: { [directory] rooms in
          await directory.adopt(rooms)
          for room in rooms { await directory.releaseUnlessOpen(room) }
        },
        drop: { [directory] rooms in await directory.drop(rooms) },
        settle: { [events] in await events.flush(within: .seconds(2)) }))
  }

  /// Drains the server: it opens no more rooms, and refuses joins that would open one with an error that names `redirect`. Open
  /// rooms continue. Returns when no participant is left, when the time is up, or when the calling task is cancelled. Call
  /// ``stop()`` afterwards.
  /// - Parameter redirect: the signalling URL of another server, `ws://` or `wss://`. New joins are redirected there at once,
  ///   and
  ///   the remaining participants at the end of the time.
  public func drain(for time: Duration, redirect: String? = nil) async {
    await draining.begin(for: time, redirect: redirect)
    await draining.isOver()
  }

  /// Returns when a drain that was started over REST has ended, or when the calling task is cancelled. Call ``stop()``
  /// afterwards.
  public func drained() async { await draining.isOver() }

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
    log.info("stopping")
    await draining.end()
    sampling.cancel()
    following?.cancel()
    await endWatch()
    http.quiesce()
    https?.quiesce()
    await edges?.stop()
    carriage?.stop()
    await liveKit.agents.stop()
    await directory.stop()
    await peers?.stop()
    // Its events are in the store of the cluster.
    if cluster != nil { await events.stop() }
    await cluster?.stop()
    await signalling.stop()
    origin.quiesce()
    await rtmp?.stop()
    await srt?.stop()
    flv.stop()
    await hls.stop()
    await recordings.stop()
    await http.stop()
    await https?.stop()
    await uploads?.stop()
    await directory.endThreads()
    await blocking(named: "media-stop") { [plane] in plane.stop() }
    await variants.stop()
    await pulls?.stop()
    await origin.stop()
    await ingest.stop()
    if cluster == nil { await events.stop() }
    await history.stop()
    dispatching.cancel()
    log.info("stopped")
  }

  /// Ends the readings for alarms: after the end of the threads of mixes a reading would never return.
  private func endWatch() async {
    watching.cancel()
    await watching.value
  }

  /// Returns the text of `/metrics`.
  public func metricsText() async -> String { await metrics.text() }
}
