import Foundation
import Logging
import RoomLinux
import RoomOriginServer
import RoomRTP
import RoomProtocol
import RoomState
import RoomToken
import RoomEngine
import RoomSFU
import RoomWebhooks

/// The rooms of this server by name, and the state that outlives a room: the tokens of kicked users, and the join rates.
package actor RoomDirectory {
  private nonisolated let ground: ServerGround
  private nonisolated var configuration: ServerConfiguration { ground.configuration }
  private let plane: MediaPlane
  private nonisolated var counters: ServerCounters { ground.counters }
  package nonisolated let broadcasts: BroadcastDirectory
  package nonisolated let mixes: MixDirectory
  nonisolated let players: PlayerDirectory
  private let events: any WebhookEventSink
  private nonisolated var log: Logger { ground.log }
  private var rooms: [RoomName: Room] = [:]
  /// Rooms that move to another server: not to be restored here meanwhile.
  private var moving: Set<RoomName> = []
  private var isStopping = false
  /// The drain in progress; nil while rooms may be opened.
  package private(set) var drain: DrainOrder?
  /// The longest time between two requests of a watch page, in microseconds.
  package static let longestPagePause: Int64 = 12_000_000
  /// The last request of a watch page; nil if there was none.
  package private(set) var lastPage: Instant?
  /// Joins that arrive before all stored rooms are restored wait.
  private var isRestoring: Bool
  package nonisolated let store: StoreWriter?
  private nonisolated let neighbours: Neighbours
  /// Nil for a server that runs all rooms alone.
  package nonisolated var ownership: (any RoomOwnership)? { neighbours.ownership }
  /// The latest restoration of a room from the cluster's store. They run one after the other.
  private var adoption: Task<Void, Never>?

  /// The tokens of kicked users.
  package nonisolated var kicked: Guarded<KickedTokens> { ground.kicked }
  /// What lists show of each room, as the room publishes it. Behind a lock, so that a list waits for no room.
  package nonisolated var summaries: Guarded<[RoomName: RoomSummary]> { ground.summaries }
  /// Calls of ``drop(_:)`` in progress.
  private var dropping = 0
  /// Whether this server owns all rooms that it runs.
  package var isSettled: Bool { dropping == 0 && rooms.keys.allSatisfy { ownership?.owns($0) ?? true } }
  /// Whether ``drain`` is in progress, for callers that do not wait.
  package nonisolated let isDraining = Guarded(false)
  /// Set when the server listens: a port may be chosen by the kernel.
  package nonisolated let play = Guarded(PlayAddresses())

  /// - Parameters:
  ///   - origin: the server's own live streams; nil for none.
  ///   - store: nil stores nothing.
  package init(
    _ ground: ServerGround, plane: MediaPlane, origin: Origin? = nil, store: StoreWriter? = nil,
    neighbours: Neighbours = Neighbours(), events: any WebhookEventSink = NoWebhookEvents()
  ) {
    let (configuration, counters, log) = (ground.configuration, ground.counters, ground.log)
    self.ground = ground
    self.store = store
    self.neighbours = neighbours
    isRestoring = store != nil
    self.plane = plane
    self.events = events
    broadcasts = BroadcastDirectory(
      configuration.relay, origin: origin.map { BroadcastOrigin(origin: $0) }, count: { counters.count($0) }, store: store,
      events: events, log: log)
    mixes = MixDirectory(configuration.relay)
    players = PlayerDirectory(configuration.players, mixes: mixes, log: log)
  }

  /// Restores the stored rooms, before the first client connects.
  package func restore(_ stored: StoredServer) async {
    broadcasts.restore(begun: stored.broadcasts)
    for (name, reason) in stored.unreadable {
      log.error("a stored room can't be read and is set aside", metadata: ["room": "\(name)", "reason": "\(reason)"])
    }
    if !stored.setAside.isEmpty {
      log.warning(
        "stored rooms are set aside", metadata: ["rooms": "\(stored.setAside.map(\.rawValue).sorted().joined(separator: " "))"])
    }
    let rooms = stored.rooms.sorted { $0.key < $1.key }
    for (name, room) in rooms { _ = make(name, room.options, stored: room.state) }
    for (name, room) in rooms { await self.rooms[name]?.restore(room, images: stored.images[name] ?? [:]) }
    broadcasts.forgetStartTimes()
    isRestoring = false
    if !rooms.isEmpty { log.info("rooms restored", metadata: ["rooms": "\(rooms.count)"]) }
  }

  /// Returns the room of that name, if it is open.
  package func room(_ name: RoomName) -> Room? { rooms[name] }

  /// Returns a room for calls of other rooms, whichever node owns it.
  package func peer(_ name: RoomName) -> (any PeerRoom)? { neighbours.peer.map { $0(name) } ?? rooms[name] }

  /// All rooms, sorted by name.
  package var all: [Room] { rooms.values.sorted { $0.name < $1.name } }

  /// Returns the room that a token names. Creates it if it does not exist and the server creates rooms on join.
  package func room(joinedWith token: RoomToken) throws(RoomError) -> Room {
    guard !isStopping else { throw RoomError(.joinFailed, "the server is stopping") }
    guard !isRestoring else { throw RoomError(.joinFailed, "the server is starting; try again in a second") }
    if let room = rooms[token.room] { return room }
    if let drain { throw drain.error(.joinFailed) }
    guard configuration.autoCreateRooms else {
      throw Self.noSuchRoom(token.room)
    }
    guard hasSpace else { throw RoomError(.joinFailed, capacityError) }
    return make(token.room, RoomSettingsOptions(emptyTime: configuration.rooms.autoCreatedEmptyTime))
  }

  /// Returns why the room of a publisher's token would not admit it, by the list of rooms. Nil means that the room decides. Does not
  /// wait for the room.
  package nonisolated func refusal(ofPublisher token: RoomToken) -> RoomError? {
    guard let room = summaries.withLock({ $0[token.room] }) else {
      // Another node of a cluster may have the room.
      return configuration.autoCreateRooms || ownership != nil ? nil : Self.noSuchRoom(token.room)
    }
    guard let full = room.full, !room.users.contains(token.user) else { return nil }
    counters.count(limit: .participants)
    return RoomError(.joinFailed, full)
  }

  private static func noSuchRoom(_ name: RoomName) -> RoomError {
    RoomError(.noSuchRoom, "there is no room \"\(name)\"; create it by POST /v1/rooms")
  }

  // MARK: Rooms of a cluster

  /// Makes this server the owner of a room before it is opened, and restores what is stored of it.
  /// - Throws: an error of this code, with `redirect` if another server owns the room.
  package func prepare(_ name: RoomName, or code: ErrorCode) async throws(RoomError) {
    guard let ownership, !isStopping else { return }
    if rooms[name] != nil, ownership.owns(name) { return }
    // A node that drains becomes the owner of no room.
    if var drain, !ownership.owns(name) {
      drain.redirect = await ownership.elsewhere(name) ?? drain.redirect
      throw drain.error(code)
    }
    try await ownership.acquire(name, or: code)
    if rooms[name] == nil { await adopt([name]) }
  }

  /// Restores rooms that this server owns from the cluster's store. Rooms in a PK are restored together.
  package func adopt(_ names: [RoomName]) async {
    let last = adoption
    let task = Task {
      await last?.value
      await self.restoreOwned(names)
    }
    adoption = task
    await task.value
  }

  private func restoreOwned(_ names: [RoomName]) async {
    let names = names.filter { rooms[$0] == nil && !moving.contains($0) }
    guard let ownership, !isStopping, !names.isEmpty else { return }
    let stored: StoredServer
    do { stored = try await ownership.load(names) } catch {
      log.error("rooms can't be loaded", metadata: ["rooms": "\(names)", "reason": "\(error)"])
      return
    }
    for (name, reason) in stored.unreadable {
      log.error("a stored room can't be read", metadata: ["room": "\(name)", "reason": "\(reason)"])
    }
    guard !isStopping else { return }
    let owned = stored.rooms.filter { rooms[$0.key] == nil && ownership.owns($0.key) }
    broadcasts.restore(begun: stored.broadcasts)
    for (name, room) in owned {
      store?.moved(name)
      _ = make(name, room.options, stored: room.state)
    }
    for (name, room) in owned { await rooms[name]?.restore(room, images: stored.images[name] ?? [:]) }
    // The start times belong to rooms of other servers.
    broadcasts.restore(begun: [:])
    for name in owned.keys { log.info("room taken over", metadata: ["room": "\(name)"]) }
  }

  /// Takes rooms that move out of the directory, until ``endMove(of:)``. They stay stored.
  package func beginMove(of names: [RoomName]) -> [Room] {
    moving.formUnion(names)
    return names.compactMap { rooms.removeValue(forKey: $0) }
  }

  package func endMove(of names: [RoomName]) { moving.subtract(names) }

  /// Waits until a room that this server owns has been restored, if it is about to be.
  package func restored(_ name: RoomName) async {
    if rooms[name] == nil, ownership?.owns(name) == true { await adopt([name]) }
  }

  /// Forgets a room that has closed by itself before it moved.
  package func forget(unmoved room: Room) {
    guard rooms[room.name] == nil else { return }
    rooms[room.name] = room
    forget(room)
  }

  /// Gives up the ownership of a room that is not open. When the server stops, another takes the room over.
  package func releaseUnlessOpen(_ name: RoomName) async {
    if rooms[name] == nil, !isStopping { await ownership?.release(name) }
  }

  /// Ends rooms that another server owns from now on. They stay stored.
  package func drop(_ names: [RoomName]) async {
    let dropped = names.compactMap { rooms.removeValue(forKey: $0) }
    dropping += 1
    defer { dropping -= 1 }
    for name in names { store?.moved(name) }
    // Another server owns them, or takes them over within seconds.
    for room in dropped { await room.close(EndedData(reason: .serverStopping, redirect: ownership?.alternative)) }
  }

  /// Creates a room for the API. The second value is false if the room already existed.
  /// - Parameter attributes: those of a new room; valid ones.
  package func create(
    _ name: RoomName, _ options: RoomSettingsOptions, attributes: [String: String] = [:]
  ) throws(RoomError) -> (Room, isNew: Bool) {
    guard !isStopping else { throw RoomError(.updateRoomFailed, "the server is stopping") }
    if let room = rooms[name] { return (room, false) }
    if let drain { throw drain.error(.updateRoomFailed) }
    guard hasSpace else { throw RoomError(.updateRoomFailed, capacityError) }
    let room = make(name, options, attributes: attributes)
    store?.changed(room)
    return (room, true)
  }

  /// Reports an event of a room that may be closed.
  package nonisolated func report(_ event: WebhookEvent) { events.tell(event) }

  /// Releases the messages that a socket holds back once all changes so far are stored.
  package nonisolated func release(_ hold: SendBarrier, of socket: any SignalOutlet) {
    guard let store else { return socket.release(hold) }
    store.whenWritten(store.newest) { _ in socket.release(hold) }
  }

  /// Removes a room that has closed.
  package func forget(_ room: Room) {
    guard rooms[room.name] === room else { return }
    rooms[room.name] = nil
    guard let ticket = store?.gone(room.name), ownership != nil else { return }
    store?.whenWritten(ticket) { [weak self] _ in
      Task { await self?.releaseUnlessOpen(room.name) }
    }
  }

  /// Ends all sessions, closes all rooms and creates no more. Stored rooms stay stored.
  package func stop() async {
    isStopping = true
    // After a redirect the other server runs the rooms and their jobs.
    // In a cluster another server takes them over from the store.
    await store?.stop(closed: drain?.redirect == nil || ownership != nil ? [] : all.map(\.name))
    for room in all { await room.close(EndedData(reason: .serverStopping, redirect: drain?.redirect)) }
    await broadcasts.stop()
  }

  /// Ends the threads of broadcasts and mixes. A later call to one of them, for example to read its metrics, never returns, so
  /// no caller may be left.
  package func endThreads() async {
    await broadcasts.endThreads()
    await players.stop()
    await mixes.stop()
  }

  package func setDrain(_ order: DrainOrder?) {
    drain = order
    isDraining.withLock { $0 = order != nil }
  }

  /// Returns the server that takes over, for a watch page.
  package func redirect(forPageAt now: Instant) -> String? {
    lastPage = now
    return drain?.redirect
  }

  private var hasSpace: Bool {
    if rooms.count < configuration.limits.rooms { return true }
    counters.count(limit: .rooms)
    return false
  }

  private var capacityError: String { "the server's limit of \(configuration.limits.rooms) rooms is reached" }

  /// Returns the settings of the API call, with the server's defaults for those that it left out.
  package nonisolated func settings(for options: RoomSettingsOptions) -> RoomCore.Settings {
    let most = configuration.limits.participantsPerRoom
    var rules = configuration.rooms.rules
    if let host = options.host { rules.hostIsSeated = host }
    rules.pkApart = options.pkApart
    if let time = options.graceTime { rules.pkGraceTime = time.milliseconds }
    if let time = options.requestTime { (rules.requestTime, rules.invitationTime) = (time.milliseconds, time.milliseconds) }
    var settings = RoomCore.Settings(
      graceTime: options.graceTime ?? configuration.rooms.graceTime,
      emptyTime: options.emptyTime ?? configuration.rooms.emptyTime,
      participants: min(options.participants ?? most, most), limits: configuration.limits.inRooms,
      pingInterval: configuration.keepAlive.pingInterval)
    settings.connectTime = configuration.rooms.connectTime
    settings.iceServers = configuration.iceServers
    settings.push = options.push ?? configuration.relay.policy
    settings.pk = options.pk ?? settings.pk
    settings.stage = options.stage ?? settings.stage
    settings.audience = options.audience ?? configuration.rooms.audience
    settings.watch = options.watch ?? configuration.rooms.watch
    settings.watchFallback = configuration.rooms.watchFallback
    settings.rules = rules
    settings.options = options
    settings.records = configuration.relay.recordings != nil
    return settings
  }

  /// Whether a join may open a room, or finds it open. Does not wait for the room. In a cluster its node decides.
  package nonisolated func mayOpen(_ room: RoomName) -> Bool {
    configuration.autoCreateRooms || ownership != nil || summaries.withLock { $0[room] != nil }
  }

  /// Whether a room is open, here or at another server, or a join may open it.
  /// - Throws: 80302 if that is not known now.
  package func admits(_ room: RoomName) async throws(RoomError) -> Bool {
    if configuration.autoCreateRooms || rooms[room] != nil { return true }
    return try await ownership?.isOpen(room) ?? false
  }

  /// Revokes the tokens of a user that are valid since a time or longer, or that do not say since when.
  package nonisolated func revokeTokens(of user: UserID, in room: RoomName, issuedUpTo time: Date) {
    revoke(StoredKick(of: user, in: room, issuedUpTo: time))
  }

  private nonisolated func revoke(_ kick: StoredKick) {
    if !kicked.withLock({ $0.insert(kick) }) { counters.count(limit: .kickedTokens) }
    store?.note(.kicked(kick))
  }

  private func make(
    _ name: RoomName, _ options: RoomSettingsOptions, stored: RoomState? = nil, attributes: [String: String] = [:]
  ) -> Room {
    var settings = settings(for: options)
    if let stored { settings.rules = stored.rules }
    var dependencies = RoomDependencies(
      fingerprint: plane.fingerprint,
      kicked: { [weak self] token in self?.revoke(StoredKick(token)) },
      closed: { [weak self] in await self?.forget($0) },
      count: { [counters] in counters.count($0) }, broadcasts: broadcasts, mixes: mixes,
      players: players,
      peer: { [weak self] name in await self?.peer(name) },
      sign: { [keys = ground.keys] token in keys.keys.first.flatMap { try? keys.sign(token, key: $0) } },
      listed: { [summaries] name, summary in summaries.withLock { $0[name] = summary } }, store: store,
      relay: configuration.relay, play: { [play] in play.withLock { $0 } }, log: log, events: events)
    dependencies.matchmaking = neighbours.matchmaking
    let room = Room(name: name, settings: settings, dependencies: dependencies, stored: stored, attributes: attributes) {
      [plane] in
      plane.openRoom(events: $0)
    }
    rooms[name] = room
    if stored == nil {
      dependencies.report(
        .roomCreated, WebhookEventData.Created(createdAt: room.createdAt), room: name, session: room.session)
      log.info("room opened", metadata: ["room": "\(name)"])
    }
    return room
  }
}
