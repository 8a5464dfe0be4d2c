import Foundation
import Logging
import RoomCodecs
import RoomLiveOrigin
import RoomProtocol
import RoomRTP
import RoomRelay
import RoomSFU
import RoomToken

/// Passes ``RoomCore`` one input after the other, with the time, and performs the outputs in order.
struct RoomExecution {
  var core: RoomCore
  let programs: RoomPrograms
  var sockets: RoomSockets
  var peers: RoomPeers
  /// The result of the last call of the API, if a program gave one.
  var reply: Result<any Codable & Sendable, RoomError>?
  /// The ticket of the latest change passed to the store.
  private(set) var change = StoreTicket()
  private var players: [UserID: any RoomPlayer] = [:]
  /// What lists show of the room; nil once it has closed.
  private var shown: RoomSummary?
  private let dependencies: RoomDependencies
  let log: Logger
  private let media: MediaRoom
  private let inbox: RoomInbox
  private let finished: AsyncStream<Never>.Continuation

  /// - Parameters:
  ///   - inbox: receives the reports of programs and other rooms.
  ///   - finished: ends once the room and its jobs have ended.
  init(
    of core: RoomCore, session: String, media: MediaRoom, dependencies: RoomDependencies, inbox: RoomInbox,
    finished: AsyncStream<Never>.Continuation
  ) {
    self.core = core
    self.media = media
    self.dependencies = dependencies
    var log = dependencies.log
    log[metadataKey: "room"] = "\(core.name)"
    self.log = log
    self.inbox = inbox
    self.finished = finished
    peers = RoomPeers(of: core.name, dependencies, inbox: inbox)
    sockets = RoomSockets(log: log, count: dependencies.count)
    programs = RoomPrograms(
      media: media, broadcasts: dependencies.broadcasts, mixes: dependencies.mixes, font: dependencies.relay.font,
      recorder: dependencies.recorder(of: core.name, session: session),
      onEvent: { [inbox] in inbox.post(.job($0, id: $1)) },
      renditionFailed: { [inbox] in inbox.post(.renditionFailed($0, $1)) },
      sharingEnded: { [inbox] in inbox.post(.sharingEnded($0)) })
    shown = RoomSummary(of: core)
    dependencies.listed(core.name, shown)
  }

  // MARK: Inputs

  /// Passes an input to the core and performs the outputs.
  mutating func perform<Result, Failure: Error>(
    _ input: (inout RoomCore) throws(Failure) -> Result, in room: Room
  ) throws(Failure) -> Result {
    core.advance(to: .now)
    defer { carryOut(in: room) }
    return try input(&core)
  }

  /// Passes on a message that a client sent over a data channel.
  func relay(_ message: DataMessage, on transport: TransportID) {
    guard let client = core.client(on: transport), let connection = client.connection, let data = client.data,
      !sockets.deliver(message, of: connection)
    else { return }
    guard let messages = core.relayed(message, of: client, data.channels) else { return dependencies.count(.messageRefused) }
    media.send(messages)
  }

  // MARK: Images

  mutating func setImage(_ name: String, _ picture: Picture, bytes: Int) throws(RoomError) {
    try programs.mixes.images.set(name, picture, bytes: bytes)
    core.images = programs.mixes.images.all.mapValues(\.version)
  }

  /// Returns false if there is no such image.
  mutating func removeImage(_ name: String) -> Bool {
    defer { core.images = programs.mixes.images.all.mapValues(\.version) }
    return programs.mixes.images.remove(name)
  }

  mutating func restoreImages(_ files: [String: [UInt8]]) {
    for (name, file) in files.sorted(by: { $0.key < $1.key }) {
      do throws(RoomError) {
        try setImage(name, try RoomImages.read(file), bytes: file.count)
      } catch {
        log.warning("image could not be restored", metadata: ["image": "\(name)", "reason": "\(error)"])
      }
    }
  }

  // MARK: Outputs

  private mutating func carryOut(in room: Room) {
    // An answer to an output is an input: its own outputs are performed directly after that output.
    var outputs = core.takeOutputs()[...]
    var calls: [PeerOrder] = []
    while let output = outputs.popFirst() {
      if case .peer(let order) = output { calls.append(order) }
      guard carryOut(output, in: room) else { continue }
      outputs = (core.takeOutputs() + outputs)[...]
    }
    // A message to another room waits for the changes that it reports.
    for order in calls { peers.carryOut(order, after: change) { [weak room] in await room?.receive($0) } }
    list()
  }

  /// Publishes what lists show of the room, if it changed. A closed room is taken from them once: another one may have its name.
  private mutating func list() {
    let now = core.isClosed ? nil : RoomSummary(of: core)
    guard now != shown else { return }
    shown = now
    dependencies.listed(core.name, now)
  }

  /// Returns true if the core received another input meanwhile.
  private mutating func carryOut(_ output: RoomOutput, in room: Room) -> Bool {
    switch output {
    case .attach(let id): sockets.attach(id)
    case .detach(let id): sockets.detach(id)
    case .end(let id, let ended): sockets.end(id, ended)
    case .replace(let id): sockets.replace(id)
    case .answer(let id, let request, let result): sockets.answer(id, request, result)
    case .answerPlay(let id, let request, let picture): sockets.answer(id, request, .success(playURLs(picture)))
    case .welcome(let id, let request, var result):
      result.room.play = playURLs()
      sockets.welcome(id, request, result)
    case .send(let event, let id): sockets.send(event, to: id)
    case .deliver(let value, let id): sockets.deliver(value, to: id)
    case .broadcast(let event, let recipients): sockets.broadcast(event, to: recipients)
    case .reply(let result): reply = result
    case .media(let order): programs.carryOut(order)
    case .program(.reportStatus): Task { [weak room] in await room?.reportJobStatus() }
    case .program(let order): return carryOut(order)
    case .player(let order): carryOut(order, in: room)
    case .peer: break
    case .report(let name, let data): dependencies.report(name, data, room: core.name, session: room.session)
    case .kicked(let token): dependencies.kicked(token)
    case .count(let count): dependencies.count(count)
    case .log(let level, let message, let metadata): log.log(level: level, "\(message)", metadata: metadata)
    case .store: if !core.isClosed, let store = dependencies.store { change = store.changed(room) }
    case .sendPKToken(let token, let pkId, let id):
      guard let signed = dependencies.sign(token) else { break }
      sockets.send(.pkToken(PKTokenData(pkId: pkId, room: token.room, token: signed)), to: id)
    case .closed:
      for player in players.values { player.stop() }
      players = [:]
      // Any input may advance past the time at which an empty room closes. Async inputs report it themselves, sooner.
      Task { await room.reportClosed() }
    case .finished:
      inbox.finish()
      finished.finish()
    }
    return false
  }

  private mutating func carryOut(_ order: ProgramOrder) -> Bool {
    switch programs.carryOut(order) {
    case .began(let job, let result): core.began(job, result)
    case .made(let mix, let failure): core.made(mix, failure)
    case .arranged(let mix, let failure): core.arranged(mix, failure)
    case .none: return false
    }
    return true
  }

  private mutating func carryOut(_ order: PlayerOrder, in room: Room) {
    switch order {
    case .start(let plan): players[plan.user] = dependencies.players?.start(plan, in: room)
    case .change(let change): players[change.userId]?.change(change)
    case .stop(let user): players.removeValue(forKey: user)?.stop()
    }
  }

  // MARK: Queries

  /// The sources of the jobs' status.
  var probes: [JobProbe] { core.jobs.values.map { programs.probe($0.id, mix: $0.mix) } }

  /// Returns the URLs at which an audience plays the room, signed now.
  /// - Parameter picture: selects a variant of the room's stream; nil for the stream itself.
  func playURLs(_ picture: StreamVariant.Picture? = nil) -> PlayURLs {
    dependencies.play().urls(
      of: core.name, stream: core.jobList.stream(of: core.name), picture: picture, push: core.settings.push,
      host: core.state.host, unixTime: Int64(Date().timeIntervalSince1970))
  }
}
