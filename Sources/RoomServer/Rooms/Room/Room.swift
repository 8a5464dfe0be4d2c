import Codecs
import Foundation
import Linux
import Logging
import NIOCore
import RTP
import Relay
import RoomProtocol
import RoomState
import RoomToken
import SFU
import WebRTC

/// A room at work: gives ``RoomCore`` its inputs one after the other, with the time, and carries out its outputs in order.
///
/// Entry points call its methods, none of which waits for anything but another room's end. Media workers, broadcasts and other
/// rooms report to its inbox.
actor Room {
  nonisolated let name: RoomName
  /// Milliseconds since 1970.
  nonisolated let createdAt: Int64
  /// Another each time a room of this name is made; a server that is started again continues it.
  nonisolated var session: String { "RS_" + String(createdAt, radix: 36) }
  nonisolated let inbox = RoomInbox()
  private(set) var core: RoomCore
  let media: MediaRoom
  nonisolated let dependencies: RoomDependencies
  private let log: Logger
  private let programs: RoomPrograms
  /// The sockets of participants that are connected.
  private var clients: [ConnectionID: any SignalOutlet] = [:]
  private var encoders: [ConnectionID: any RoomEncoder] = [:]
  /// The socket whose request is being carried out.
  private var caller: (id: ConnectionID, outlet: any SignalOutlet)?
  /// What the last call of the API came to, and whether the last request was refused.
  private var reply: Result<any Codable & Sendable, RoomError>?
  private var wasRefused = false
  /// The newest change that the store was given.
  private var change = StoreTicket()
  /// Calls to other rooms.
  private var peerWork = OrderedWork()
  private var alarm: (time: Instant, task: Task<Void, Never>)?
  private var isCarryingOut = false

  /// - Parameter stored: the state from before the server's end; ``restore(_:images:)`` has to follow.
  init(
    name: RoomName, settings: RoomCore.Settings, dependencies: RoomDependencies, stored: RoomState? = nil,
    openMedia: @Sendable (@escaping @Sendable (MediaEvent) -> Void) -> MediaRoom
  ) {
    self.name = name
    self.dependencies = dependencies
    var log = dependencies.log
    log[metadataKey: "room"] = "\(name)"
    self.log = log
    media = openMedia { [inbox] in inbox.post(.media($0)) }
    let core = RoomCore(
      name: name, settings: settings.completed(by: dependencies, candidates: media.candidates), stored: stored, at: .now)
    self.core = core
    createdAt = core.createdAt
    programs = RoomPrograms(
      media: media, broadcasts: dependencies.broadcasts, mixes: dependencies.mixes, font: dependencies.relay.font, inbox: inbox,
      recorded: dependencies.recordingListener(of: name, session: "RS_" + String(core.createdAt, radix: 36)))
    Task { [weak self, inbox] in
      await self?.setAlarm()
      for await _ in inbox.wakeups {
        while let notice = inbox.next() { await self?.handle(notice) }
      }
    }
  }

  deinit { inbox.finish() }

  // MARK: Inputs

  /// Gives the core an input, and carries out what comes of it.
  func perform<Result, Failure: Error>(
    _ input: (inout RoomCore) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    core.advance(to: .now)
    defer { carryOut() }
    return try input(&core)
  }

  private func handle(_ notice: RoomInbox.Notice) {
    switch notice {
    case .media(let event): heard(event)
    case .job(.continued(_, let mix), let id):
      let mix = mix.flatMap { programs.id(of: $0) }
      perform { $0.continued(id, as: mix) }
    case .job(let event, let id):
      perform { $0.handle(event, of: id) }
      if case .ended = event { programs.forget(id) }
    case .lent(let tracks): perform { $0.borrow(tracks) }
    }
  }

  func heard(_ event: MediaEvent) { perform { $0.handle(event) } }

  private func setAlarm() {
    guard let deadline = core.deadline else {
      alarm?.task.cancel()
      return alarm = nil
    }
    // An alarm that is a little early sets the next one.
    if let alarm, alarm.time <= deadline, deadline - alarm.time < 5000 { return }
    alarm?.task.cancel()
    let wait = max(0, deadline - Instant.now)
    alarm = (
      deadline,
      Task { [weak self] in
        guard (try? await Task.sleep(for: .microseconds(wait))) != nil else { return }
        await self?.wake()
      }
    )
  }

  private func wake() async {
    alarm = nil
    let wasClosed = core.isClosed
    perform { _ in }
    if core.isClosed, !wasClosed { await dependencies.closed(self) }
  }

  // MARK: Clients

  /// Lets a client in, or back in, and answers its request on `outlet`.
  func join(_ token: RoomToken, _ params: JoinParams, request: Int, outlet: any SignalOutlet) -> RoomCore.Joined {
    calling(on: outlet) { id in perform { $0.join(token, params, request: request, on: id) } }
  }

  /// Carries out what a joined client asks, and answers on `outlet`. The answer goes out before the events it causes, and not
  /// before the change that it promises is stored; the room does not wait for that.
  func handle(
    _ request: SignalRequest, session: SessionID, of user: UserID, outlet: any SignalOutlet
  ) -> RoomCore.Handled {
    let before = change
    wasRefused = false
    let hold = dependencies.store == nil ? nil : outlet.hold()
    let handled = calling(on: outlet) { id in perform { $0.handle(request, session: session, of: user, on: id) } }
    if let hold {
      if let store = dependencies.store, !wasRefused, change != before {
        store.whenWritten(change) { _ in outlet.release(hold) }
      } else {
        outlet.release(hold)
      }
    }
    return handled
  }

  /// The socket of a session is gone.
  func socketLost(_ session: SessionID, of user: UserID, outlet: any SignalOutlet) {
    perform { $0.connectionLost(session, of: user, ConnectionID(outlet)) }
  }

  private func calling<Result>(on outlet: any SignalOutlet, _ body: (ConnectionID) -> Result) -> Result {
    let id = ConnectionID(outlet)
    caller = (id, outlet)
    defer { caller = nil }
    return body(id)
  }

  // MARK: Sessions over HTTP, and encoders

  /// Lets a publisher in by WHIP.
  func publish(_ token: RoomToken, offer: String) -> SessionOffer {
    sessionOffer { core throws(SessionRefusal) in try core.publish(token, offer: offer) }
  }

  /// Lets a viewer in by WHEP.
  func view(_ token: RoomToken, _ source: Viewer.Source, offer: String) -> SessionOffer {
    sessionOffer { core throws(SessionRefusal) in try core.view(token, source, offer: offer) }
  }

  private func sessionOffer(
    _ input: (inout RoomCore) throws(SessionRefusal) -> SessionAnswer
  ) -> SessionOffer {
    guard !core.isClosed else { return .roomIsClosed }
    do throws(SessionRefusal) { return .answered(try perform(input)) } catch { return .refused(error) }
  }

  /// Throws if there is no such session of this user.
  func find(_ id: SessionResourceID, of user: UserID, _ direction: SessionDirection) throws(SessionRefusal) {
    _ = try core.session(id, of: user, direction)
  }

  /// Trickles, or restarts ICE; returns the session and the fragment that answers a restart.
  func patch(
    _ id: SessionResourceID, of user: UserID, _ direction: SessionDirection, _ fragment: ICEFragment, match: String?
  ) throws(SessionRefusal) -> (SessionResource, ICEFragment?) {
    try perform { core throws(SessionRefusal) in try core.patch(id, of: user, direction, fragment, match: match) }
  }

  /// Ends a session for its client.
  func finish(_ id: SessionResourceID, of user: UserID, _ direction: SessionDirection) throws(SessionRefusal) {
    try perform { core throws(SessionRefusal) in try core.finish(id, of: user, direction) }
  }

  /// Lets an encoder's stream in.
  func publish(_ token: RoomToken, from encoder: any RoomEncoder) -> RoomCore.Joined {
    let id = ConnectionID(encoder)
    encoders[id] = encoder
    let joined = perform { $0.publish(token, from: id) }
    if case .joined = joined { encoder.enter(self) } else { encoders[id] = nil }
    return joined
  }

  /// Publishes a track of a stream; nil if the stream's participant is gone.
  func publish(_ track: EncoderTrack, from encoder: any RoomEncoder) -> TrackInjection? {
    perform { $0.publish(track, from: ConnectionID(encoder)) }.flatMap { programs.takeInjection($0) }
  }

  /// The stream's connection is gone, or it ended its publish.
  func encoderLost(_ encoder: any RoomEncoder) {
    perform { $0.encoderLost(ConnectionID(encoder)) }
    encoders[ConnectionID(encoder)] = nil
  }

  /// The room can't take the stream.
  func encoderFailed(_ encoder: any RoomEncoder, _ reason: String) {
    perform { $0.encoderFailed(ConnectionID(encoder), reason) }
  }

  // MARK: The API

  /// Carries out a call of the API.
  @discardableResult func call(_ call: SignalCall) throws(RoomError) -> any Codable & Sendable {
    reply = nil
    if let result = try perform({ core throws(RoomError) in try core.perform(call) }) { return result }
    return try reply?.get() ?? Empty()
  }

  /// Changes the room's settings.
  /// - Parameter settle: makes settings of the options that are in force after the change.
  /// - Throws: as ``RoomCore/change(_:)``.
  func change(
    _ change: @Sendable (inout RoomDirectory.Wishes) -> Void, settle: @Sendable (RoomDirectory.Wishes) -> RoomCore.Settings
  ) throws(RoomError) {
    guard !core.isClosed else { throw RoomError(.notInRoom, "the room is closed") }
    var wishes = core.settings.wishes
    change(&wishes)
    let settings = settle(wishes).completed(by: dependencies, candidates: media.candidates)
    try perform { core throws(RoomError) in try core.change(settings) }
  }

  var settings: RoomCore.Settings { core.settings }

  /// Keeps an image that mixes may show.
  func setImage(_ name: String, _ picture: Picture, file: [UInt8]) throws(RoomError) {
    try programs.images.set(name, picture, bytes: file.count)
    imagesChanged()
    dependencies.store?.note(.image(room: self.name, name: name, file))
  }

  /// False if there is none.
  func removeImage(_ name: String) -> Bool {
    guard programs.images.remove(name) else { return false }
    imagesChanged()
    dependencies.store?.note(.image(room: self.name, name: name, nil))
    return true
  }

  private func imagesChanged() { core.images = programs.images.all.mapValues(\.version) }

  var images: [String: RoomImages.Image] { programs.images.all }

  /// Continues what was stored. All other rooms have to be there.
  func restore(_ room: StoredRoom, images files: [String: [UInt8]]) {
    for (name, file) in files.sorted(by: { $0.key < $1.key }) {
      do throws(RoomError) {
        try programs.images.set(name, try RoomImages.read(file), bytes: file.count)
      } catch {
        log.warning("an image is gone", metadata: ["image": "\(name)", "reason": "\(error)"])
      }
    }
    imagesChanged()
    perform { $0.restore(room.jobs) }
  }

  /// Ends every session with `ended` and closes the room. Nothing happens the second time.
  func close(_ ended: EndedData) async {
    guard !core.isClosed else { return }
    perform { $0.close(ended) }
    await dependencies.closed(self)
  }

  // MARK: Other rooms

  /// Another room's message about a PK.
  func receive(_ message: PKMessage) { perform { $0.receive(message) } }

  /// Lends a user's tracks to another room from now on.
  /// - Parameter send: sends the borrower all tracks that are lent now. Does not wait, and keeps the order.
  func lend(_ user: UserID, to room: RoomName, send: @escaping @Sendable ([LentTrack]) -> Void) {
    programs.setBorrower(room, send: send)
    perform { $0.lend(user, to: room) }
  }

  func endLending(to room: RoomName) { perform { $0.endLending(to: room) } }

  // MARK: What others ask

  var isClosed: Bool { core.isClosed }
  /// The room as it is stored; nil if it is closed.
  var stored: StoredRoom? { core.stored }
  var jobList: [JobInfo] { core.jobList }
  /// All participants, hidden ones too, in the order of their joining.
  var roster: [ParticipantInfo] { core.roster.order.compactMap { core.roster[$0]?.info } }
  /// Participants, tracks and viewers.
  var counts: (participants: Int, tracks: Int, viewers: Int) {
    (core.roster.countedCount, core.roster.trackCount, core.viewers.count)
  }
  /// Participants that came in by themselves and are connected, and viewers.
  var people: (participants: Int, viewers: Int) {
    (core.roster.all.count { !$0.isVirtual && $0.isConnected }, core.viewers.count)
  }

  /// Seats, requests, PK, messages and attributes, and the jobs.
  var stateSnapshot: RoomSnapshot {
    var snapshot = core.state.snapshot(for: nil)
    snapshot.jobs = core.jobList
    return snapshot
  }

  nonisolated func statistics() async -> RoomStatistics {
    let media = await media.statistics()
    return RoomStatistics(of: await core, media)
  }

  /// How the jobs are doing.
  func jobStatus() async -> [JobStatusData] {
    var all: [JobStatusData] = []
    for (id, place, mix) in core.jobs.values.map({ ($0.id, programs.place(of: $0.id), $0.mix.flatMap(programs.mix)) }) {
      let mixed = await mix?.status()
      if let place {
        all.append(JobStatusData(id, await place.broadcast.status(), mixed))
      } else if let mixed {
        all.append(JobStatusData(id, mixed))
      }
    }
    return all.sorted { $0.jobId < $1.jobId }
  }

  // MARK: Outputs

  private func carryOut() {
    // An answer to an output is an input: what comes of it is carried out right behind that output.
    guard !isCarryingOut else { return }
    isCarryingOut = true
    var outputs = core.takeOutputs()[...]
    while let output = outputs.popFirst() {
      guard carryOut(output) else { continue }
      outputs = (core.takeOutputs() + outputs)[...]
    }
    isCarryingOut = false
    setAlarm()
  }

  /// True if the core had another input meanwhile.
  private func carryOut(_ output: RoomOutput) -> Bool {
    switch output {
    case .attach(let id): if let caller, caller.id == id { clients[id] = caller.outlet }
    case .detach(let id): clients[id] = nil
    case .end(let id, let ended): end(id, ended)
    case .replace(let id): clients.removeValue(forKey: id)?.close(.replaced)
    case .answer(let id, let request, let result): answer(id, request, result)
    case .welcome(let id, let request, let result): answer(id, request, .success(result))
    case .send(let event, let id): if let outlet = clients[id], let message = written(event) { outlet.send(message) }
    case .broadcast(let event, let recipients): broadcast(event, recipients)
    case .reply(let result): reply = result
    case .media(let order): carryOut(order)
    case .program(let order): return carryOut(order)
    case .peer(let order): carryOut(order)
    case .report(let name, let data): dependencies.report(name, data, room: self.name, session: session)
    case .kicked(let token): dependencies.kicked(token)
    case .count(let count): dependencies.counters.count(count)
    case .log(let level, let message, let metadata): log.log(level: level, "\(message)", metadata: metadata)
    case .store: if !core.isClosed, let store = dependencies.store { change = store.changed(self) }
    case .sendPKToken(let token, let pkId, let id):
      guard let signed = dependencies.sign(token), let outlet = clients[id] else { break }
      if let message = written(.pkToken(PKTokenData(pkId: pkId, room: token.room, token: signed))) { outlet.send(message) }
    case .closed: alarm?.task.cancel()
    case .finished: inbox.finish()
    }
    return false
  }

  private func end(_ id: ConnectionID, _ ended: EndedData) {
    if let encoder = encoders.removeValue(forKey: id) { return encoder.ended(ended) }
    guard let outlet = clients.removeValue(forKey: id) else { return }
    if ended.reason != .left, let message = written(.ended(ended)) { outlet.send(message) }
    outlet.close(ended.reason == .serverStopping ? .serverStopping : .sessionEnded)
  }

  private func answer(_ id: ConnectionID, _ request: Int, _ result: Result<any Codable & Sendable, RoomError>) {
    if let outlet = clients[id] ?? (caller?.id == id ? caller?.outlet : nil) { answer(request, result, on: outlet) }
  }

  func answer(_ request: Int, _ result: Result<any Codable & Sendable, RoomError>, on outlet: any SignalOutlet) {
    switch result {
    case .success(let value):
      do throws(SignalWriter.Unwritable) { outlet.send(try SignalWriter.result(value, id: request)) } catch {
        // The client waits for an answer.
        unwritable("an answer", error.reason)
        let error = RoomError(.unknownMessage, "the call is carried out, but its answer can't be written")
        outlet.send(SignalWriter.error(error, id: request))
      }
    case .failure(let error):
      wasRefused = true
      outlet.send(SignalWriter.error(error, id: request))
    }
  }

  /// An event goes to many: it is written once.
  private func broadcast(_ event: SignalEvent, _ recipients: RoomOutput.Recipients) {
    guard !clients.isEmpty, let message = written(event) else { return }
    switch recipients {
    case .everyone(let besides): for (id, outlet) in clients where id != besides { outlet.send(message) }
    case .these(let ids): for id in ids { clients[id]?.send(message) }
    }
  }

  /// Nil, and logged, for an event that can't be written: nobody gets it.
  private func written(_ event: SignalEvent) -> ByteBuffer? {
    do throws(SignalWriter.Unwritable) { return try SignalWriter.event(event) } catch {
      unwritable("the event \(event.name)", error.reason)
      return nil
    }
  }

  private func unwritable(_ what: String, _ reason: String) {
    dependencies.counters.count { $0.messagesUnwritable += 1 }
    log.error("\(what) can't be written", metadata: ["reason": "\(reason)"])
  }

  private func carryOut(_ order: MediaOrder) {
    switch order {
    case .open(let id, let credentials, let role): media.openTransport(id, credentials: credentials, role: role)
    case .restart(let id, let credentials): media.restartTransport(id, credentials: credentials)
    case .connect(let id, let remote): media.connectTransport(id, remote: remote)
    case .close(let id): media.closeTransport(id)
    case .publish(let track, let transport, let parameters): media.publish(track, on: transport, parameters: parameters)
    case .inject(let track, let parameters): programs.inject(track, parameters)
    case .unpublish(let track): media.unpublish(track)
    case .mute(let track, let muted): media.setMuted(track, muted)
    case .subscribe(let id, let track, let transport, let parameters, let continues):
      media.subscribe(id, to: track, on: transport, parameters: parameters, continues: continues)
    case .unsubscribe(let id): media.unsubscribe(id)
    case .closeRoom: media.close()
    }
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

  private func reportJobStatus() async {
    let status = await jobStatus()
    perform { $0.reported(status) }
  }

  private func carryOut(_ order: PeerOrder) {
    let (peer, name) = (dependencies.peer, name)
    switch order {
    case .message(let message):
      peerWork.add { [weak self] in
        if let room = await peer(message.to) {
          await room.receive(message)
        } else if let bounced = message.bounced {
          await self?.receive(bounced)
        }
      }
    case .borrow(let user, let room, let pkId):
      let send: @Sendable ([LentTrack]) -> Void = { [inbox] in inbox.post(.lent(LentTracks(pkId: pkId, tracks: $0))) }
      peerWork.add { await peer(room)?.lend(user, to: name, send: send) }
    case .endBorrowing(let room): peerWork.add { await peer(room)?.endLending(to: name) }
    }
  }
}

/// An encoder's stream, as its room sees it.
protocol RoomEncoder: AnyObject, Sendable {
  /// The room has let the stream in.
  func enter(_ room: Room)
  /// The room ended the participant.
  func ended(_ ended: EndedData)
}

extension RoomCore.Settings {
  /// With what the server gives every room.
  fileprivate func completed(by dependencies: RoomDependencies, candidates: [ICECandidate]) -> Self {
    var settings = self
    settings.fingerprints = [dependencies.fingerprint]
    settings.candidates = candidates
    settings.isStored = dependencies.store != nil
    settings.jobs = dependencies.relay.jobsPerRoom
    settings.jobStatusInterval = dependencies.relay.statusInterval
    return settings
  }
}

extension ConnectionID {
  /// Names an object for as long as the room holds it.
  fileprivate init(_ object: AnyObject) { self.init(UInt64(UInt(bitPattern: ObjectIdentifier(object)))) }
}

extension Room {
  static var milliseconds: Int64 { RoomTime.now.unix }
}

extension RoomTime {
  static var now: RoomTime { RoomTime(instant: .now, unix: Int64(Date().timeIntervalSince1970 * 1000)) }
}
