import Foundation
import RoomHTTPServer
import RoomLiveOrigin
import Logging
import NIOCore
import NIOPosix
import RoomRTMP
import RoomRTP
import RoomToken
import Synchronization

/// The live streams of this server. Decides who may publish and play them, and notifies observers of new media.
///
/// - Publishers get a ``Publication`` from `beginPublish`, one for each path.
/// - Viewers get a ``Viewing`` from `view`, and read from its hub as much as they can send. Code that serves viewers calls
///   `watch`
///   to be notified of new media.
/// - RTMP, HTTP-FLV and HLS are built on these three. This type depends on none of them.
package final class Origin: Sendable {
  package let settings: OriginSettings
  package let counters = OriginCounters()
  /// The event loops of RTMP, on which FLV and others may schedule as well.
  let group: MultiThreadedEventLoopGroup
  let log: Logger
  private let keys: TokenKeys
  private let isRevoked: @Sendable (RoomToken) -> Bool
  private let directory: StreamDirectory
  private let state = Mutex(State())

  private struct State {
    var streams: [StreamPath: (stream: OriginStream, holds: Int)] = [:]
    var viewers = 0
    var handlers: [String: PublishHandler] = [:]
    var makers: [StreamMaker] = []
    var registry: (any StreamRegistry)?
    var puller: StreamPuller?
    var encoders: EncoderObserver?
    var addresses = OwnAddresses()
    var ticking: RepeatedTask?
    var isStopping = false
  }

  /// - Parameters:
  ///   - keys: verify the tokens of publishers.
  ///   - isRevoked: returns whether an otherwise valid token is revoked, for example by a kick.
  package init(
    _ settings: OriginSettings, keys: TokenKeys, isRevoked: @escaping @Sendable (RoomToken) -> Bool, log: Logger
  ) {
    self.settings = settings
    self.keys = keys
    self.isRevoked = isRevoked
    self.log = log
    group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, settings.threads ?? System.coreCount / 2))
    directory = StreamDirectory(
      streams: settings.streams, linger: settings.linger.microseconds, hubLimits: settings.stream)
    let ticking = group.next().scheduleRepeatedTask(initialDelay: .milliseconds(500), delay: .milliseconds(500)) {
      [weak self] _ in self?.tick()
    }
    state.withLock { $0.ticking = ticking }
  }

  /// The lag in milliseconds above which work on a stream, such as HLS segments or a variant, drops pictures.
  static let processingLag: Int64 = 5000

  /// The clock of all streams.
  static func now() -> Instant { Instant(microseconds: Int64(clamping: NIODeadline.now().uptimeNanoseconds / 1000)) }

  // MARK: Publishing

  /// Gives the right to publish a stream, to one publisher at a time. Does not check its permission; `admitPublish` does.
  /// - Parameters:
  ///   - claim: the entry in the registry of a cluster; nil makes one if there is a registry.
  ///   - stop: ends the publish; called from any thread.
  package func beginPublish(
    _ path: StreamPath, by publisher: Publisher, claim: StreamClaim? = nil,
    stop: @escaping @Sendable (_ reason: String) -> Void = { _ in }
  ) throws(OriginRefusal) -> Publication {
    let (isStopping, registry, puller) = state.withLock { ($0.isStopping, $0.registry, $0.puller) }
    guard !isStopping else { throw OriginRefusal(.stopping, "the server is stopping") }
    if publisher.isOriginal { puller?.yield(path) }
    let right: StreamDirectory.Publication
    do { right = try directory.publish(path, now: Self.now()) } catch { throw OriginRefusal(error, path) }
    let hold = hold(path)
    let since = Int64(Date().timeIntervalSince1970 * 1000)
    hold.stream.begin(OriginStream.Publish(publisher: publisher, since: since, stop: stop))
    if let address = publisher.encoderAddress { state.withLock { $0.encoders }?.began(path, address) }
    var metadata: Logger.Metadata = ["stream": "\(path)", "publisher": "\(publisher.kind)"]
    if let address = publisher.encoderAddress { metadata["client"] = "\(address)" }
    if case .pull(let server) = publisher { metadata["node"] = "\(server)" }
    log.info("stream begins", metadata: metadata)
    return Publication(self, right, hold, publisher.isOriginal ? claim ?? registry?.enter(path, refused: stop) : nil)
  }

  /// - Parameter isFinal: whether the viewers end as well, and do not wait for another publisher.
  func ended(_ right: StreamDirectory.Publication, by publisher: Publisher?, isFinal: Bool) {
    // Before the right ends, so that the next publisher's begin comes later.
    if publisher?.encoderAddress != nil { state.withLock { $0.encoders }?.ended(right.path) }
    if isFinal { directory.close(right) } else { directory.end(right, now: Self.now()) }
    log.info("stream ends", metadata: ["stream": "\(right.path)"])
  }

  /// Admits an encoder with a token for the stream or a signed URL; admits any encoder if the settings allow it.
  func admitPublish(_ path: StreamPath, query: String) throws(OriginRefusal) {
    guard !settings.publishesOpenly else { return }
    if let text = QueryString.value("token", in: query) { return try admit(token: text, path) }
    guard settings.protection.publish != nil else {
      throw OriginRefusal(.unsigned, "publishing requires a token: \(path)?token=…")
    }
    try check(path.description, query, for: .publish)
  }

  /// Checks that the token has the grant to publish, and that its room is the stream's name or "app/stream".
  private func admit(token text: String, _ path: StreamPath) throws(OriginRefusal) {
    let token: RoomToken
    do throws(TokenError) { token = try keys.verify(text) } catch { throw OriginRefusal(error) }
    guard [path.stream, path.name].contains(token.room.rawValue) else {
      throw OriginRefusal(.token, "the token is for room \(token.room.brief), not \(path.stream)")
    }
    guard StreamVariant(path.stream) == nil else {
      throw OriginRefusal(.token, "\(path.stream.prefix(64)) is the name of a variant, which a room token can't publish")
    }
    guard token.grants.contains(.publish) else { throw OriginRefusal(.token, "the token has no grant to publish") }
    guard !isRevoked(token) else {
      throw OriginRefusal(.token, "the token belongs to a kicked user")
    }
  }

  /// Throws if a publish would be refused now. Returns at once, and changes nothing.
  func checkPublish(_ publish: IncomingPublish) throws(OriginRefusal) {
    if let handler = handler(for: publish.app) { return try handler.check(publish) }
    let path = try path(of: publish)
    try admitPublish(path, query: publish.query)
    guard !isPublishedHere(path) else { throw OriginRefusal(.inUse, path) }
  }

  /// Opens a publish of an encoder, to a room or to a stream of the origin.
  /// - Parameter then: called with the result: at once for a stream of the origin, later from any thread for a room.
  func open(
    _ publish: IncomingPublish,
    then: @escaping @Sendable (Result<any PublishSink, OriginRefusal>) -> Void
  ) {
    if let handler = handler(for: publish.app) {
      Task {
        do throws(OriginRefusal) { then(.success(try await handler.open(publish))) } catch { then(.failure(error)) }
      }
      return
    }
    do throws(OriginRefusal) {
      let path = try path(of: publish)
      try admitPublish(path, query: publish.query)
      let publisher = Publisher.encoder(publish.encoderProtocol, address: publish.client)
      guard let registry = state.withLock({ $0.registry }) else {
        return then(.success(try beginPublish(path, by: publisher, stop: publish.stop)))
      }
      guard !isPublishedHere(path) else { throw OriginRefusal(.inUse, path) }
      Task {
        do throws(OriginRefusal) {
          let claim = try await registry.claim(path, refused: publish.stop)
          then(.success(try beginPublish(path, by: publisher, claim: claim, stop: publish.stop)))
        } catch { then(.failure(error)) }
      }
    } catch { then(.failure(error)) }
  }

  private func path(of publish: IncomingPublish) throws(OriginRefusal) -> StreamPath {
    guard let path = StreamPath(app: publish.app, stream: publish.stream) else {
      throw OriginRefusal(app: publish.app, stream: publish.stream)
    }
    return path
  }

  // MARK: Playing

  /// Admits a player with a signed URL. Without a key for signatures, admits any player.
  /// - Parameter file: the URL's path with its extension: "/app/stream.flv".
  package func admitPlay(_ file: String, query: String) throws(OriginRefusal) { try check(file, query, for: .play) }

  private func check(_ file: String, _ query: String, for purpose: HotlinkProtection.Purpose) throws(OriginRefusal) {
    do throws(HotlinkRefusal) {
      try settings.protection.check(
        path: file, query: query, for: purpose, unixTime: Int64(Date().timeIntervalSince1970))
    } catch { throw OriginRefusal(error) }
  }

  /// Makes a stream of another server available, if it is not published here, for the next seconds. Call it before
  /// ``view(_:over:forServer:)``.
  package func prepare(_ path: StreamPath) async throws(OriginRefusal) {
    guard let puller = state.withLock({ $0.puller }), !isPublishedHere(path) else { return }
    try await puller.prepare(path)
  }

  /// Does the work of ``prepare(_:)`` for a stream that is there. Returns false if the stream may have to be found.
  func keep(_ path: StreamPath) -> Bool {
    guard let puller = state.withLock({ $0.puller }), !isPublishedHere(path) else { return true }
    return puller.keep(path)
  }

  /// Whether `prepare` would have to look for a stream elsewhere.
  func isPreparing(_ path: StreamPath) -> Bool {
    state.withLock { $0.puller } != nil && known(path)?.statistics.isPublished != true
  }

  /// Returns whether a stream is published by an encoder or a job of this server, or made by it.
  func isPublishedHere(_ path: StreamPath) -> Bool {
    guard known(path)?.statistics.isPublished == true else { return false }
    return entry(at: path)?.publish.map { !$0.publisher.isPull } ?? false
  }

  /// Returns the stream at a path, which is published, waits for its publisher to reconnect, or is made on demand. Returns nil
  /// if there is none.
  /// - Throws: if the stream could be made, but a limit of the server is reached.
  func stream(at path: StreamPath) throws(OriginRefusal) -> StreamHub? {
    let there = known(path)
    // A stream that was made on demand and has ended is made again.
    if let there, there.statistics.isPublished { return there }
    for maker in state.withLock({ $0.makers }) where try maker(path) { return known(path) }
    return there
  }

  /// Returns the stream at a path, published or waiting for its publisher to reconnect; nil if there is none.
  func known(_ path: StreamPath) -> StreamHub? { directory.stream(at: path) }

  /// A viewer of a stream, counted until this object is released.
  final class Viewing: Sendable {
    let hub: StreamHub
    let path: StreamPath
    let viewingProtocol: ViewingProtocol
    private let hold: PathReference
    /// The number of viewers that this one stands for.
    private let viewers = Atomic(1)
    private let isServer: Bool

    fileprivate init(
      _ hub: StreamHub, _ path: StreamPath, _ viewingProtocol: ViewingProtocol, _ hold: PathReference, isServer: Bool
    ) {
      self.isServer = isServer
      self.hub = hub
      self.path = path
      self.viewingProtocol = viewingProtocol
      self.hold = hold
      hold.stream.changeViewers(viewingProtocol, by: 1)
      if isServer { hold.stream.changePulls(by: 1) }
    }

    /// Sets the number of viewers that this one stands for: the players of a stream that is read once for all of them.
    func stands(for count: Int) {
      let before = viewers.exchange(count, ordering: .relaxed)
      if before != count { hold.stream.changeViewers(viewingProtocol, by: count - before) }
    }

    deinit {
      if isServer { hold.stream.changePulls(by: -1) }
      hold.stream.changeViewers(viewingProtocol, by: -viewers.load(ordering: .relaxed))
      hold.origin.state.withLock { $0.viewers -= 1 }
    }
  }

  /// Admits one more viewer of a stream.
  /// - Parameter forServer: whether another server of the cluster is the viewer, which gets only what this one does not pull.
  func view(
    _ path: StreamPath, over viewingProtocol: ViewingProtocol, forServer: Bool = false
  ) throws(OriginRefusal) -> Viewing {
    guard let hub = try stream(at: path) else { throw .notFound(path) }
    if forServer, hub.statistics.isPublished, !isPublishedHere(path) { throw .notFound(path) }
    let refusal: OriginRefusal? = state.withLock { state in
      guard !state.isStopping else { return OriginRefusal(.stopping, "the server is stopping") }
      guard state.viewers < settings.viewers else {
        return OriginRefusal(.viewers, "the server's limit of \(settings.viewers) viewers is reached")
      }
      state.viewers += 1
      return nil
    }
    if let refusal { throw refusal }
    return Viewing(hub, path, viewingProtocol, hold(path), isServer: forServer)
  }

  // MARK: Watching

  /// Keeps an observer registered until this object is released.
  final class Watch: Sendable {
    private let hold: PathReference
    private let observer: Int

    fileprivate init(_ hold: PathReference, _ observer: Int) {
      self.hold = hold
      self.observer = observer
    }

    deinit { hold.stream.forget(observer: observer) }
  }

  /// Calls `onMedia` after each message of a stream, and at its end, on the publisher's thread: `onMedia` must only schedule
  /// work. The stream need not exist yet.
  func watch(_ path: StreamPath, onMedia: @escaping @Sendable () -> Void) -> Watch {
    let hold = hold(path)
    return Watch(hold, hold.stream.observe(onMedia))
  }

  // MARK: Doors and makers

  /// Installs a handler for publishes to an application, which replaces the streams of the origin.
  package func install(_ handler: PublishHandler, for app: String) { state.withLock { $0.handlers[app] = handler } }

  /// Returns the handler of publishes to an application; nil if the origin handles them.
  package func handler(for app: String) -> PublishHandler? { state.withLock { $0.handlers[app] } }

  /// Makes a stream on demand, such as a variant. Returns whether the stream at that path exists now.
  package typealias StreamMaker = @Sendable (_ path: StreamPath) throws(OriginRefusal) -> Bool

  package func install(_ maker: @escaping StreamMaker) { state.withLock { $0.makers.append(maker) } }

  /// Makes this server's streams those of a cluster: publishes are entered in the registry, and streams of others are pulled.
  func install(_ registry: any StreamRegistry, _ puller: StreamPuller) {
    state.withLock { ($0.registry, $0.puller) = (registry, puller) }
  }

  /// Installs the observer of encoders.
  package func install(_ observer: EncoderObserver) { state.withLock { $0.encoders = observer } }

  // MARK: What there is

  /// The state of each path that a client publishes, watches or waits for.
  var entries: [StreamPath: OriginStream] { state.withLock { $0.streams.mapValues(\.stream) } }

  /// Returns the streams that are made of another one in other sizes.
  func variants(of path: StreamPath) -> [OriginStream] {
    guard StreamVariant(path.stream) == nil else { return [] }
    let prefix = "\(path.stream)_"
    return state.withLock { state in
      // Few names have the prefix, and only those are parsed.
      state.streams.filter { $0.key.stream.hasPrefix(prefix) && $0.key.variantSource == path }.map(\.value.stream)
    }
  }

  /// Returns the state of a path; nil if there is none.
  func entry(at path: StreamPath) -> OriginStream? { state.withLock { $0.streams[path]?.stream } }

  /// All streams, published or waiting for their publishers, sorted by path.
  var streams: [(path: StreamPath, hub: StreamHub)] { directory.streams }

  /// Asks the publisher of a stream to end. Returns false if there is none.
  func endPublish(_ path: StreamPath, reason: String) -> Bool {
    guard let publish = entry(at: path)?.publish else { return false }
    publish.stop(reason)
    return true
  }

  /// The addresses of this server that publish URLs may contain.
  package var addresses: OwnAddresses {
    get { state.withLock { $0.addresses } }
    set { state.withLock { $0.addresses = newValue } }
  }

  // MARK: Inside

  /// Keeps the state of a path.
  final class PathReference: Sendable {
    fileprivate let origin: Origin
    let stream: OriginStream
    private let path: StreamPath

    fileprivate init(_ origin: Origin, _ stream: OriginStream, _ path: StreamPath) {
      self.origin = origin
      self.stream = stream
      self.path = path
    }

    deinit { origin.release(path) }
  }

  private func hold(_ path: StreamPath) -> PathReference {
    let stream = state.withLock { state in
      let entry = state.streams[path] ?? (OriginStream(), 0)
      state.streams[path] = (entry.stream, entry.holds + 1)
      return entry.stream
    }
    return PathReference(self, stream, path)
  }

  private func release(_ path: StreamPath) {
    state.withLock { state in
      guard let entry = state.streams[path] else { return }
      state.streams[path] = entry.holds > 1 ? (entry.stream, entry.holds - 1) : nil
    }
  }

  /// Ends the streams whose publishers did not reconnect, and notifies their viewers.
  private func tick() {
    let now = Self.now()
    guard let deadline = directory.deadline, now >= deadline else { return }
    let before = directory.streams.map(\.path)
    directory.advance(to: now)
    for path in before where directory.stream(at: path) == nil {
      entry(at: path)?.wake()
    }
  }

  /// Rejects new publishers and viewers from now on.
  package func quiesce() {
    let ticking = state.withLock { state in
      state.isStopping = true
      return state.ticking
    }
    ticking?.cancel()
  }

  /// Ends the threads. No publisher or viewer may be left.
  package func stop() async {
    quiesce()
    try? await group.shutdownGracefully()
  }
}
