import Foundation
import RoomCodecs
import RoomLinux
import RoomLiveOrigin
import Logging
import RoomRTP
import RoomRelay
import RoomProtocol
import RoomState
import RoomToken
import RoomSFU
import RoomWebRTC

/// Runs a room: passes ``RoomCore`` its inputs one after the other, with the time, and performs its outputs in order.
///
/// Entry points call its methods, none of which waits for another room. Media workers, broadcasts and other rooms report to its
/// inbox.
package actor Room: StoredSource {
  package nonisolated let name: RoomName
  /// Milliseconds since 1970.
  package nonisolated let createdAt: Int64
  /// Differs each time a room of this name is created; a restarted server continues it.
  package nonisolated var session: String { "RS_" + String(createdAt, radix: 36) }
  nonisolated let inbox = RoomInbox()
  private(set) var core: RoomCore
  let media: MediaRoom
  nonisolated let dependencies: RoomDependencies
  private let log: Logger
  private let programs: RoomPrograms
  private var sockets: RoomSockets
  /// The result of the last call of the API.
  private var reply: Result<any Codable & Sendable, RoomError>?
  /// The ticket of the latest change passed to the store.
  private var change = StoreTicket()
  private var peers: RoomPeers
  private var players: [UserID: any RoomPlayer] = [:]
  /// The number of the current lending to each borrower.
  private var lendings: [Borrower: Int] = [:]
  private var lastLending = 0
  private var alarm = RoomAlarm()
  private var isCarryingOut = false
  /// What lists show of the room; nil once it has closed.
  private var shown: RoomSummary?
  private var hasReportedClosed = false
  private var hasDeparted = false
  /// Ends once the room and its jobs have ended.
  private nonisolated let (over, overReached) = AsyncStream.makeStream(of: Never.self)

  /// - Parameters:
  ///   - stored: the state from before the server stopped; call ``restore(_:images:)`` afterwards.
  ///   - attributes: those of a new room; valid ones.
  package init(
    name: RoomName, settings: RoomCore.Settings, dependencies: RoomDependencies, stored: RoomState? = nil,
    attributes: [String: String] = [:], openMedia: @Sendable (@escaping @Sendable (MediaEvent) -> Void) -> MediaRoom
  ) {
    self.name = name
    self.dependencies = dependencies
    var log = dependencies.log
    log[metadataKey: "room"] = "\(name)"
    self.log = log
    media = openMedia { [inbox] in inbox.post(.media($0)) }
    peers = RoomPeers(of: name, find: dependencies.peer, inbox: inbox)
    sockets = RoomSockets(log: log, count: dependencies.count)
    let core = RoomCore(
      name: name, settings: settings.completed(by: dependencies, media), stored: stored, attributes: attributes, at: .now)
    self.core = core
    createdAt = core.createdAt
    shown = RoomSummary(of: core)
    programs = RoomPrograms(
      media: media, broadcasts: dependencies.broadcasts, mixes: dependencies.mixes, font: dependencies.relay.font,
      recorder: dependencies.recorder(of: name, session: "RS_" + String(core.createdAt, radix: 36)),
      onEvent: { [inbox] in inbox.post(.job($0, id: $1)) },
      renditionFailed: { [inbox] in inbox.post(.renditionFailed($0, $1)) })
    dependencies.listed(name, shown)
    Task { [weak self, inbox] in
      await self?.setAlarm()
      for await _ in inbox.wakeups {
        while let notice = inbox.next() { await self?.handle(notice) }
      }
    }
  }

  deinit { inbox.finish() }

  // MARK: Inputs

  /// Passes an input to the core and performs its outputs.
  func perform<Result, Failure: Error>(
    _ input: (inout RoomCore) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    core.advance(to: .now)
    defer { carryOut() }
    return try input(&core)
  }

  private func handle(_ notice: RoomInbox.Notice) {
    switch notice {
    case .media(let event): handle(event)
    case .job(.continued(_, let mix), let id):
      let mix = mix.flatMap { programs.id(of: $0) }
      perform { $0.continued(id, as: mix) }
    case .job(let event, let id):
      perform { $0.handle(event, of: id) }
      if case .ended = event { programs.forget(id) }
    case .lent(let tracks): perform { $0.borrow(tracks) }
    case .renditionFailed(let track, let reason): perform { $0.renditionFailed(track, reason) }
    case .forwarded(let user, let source, let tracks): perform { $0.receive(tracks, of: user, from: source) }
    }
  }

  func handle(_ event: MediaEvent) {
    guard case .messageReceived(let transport, let message) = event else { return perform { $0.handle(event) } }
    receive(message, on: transport)
  }

  private func setAlarm() { alarm.set(for: core.deadline) { [weak self] in await self?.wake() } }

  private func wake() async {
    alarm.hasRung()
    perform { _ in }
    await reportClosed()
  }

  /// Reports a closed room to the directory, once, so that it is removed.
  private func reportClosed() async {
    guard core.isClosed, !hasReportedClosed else { return }
    hasReportedClosed = true
    await dependencies.closed(self)
  }

  // MARK: Clients

  /// Joins a client, or resumes its session, and answers its request on `outlet`.
  /// - Parameters:
  ///   - annex: where its media is; nil for this server.
  ///   - traits: what its protocol needs.
  ///   - profile: what it shows of itself.
  ///   - data: how messages are exchanged with it; nil for the form of this server's own clients.
  ///   - memory: what its protocol keeps for its next connection.
  package func join(
    _ token: RoomToken, _ params: JoinParams, request: Int, outlet: any SignalOutlet, annex: MediaAnnexID? = nil,
    traits: ClientTraits = [], profile: ParticipantProfile? = nil, data: DataLink? = nil, memory: ClientMemory? = nil
  ) -> RoomCore.Joined {
    calling(on: outlet) { id in
      perform {
        $0.join(
          token, params, request: request, on: id, annex: annex, traits: traits, profile: profile, data: data, memory: memory)
      }
    }
  }

  /// The session that a user's client may resume, with what its protocol keeps of it; nil if there is none.
  package func returning(_ user: UserID) -> ReturningClient? { core.returning(user) }

  /// Performs a joined client's request and answers on `outlet`. The answer is sent before the events that the request causes,
  /// and after the change that it confirms is stored. The room does not wait for the store.
  package func handle(
    _ request: SignalRequest, session: SessionID, of user: UserID, outlet: any SignalOutlet
  ) -> RoomCore.Handled {
    // The client gets no answer, but the address of the room's next server.
    guard !hasDeparted else { return .continue }
    let before = change
    let hold = dependencies.store == nil ? nil : outlet.hold()
    let handled = calling(on: outlet) { id in perform { $0.handle(request, session: session, of: user, on: id) } }
    if let hold {
      if let store = dependencies.store, !sockets.wasRefused, change != before {
        store.whenWritten(change) { _ in outlet.release(hold) }
      } else {
        outlet.release(hold)
      }
    }
    return handled
  }

  /// Handles the loss of a session's socket.
  package func socketLost(_ session: SessionID, of user: UserID, outlet: any SignalOutlet) {
    perform { $0.connectionLost(session, of: user, ConnectionID(outlet)) }
  }

  /// Handles a message over a data channel.
  private func receive(_ message: DataMessage, on transport: TransportID) {
    guard let client = core.client(on: transport), let connection = client.connection, let data = client.data,
      !sockets.deliver(message, of: connection)
    else { return }
    let channel = message.isReliable ? data.channels.reliable : data.channels.lossy
    guard message.label == channel.label, !message.isText, !client.isHidden, let frame = DataFrame(message.payload) else {
      return dependencies.count(.messageRefused)
    }
    send(
      DataContent(topic: frame.header.topic ?? "", payload: frame.payload), isReliable: message.isReliable,
      share: message.share,
      from: client.user, to: frame.header.to)
  }

  /// Sends a message over the data channels of participants, to each in its form.
  /// - Parameters:
  ///   - sender: receives nothing; nil for an app's server.
  ///   - users: the receivers; nil for all.
  package func send(
    _ content: DataContent, isReliable: Bool, share: DataShare? = nil, from sender: UserID?, to users: [UserID]?
  ) {
    let source = core.dataSender(sender)
    for receivers in core.dataReceivers(users, besides: sender) {
      guard let payload = receivers.format.encode(content, from: source) else { continue }
      media.send(DataMessage(isReliable: isReliable, payload: payload, share: share), to: receivers.transports)
    }
  }

  /// Sends a message in the form of one format.
  /// - Parameters:
  ///   - content: for receivers of other formats; nil if they get nothing.
  ///   - sender: receives nothing; nil for this server.
  ///   - users: the receivers; nil for all.
  /// - Returns: the number of receivers.
  @discardableResult package func send(
    _ message: DataMessage, in format: any DataFormat, content: DataContent? = nil, from sender: UserID? = nil,
    to users: [UserID]?
  ) -> Int {
    var count = 0
    let source = core.dataSender(sender)
    for receivers in core.dataReceivers(users, besides: sender) {
      var message = message
      if receivers.format.name != format.name {
        guard let other = content.flatMap({ receivers.format.encode($0, from: source) }) else { continue }
        message.payload = other
      }
      count += receivers.transports.count
      media.send(message, to: receivers.transports)
    }
    return count
  }

  private func calling<Result>(on outlet: any SignalOutlet, _ body: (ConnectionID) -> Result) -> Result {
    let id = sockets.beginCall(on: outlet)
    defer { sockets.endCall() }
    return body(id)
  }

  // MARK: Media at other servers

  /// Adds the media of this room at another server, which then serves clients.
  /// - Returns: nil if the room has closed.
  package func add(_ annex: any MediaAnnex, _ addresses: MediaAnnexAddresses) -> MediaAnnexID? {
    core.isClosed ? nil : media.add(annex, addresses)
  }

  /// Removes it: its transports have failed.
  package nonisolated func remove(_ annex: MediaAnnexID) { media.remove(annex) }

  /// Handles an event of it.
  package nonisolated func handle(_ event: MediaEvent, of annex: MediaAnnexID) { media.handle(event, of: annex) }

  // MARK: Sessions over HTTP, and encoders

  package nonisolated var sessions: RoomSessions { RoomSessions(room: self) }

  /// Adds an encoder's stream.
  /// - Parameter profile: what its participant shows of itself.
  package func publish(
    _ token: RoomToken, from encoder: any RoomEncoder, profile: ParticipantProfile? = nil
  ) -> RoomCore.Joined {
    let id = sockets.add(encoder)
    let joined = perform { $0.publish(token, from: id, by: encoder.encoderProtocol, profile: profile) }
    if case .joined = joined { encoder.enter(self) } else { sockets.remove(encoder) }
    return joined
  }

  /// Publishes a track of a stream. Returns nil if the stream's participant has left.
  package func publish(_ track: EncoderTrack, from encoder: any RoomEncoder) -> TrackInjection? {
    perform { $0.publish(track, from: ConnectionID(encoder)) }.flatMap { programs.takeInjection($0) }
  }

  /// Notes that an encoder's video is transcoded from now on.
  package func transcodes(_ source: String, from encoder: any RoomEncoder) {
    perform { $0.transcodes(source, from: ConnectionID(encoder)) }
  }

  /// Handles a stream whose connection closed or that stopped publishing.
  package func encoderLost(_ encoder: any RoomEncoder) {
    perform { $0.encoderLost(ConnectionID(encoder)) }
    sockets.remove(encoder)
  }

  /// Handles a stream that has ended by itself.
  package func encoderLeft(_ encoder: any RoomEncoder) {
    perform { $0.encoderLeft(ConnectionID(encoder)) }
    sockets.remove(encoder)
  }

  /// Handles a stream that the room can't accept.
  package func encoderFailed(_ encoder: any RoomEncoder, _ reason: String) {
    perform { $0.encoderFailed(ConnectionID(encoder), by: encoder.encoderProtocol, reason) }
  }

  // MARK: The API

  /// Performs a call of the API.
  @discardableResult package func call(_ call: SignalCall) throws(RoomError) -> any Codable & Sendable {
    try answered { core throws(RoomError) in try core.perform(call) }
  }

  private func answered(
    _ input: (inout RoomCore) throws(RoomError) -> (any Codable & Sendable)?
  ) throws(RoomError) -> any Codable & Sendable {
    reply = nil
    if let result = try perform(input) { return result }
    return try reply?.get() ?? Empty()
  }

  /// Starts a merge job that shows everybody in the room.
  /// - Throws: as the call that starts a merge job.
  package func startMerge(_ params: MergeParams, _ arrangement: RoomArrangement) throws(RoomError) {
    _ = try answered { core throws(RoomError) in
      try core.startMerge(params, arrangement)
      return nil
    }
  }

  /// Arranges a job that shows everybody in another way.
  /// - Throws: 80204 if there is no such job.
  package func setArrangement(_ arrangement: RoomArrangement, of id: JobID) throws(RoomError) {
    _ = try answered { core throws(RoomError) in try core.setArrangement(arrangement, of: id) }
  }

  /// Changes the room's settings.
  /// - Parameter settle: returns the settings for the options that apply after the change.
  /// - Throws: as ``RoomCore/change(_:)``.
  package func change(
    _ change: @Sendable (inout RoomSettingsOptions) -> Void, settle: @Sendable (RoomSettingsOptions) -> RoomCore.Settings
  ) throws(RoomError) {
    guard !core.isClosed else { throw RoomError(.notInRoom, "the room is closed") }
    var options = core.settings.options
    change(&options)
    let settings = settle(options).completed(by: dependencies, media)
    try perform { core throws(RoomError) in try core.change(settings) }
  }

  /// Changes what a participant shows of itself. The event about it is sent before this returns.
  /// - Parameter session: the caller's; nil for the API.
  /// - Throws: as ``RoomCore/changeProfile(of:_:_:)``.
  @discardableResult package func changeProfile(
    of user: UserID, session: SessionID? = nil, _ change: @Sendable (inout ParticipantProfile) -> Void
  ) throws(RoomError) -> ParticipantInfo {
    try perform { core throws(RoomError) in try core.changeProfile(of: user, session, change) }
  }

  /// Changes what a participant may do, until it leaves. The event about it is sent before this returns.
  /// - Throws: 80103 if there is no such participant.
  @discardableResult package func permit(
    _ user: UserID, _ permissions: Permissions
  ) throws(RoomError) -> ParticipantInfo {
    try perform { core throws(RoomError) in
      guard let info = core.permit(user, permissions) else { throw RoomCore.noSuchUser(user) }
      return info
    }
  }

  /// Sets who may receive a participant's tracks.
  /// - Throws: 80103 if there is no such participant or session.
  package func setSubscribers(
    _ permissions: SubscriptionPermissions, of user: UserID, session: SessionID
  ) throws(RoomError) {
    try perform { core throws(RoomError) in try core.setSubscribers(permissions, of: user, session) }
  }

  /// Changes what a participant receives.
  /// - Throws: 10003 for one that receives nothing, 80202 if there is no such track.
  package func setSubscriptions(_ selection: TrackSelection, wanted: Bool, of user: UserID) throws(RoomError) {
    try perform { core throws(RoomError) in try core.select(selection, wanted: wanted, by: user) }
  }

  package var settings: RoomCore.Settings { core.settings }

  /// Adds an image that mixes may show.
  package func setImage(_ name: String, _ picture: Picture, file: [UInt8]) throws(RoomError) {
    try programs.images.set(name, picture, bytes: file.count)
    imagesChanged()
    dependencies.store?.note(.image(room: self.name, name: name, file))
  }

  /// Removes an image. Returns false if there is none.
  package func removeImage(_ name: String) -> Bool {
    guard programs.images.remove(name) else { return false }
    imagesChanged()
    dependencies.store?.note(.image(room: self.name, name: name, nil))
    return true
  }

  private func imagesChanged() { core.images = programs.images.all.mapValues(\.version) }

  package var images: [String: RoomImages.Image] { programs.images.all }

  /// Resumes the stored state. All other rooms must exist already.
  package func restore(_ room: StoredRoom, images files: [String: [UInt8]]) {
    for (name, file) in files.sorted(by: { $0.key < $1.key }) {
      do throws(RoomError) {
        try programs.images.set(name, try RoomImages.read(file), bytes: file.count)
      } catch {
        log.warning("image could not be restored", metadata: ["image": "\(name)", "reason": "\(error)"])
      }
    }
    imagesChanged()
    perform { $0.restore(room.jobs, room.forwards ?? [], room.players ?? []) }
  }

  /// Ends every session with `ended` and closes the room. A second call has no effect.
  package func close(_ ended: EndedData) async {
    guard !core.isClosed else { return }
    if ended.reason == .serverStopping { peers.fallSilent() }
    perform { $0.close(ended) }
    await reportClosed()
  }

  // MARK: Moving

  package enum Departure: Sendable {
    case closed
    /// The ticket of the last write.
    case departed(StoreTicket)
  }

  /// Ends the room on this server, because another one continues it: stops its media and jobs, and passes it to the store for the
  /// last time. Its clients keep their sockets, without answers, until ``redirect(_:)``.
  package func depart() -> Departure {
    guard let store = dependencies.store, !core.isClosed else { return .closed }
    (hasDeparted, hasReportedClosed) = (true, true)
    sockets.depart()
    programs.depart()
    guard let record = try? perform({ $0.depart() })?.record(JSONEncoder(), after: nil) else {
      log.error("a room that moves can't be encoded; it continues as it was stored before")
      return .departed(store.newest)
    }
    return .departed(store.note(.room(name: name, record)))
  }

  /// Ends the sessions of a room that has departed.
  package func redirect(_ ended: EndedData) { sockets.redirect(ended) }

  /// Returns once the room has ended with all of its jobs, or when the calling task is cancelled. Call it once.
  package nonisolated func isOver() async { for await _ in over {} }

  // MARK: Other rooms

  /// Handles another room's message about a PK.
  /// - Returns: false if the room has departed: its next server is to get the message. The core answers for a room that has closed.
  @discardableResult package func receive(_ message: PKMessage) -> Bool {
    guard !hasDeparted else { return false }
    perform { $0.receive(message) }
    return true
  }

  /// Starts lending a user's tracks to another room.
  /// - Parameter send: sends the borrowing room all tracks that are currently lent. It does not block, and keeps the order.
  /// - Returns: a number for ``endLending(to:number:)``.
  @discardableResult package func lend(
    _ user: UserID, to borrower: Borrower, send: @escaping @Sendable ([LentTrack]) -> Void
  ) -> Int {
    lastLending += 1
    lendings[borrower] = lastLending
    programs.setBorrower(borrower, send: send)
    perform { $0.lend(user, to: borrower) }
    return lastLending
  }

  /// Ends a lending.
  /// - Parameter number: ends only the lending of this number; another may have replaced it.
  package func endLending(to borrower: Borrower, number: Int? = nil) {
    guard number == nil || lendings[borrower] == number else { return }
    lendings[borrower] = nil
    perform { $0.endLending(to: borrower) }
  }

  /// Lets a participant of another room appear in this one, until it publishes nothing any more or is removed here.
  /// - Throws: as ``RoomCore/forward(_:from:_:)``.
  package func forward(_ user: UserID, from source: RoomName, _ profile: ParticipantProfile?) throws(RoomError) {
    guard !hasDeparted else { throw RoomError(.joinFailed, "the room moves to another server; try again in a second") }
    try perform { core throws(RoomError) in try core.forward(user, from: source, profile) }
  }

  /// Ends the session of a client that joins another room instead.
  /// - Throws: as ``RoomCore/move(_:to:)``.
  package func move(_ user: UserID, to room: RoomName) throws(RoomError) {
    try perform { core throws(RoomError) in try core.move(user, to: room) }
  }

  // MARK: Queries

  var isClosed: Bool { core.isClosed }
  /// Returns the changes since the last call, for the store; nil if the room is closed.
  package func takeStored() -> StoredRoomChange? { core.takeStored() }
  /// Records that the store lost the room: the next change contains all of it.
  package func forgetStored() { core.state.forgetStored() }
  package var jobList: [JobInfo] { core.jobList }
  package func hasJob(_ id: JobID) -> Bool { core.jobs[id] != nil }
  /// All participants, including hidden ones, in the order of joining.
  package var roster: [ParticipantInfo] { core.roster.order.compactMap { core.roster[$0]?.info } }
  package func participant(_ user: UserID) -> ParticipantInfo? { core.roster[user]?.info }
  package var summary: RoomSummary { RoomSummary(of: core) }
  /// The numbers of participants, tracks and viewers.
  package var counts: (participants: Int, tracks: Int, viewers: Int) {
    (core.roster.countedCount, core.roster.trackCount, core.audience)
  }
  /// The numbers of connected participants that joined by themselves, and of viewers.
  package var people: (participants: Int, viewers: Int) {
    (core.roster.all.count { !$0.isVirtual && $0.isConnected }, core.viewers.audience)
  }

  /// A snapshot of seats, requests, PK, messages and attributes, and of the jobs.
  package var stateSnapshot: RoomSnapshot { state(for: nil) }

  /// Returns what a user may see of it; all for nil.
  package func state(for user: UserID?) -> RoomSnapshot {
    var snapshot = core.state.snapshot(for: user)
    snapshot.jobs = core.jobList
    snapshot.players = core.playerList
    snapshot.stage = core.settings.stage
    snapshot.play = playURLs
    return snapshot
  }

  /// The URLs at which an audience plays the room, signed now.
  package var playURLs: PlayURLs { playURLs(nil) }

  /// Returns the same for a variant of the room's stream.
  private func playURLs(_ picture: StreamVariant.Picture?) -> PlayURLs {
    dependencies.play().urls(
      of: name, stream: core.jobList.stream(of: name), picture: picture, push: core.settings.push, host: core.state.host,
      unixTime: Int64(Date().timeIntervalSince1970))
  }

  /// The messages that a viewer may read: the last ones to all, without likes.
  package var publicMessages: [RoomMessage] { core.state.snapshot(for: nil).messages }

  /// The layers of the picture that the stage shows, smallest first; empty if it has one size.
  package var stageLayers: [VideoLayer] { core.stageLayers }

  /// Keeps the program for viewers without WebRTC on air; see ``RoomCore/watchProgram()``.
  package func watchProgram() -> WatchProgram { perform { $0.watchProgram() } }

  package nonisolated func statistics() async -> RoomStatistics {
    let media = await media.statistics()
    return RoomStatistics(of: await core, media)
  }

  /// Returns the status of the jobs.
  package func jobStatus() async -> [JobStatusData] {
    var all: [JobStatusData] = []
    for probe in core.jobs.values.map({ programs.probe($0.id, mix: $0.mix) }) {
      if let status = await probe.status() { all.append(status) }
    }
    return all.sorted { $0.jobId < $1.jobId }
  }

  // MARK: Outputs

  private func carryOut() {
    // An answer to an output is an input: its own outputs are performed directly after that output.
    guard !isCarryingOut else { return }
    isCarryingOut = true
    var outputs = core.takeOutputs()[...]
    while let output = outputs.popFirst() {
      guard carryOut(output) else { continue }
      outputs = (core.takeOutputs() + outputs)[...]
    }
    isCarryingOut = false
    setAlarm()
    list()
  }

  /// Publishes what lists show of the room, if it changed. A closed room is taken from them once: another one may have its name.
  private func list() {
    let now = core.isClosed ? nil : RoomSummary(of: core)
    guard now != shown else { return }
    shown = now
    dependencies.listed(name, now)
  }

  /// Returns true if the core received another input meanwhile.
  private func carryOut(_ output: RoomOutput) -> Bool {
    switch output {
    case .attach(let id): sockets.attach(id)
    case .detach(let id): sockets.detach(id)
    case .end(let id, let ended): sockets.end(id, ended)
    case .replace(let id): sockets.replace(id)
    case .answer(let id, let request, let result): sockets.answer(id, request, result)
    case .answerPlay(let id, let request, let picture): sockets.answer(id, request, .success(playURLs(picture)))
    case .welcome(let id, let request, var result):
      result.room.play = playURLs
      sockets.welcome(id, request, result)
    case .send(let event, let id): sockets.send(event, to: id)
    case .deliver(let value, let id): sockets.deliver(value, to: id)
    case .broadcast(let event, let recipients): sockets.broadcast(event, to: recipients)
    case .reply(let result): reply = result
    case .media(let order): programs.carryOut(order)
    case .program(let order): return carryOut(order)
    case .player(let order): carryOut(order)
    case .peer(let order): peers.carryOut(order) { [weak self] in await self?.receive($0) }
    case .report(let name, let data): dependencies.report(name, data, room: self.name, session: session)
    case .kicked(let token): dependencies.kicked(token)
    case .count(let count): dependencies.count(count)
    case .log(let level, let message, let metadata): log.log(level: level, "\(message)", metadata: metadata)
    case .store: if !core.isClosed, let store = dependencies.store { change = store.changed(self) }
    case .sendPKToken(let token, let pkId, let id):
      guard let signed = dependencies.sign(token) else { break }
      sockets.send(.pkToken(PKTokenData(pkId: pkId, room: token.room, token: signed)), to: id)
    case .closed:
      for player in players.values { player.stop() }
      players = [:]
      alarm.cancel()
      // Any input may advance past the time at which an empty room closes. Async inputs report it themselves, sooner.
      Task { await reportClosed() }
    case .finished:
      inbox.finish()
      overReached.finish()
    }
    return false
  }

  private func carryOut(_ order: ProgramOrder) -> Bool {
    if case .reportStatus = order {
      Task { [weak self] in await self?.reportJobStatus() }
      return false
    }
    switch programs.carryOut(order) {
    case .began(let job, let result): core.began(job, result)
    case .made(let mix, let failure): core.made(mix, failure)
    case .arranged(let mix, let failure): core.arranged(mix, failure)
    case .none: return false
    }
    return true
  }

  private func carryOut(_ order: PlayerOrder) {
    switch order {
    case .start(let plan): players[plan.user] = dependencies.players?.start(plan, in: self)
    case .change(let change): players[change.userId]?.change(change)
    case .stop(let user): players.removeValue(forKey: user)?.stop()
    }
  }

  /// Handles a report of a player's session.
  package func playerReported(_ report: PlayerReport, of user: UserID, _ number: Int) {
    perform { $0.playerReported(report, of: user, number) }
  }

  /// The players of the room.
  package var playerList: [PlayerInfo] { core.playerList }

  private func reportJobStatus() async {
    let status = await jobStatus()
    perform { $0.reported(status) }
  }
}
