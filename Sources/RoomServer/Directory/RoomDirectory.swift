import Logging
import NIOConcurrencyHelpers
import OriginServer
import RTP
import RoomProtocol
import RoomState
import RoomToken
import Rooms
import SFU
import Webhooks

/// The rooms of this server by name, and what has to outlive a room: the tokens of kicked users, and how often who joins.
actor RoomDirectory {
  private let configuration: ServerConfiguration
  private let plane: MediaPlane
  private let counters: ServerCounters
  private let keys: TokenKeys?
  nonisolated let broadcasts: BroadcastDirectory
  nonisolated let mixes: MixDirectory
  private let events: any WebhookEventSink
  private let log: Logger
  private var rooms: [RoomName: Room] = [:]
  private var isStopping = false
  /// Nil while rooms may be opened.
  private(set) var drain: DrainOrder?
  /// Those who come before all stored rooms are there again wait a little.
  private var isRestoring: Bool
  nonisolated let store: StoreWriter?

  /// Behind locks and not in the actor: a kicked token has to be dead before the kick is told.
  nonisolated let kicked: NIOLockedValueBox<KickedTokens>

  init(
    configuration: ServerConfiguration, plane: MediaPlane, origin: Origin? = nil, keys: TokenKeys? = nil,
    kicked: NIOLockedValueBox<KickedTokens>? = nil, counters: ServerCounters, store: StoreWriter? = nil,
    events: any WebhookEventSink = NoWebhookEvents(), log: Logger
  ) {
    self.store = store
    isRestoring = store != nil
    self.configuration = configuration
    self.plane = plane
    self.keys = keys
    self.counters = counters
    self.events = events
    broadcasts = BroadcastDirectory(
      configuration.relay, origin: origin.map { BroadcastOrigin(origin: $0) }, count: { counters.count($0) }, store: store,
      log: log)
    mixes = MixDirectory(configuration.relay)
    self.log = log
    self.kicked = kicked ?? NIOLockedValueBox(KickedTokens(capacity: configuration.limits.kickedTokens))
  }

  /// Takes up the rooms that were stored, before anybody comes.
  func restore(_ stored: StoredServer) async {
    broadcasts.restore(begun: stored.broadcasts)
    for (name, reason) in stored.unreadable {
      log.error("a stored room can't be read and is set aside", metadata: ["room": "\(name)", "reason": "\(reason)"])
    }
    if !stored.setAside.isEmpty {
      log.warning(
        "stored rooms are set aside", metadata: ["rooms": "\(stored.setAside.map(\.rawValue).sorted().joined(separator: " "))"])
    }
    let rooms = stored.rooms.sorted { $0.key < $1.key }
    for (name, room) in rooms { _ = make(name, room.wishes, stored: room.state) }
    for (name, room) in rooms { await self.rooms[name]?.restore(room, images: stored.images[name] ?? [:]) }
    broadcasts.forgetBegun()
    isRestoring = false
    if !rooms.isEmpty { log.info("rooms restored", metadata: ["rooms": "\(rooms.count)"]) }
  }

  /// The room of that name, if it is open.
  func room(_ name: RoomName) -> Room? { rooms[name] }

  /// All rooms, by name.
  var all: [Room] { rooms.values.sorted { $0.name < $1.name } }

  /// The rooms whose names follow `name`, by name.
  /// - Parameters:
  ///   - name: where the page before ended; nil for the first page.
  ///   - limit: how many at most.
  /// - Returns: the rooms, and whether others follow.
  func page(after name: RoomName?, limit: Int) -> (rooms: [Room], hasMore: Bool) {
    let names = rooms.keys.filter { key in name.map { key > $0 } ?? true }.sorted()
    return (names.prefix(limit).compactMap { rooms[$0] }, names.count > limit)
  }

  /// The room that a token names; made where it is not there and the server makes rooms by itself.
  func room(joinedWith token: RoomToken) throws(RoomError) -> Room {
    guard !isStopping else { throw RoomError(.joinFailed, "the server is stopping") }
    guard !isRestoring else { throw RoomError(.joinFailed, "the server is starting; try again in a second") }
    if let room = rooms[token.room] { return room }
    if let drain { throw drain.error(.joinFailed) }
    guard configuration.autoCreateRooms else {
      throw RoomError(.noSuchRoom, "there is no room \"\(token.room)\"; create it by POST /v1/rooms")
    }
    guard hasSpace else { throw RoomError(.joinFailed, fullSentence) }
    return make(token.room, RoomWishes(emptyTime: configuration.rooms.autoCreatedEmptyTime))
  }

  /// Creates a room for the API; the second value is false where it was there already.
  func create(_ name: RoomName, _ wishes: RoomWishes) throws(RoomError) -> (Room, isNew: Bool) {
    guard !isStopping else { throw RoomError(.updateRoomFailed, "the server is stopping") }
    if let room = rooms[name] { return (room, false) }
    if let drain { throw drain.error(.updateRoomFailed) }
    guard hasSpace else { throw RoomError(.updateRoomFailed, fullSentence) }
    let room = make(name, wishes)
    store?.changed(room)
    return (room, true)
  }

  /// Lets out what a socket holds once all changes so far are stored.
  nonisolated func release(_ hold: SignalHold, of socket: any SignalOutlet) {
    guard let store else { return socket.release(hold) }
    store.whenWritten(store.newest) { _ in socket.release(hold) }
  }

  /// Forgets a room that has closed.
  func forget(_ room: Room) {
    guard rooms[room.name] === room else { return }
    rooms[room.name] = nil
    store?.gone(room.name)
  }

  /// Ends all sessions and closes all rooms; none is made any more. What is stored of them stays.
  func stop() async {
    isStopping = true
    // Who moves to another server begins its jobs there.
    await store?.stop(closed: drain?.redirect == nil ? [] : all.map(\.name))
    for room in all { await room.close(EndedData(reason: .serverStopping, redirect: drain?.redirect)) }
    await broadcasts.stop()
  }

  /// Ends the threads of broadcasts and mixes. Whoever asks one of these afterwards, for the metrics for instance, waits for ever: nobody
  /// may be left who does.
  func endThreads() async {
    await broadcasts.endThreads()
    await mixes.stop()
  }

  func setDrain(_ order: DrainOrder?) { drain = order }

  private var hasSpace: Bool {
    if rooms.count < configuration.limits.rooms { return true }
    counters.count(limit: .rooms)
    return false
  }

  private var fullSentence: String { "the server has \(configuration.limits.rooms) rooms and takes no more" }

  /// What was asked for, and the server's own for all else.
  nonisolated func settings(for wishes: RoomWishes) -> RoomCore.Settings {
    let most = configuration.limits.participantsPerRoom
    var rules = configuration.rooms.rules
    if let host = wishes.host { rules.hostIsSeated = host }
    if let time = wishes.graceTime { rules.pkGraceTime = time.milliseconds }
    if let time = wishes.requestTime { (rules.requestTime, rules.invitationTime) = (time.milliseconds, time.milliseconds) }
    var settings = RoomCore.Settings(
      graceTime: wishes.graceTime ?? configuration.rooms.graceTime,
      emptyTime: wishes.emptyTime ?? configuration.rooms.emptyTime,
      participants: min(wishes.participants ?? most, most), limits: configuration.limits.inRooms,
      pingInterval: configuration.keepAlive.pingInterval)
    settings.connectTime = configuration.rooms.connectTime
    settings.iceServers = configuration.iceServers
    settings.push = wishes.push ?? configuration.relay.policy
    settings.pk = wishes.pk ?? settings.pk
    settings.stage = wishes.stage ?? settings.stage
    settings.audience = wishes.audience ?? configuration.rooms.audience
    settings.rules = rules
    settings.wishes = wishes
    return settings
  }

  private func make(_ name: RoomName, _ wishes: RoomWishes, stored: RoomState? = nil) -> Room {
    var settings = settings(for: wishes)
    if let stored { settings.rules = stored.rules }
    let dependencies = RoomDependencies(
      fingerprint: plane.fingerprint,
      kicked: { [kicked, counters, store] token in
        if !kicked.withLockedValue({ $0.insert(token) }) { counters.count(limit: .kickedTokens) }
        store?.note(.kicked(StoredKick(room: token.room, user: token.user, token: token.id, expires: token.expires)))
      },
      closed: { [weak self] in await self?.forget($0) },
      count: { [counters] in counters.count($0) }, broadcasts: broadcasts, mixes: mixes,
      peer: { [weak self] in await self?.room($0) },
      sign: { [keys] token in keys.flatMap { keys in keys.keys.first.flatMap { try? keys.sign(token, key: $0) } } },
      store: store, relay: configuration.relay, log: log, events: events)
    let room = Room(name: name, settings: settings, dependencies: dependencies, stored: stored) { [plane] in
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
