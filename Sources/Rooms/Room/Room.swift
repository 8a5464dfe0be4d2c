import Foundation
import RoomCodecs
import RoomProtocol
import RoomRelay
import RoomSFU
import RoomState
import RoomToken

/// A room: an inbox, an alarm, and the execution of ``RoomCore``.
///
/// Entry points pass their calls through ``perform(_:)`` and ``read(_:)``, and call the methods of sockets, encoders and other
/// rooms. None of them waits for another room. Media workers, broadcasts and other rooms report to the inbox.
package actor Room: StoredSource {
  package nonisolated let name: RoomName
  /// Milliseconds since 1970.
  package nonisolated let createdAt: Int64
  /// Differs each time a room of this name is created; a restarted server continues it.
  package nonisolated let session: String
  nonisolated let inbox = RoomInbox()
  private(set) var execution: RoomExecution
  package nonisolated let media: MediaRoom
  nonisolated let dependencies: RoomDependencies
  private var alarm = RoomAlarm()
  private var hasReportedClosed = false
  private var hasDeparted = false
  /// Ends once the room and its jobs have ended.
  private nonisolated let over: AsyncStream<Never>

  /// - Parameters:
  ///   - stored: the state from before the server stopped; call ``restore(_:images:)`` afterwards.
  ///   - attributes: those of a new room; valid ones.
  package init(
    name: RoomName, settings: RoomCore.Settings, dependencies: RoomDependencies, stored: RoomState? = nil,
    attributes: [String: String] = [:], openMedia: @Sendable (@escaping @Sendable (MediaEvent) -> Void) -> MediaRoom
  ) {
    self.name = name
    self.dependencies = dependencies
    let media = openMedia { [inbox] in inbox.post(.media($0)) }
    self.media = media
    let core = RoomCore(
      name: name, settings: settings.completed(by: dependencies, media), stored: stored, attributes: attributes, at: .now)
    createdAt = core.createdAt
    session = "RS_" + String(core.createdAt, radix: 36)
    let (over, overReached) = AsyncStream.makeStream(of: Never.self)
    self.over = over
    execution = RoomExecution(
      of: core, session: session, media: media, dependencies: dependencies, inbox: inbox, finished: overReached)
    Task { [weak self, inbox] in
      await self?.setAlarm()
      for await _ in inbox.wakeups {
        while let notice = inbox.next() { await self?.handle(notice) }
      }
    }
  }

  deinit { inbox.finish() }

  // MARK: Inputs

  /// Passes an input to the core and performs the outputs that it causes, before this returns.
  @discardableResult package func perform<Result, Failure: Error>(
    _ input: @Sendable (inout RoomCore) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { setAlarm() }
    return try execution.perform(input, in: self)
  }

  /// Performs an input whose result a program may give.
  /// - Throws: the error of the input, or of the program.
  package func call(
    _ input: @Sendable (inout RoomCore) throws(RoomError) -> (any Codable & Sendable)?
  ) throws(RoomError) -> any Codable & Sendable {
    execution.reply = nil
    if let result = try perform(input) { return result }
    return try execution.reply?.get() ?? Empty()
  }

  /// Performs a call of the API.
  @discardableResult package func call(_ call: SignalCall) throws(RoomError) -> any Codable & Sendable {
    try self.call { core throws(RoomError) in try core.perform(call) }
  }

  /// Returns what the core answers to a question.
  package func read<Answer, Failure: Error>(
    _ question: @Sendable (RoomCore) throws(Failure) -> Answer
  ) throws(Failure) -> Answer { try question(execution.core) }

  private func handle(_ notice: RoomInbox.Notice) {
    switch notice {
    case .media(let event): handle(event)
    case .job(.continued(_, let mix), let id):
      let mix = mix.flatMap { execution.programs.id(of: $0) }
      perform { $0.continued(id, as: mix) }
    case .job(let event, let id):
      perform { $0.handle(event, of: id) }
      if case .ended = event { execution.programs.forget(id) }
    case .lent(let tracks): perform { $0.borrow(tracks) }
    case .renditionFailed(let track, let reason): perform { $0.renditionFailed(track, reason) }
    case .sharingEnded(let mix): perform { $0.sharingEnded(mix) }
    case .forwarded(let user, let source, let tracks): perform { $0.receive(tracks, of: user, from: source) }
    }
  }

  func handle(_ event: MediaEvent) {
    guard case .messageReceived(let transport, let message) = event else { return perform { $0.handle(event) } }
    execution.relay(message, on: transport)
  }

  private func setAlarm() { alarm.set(for: execution.core.deadline) { [weak self] in await self?.wake() } }

  private func wake() async {
    alarm.hasRung()
    perform { _ in }
    await reportClosed()
  }

  /// Reports a closed room to the directory, once, so that it is removed.
  func reportClosed() async {
    guard execution.core.isClosed, !hasReportedClosed else { return }
    hasReportedClosed = true
    await dependencies.closed(self)
  }

  // MARK: Clients

  /// Performs an input whose answers go to a socket, such as ``RoomCore/join(_:_:request:on:annex:traits:profile:data:memory:)``.
  package func perform<Result, Failure: Error>(
    on outlet: any SignalOutlet, _ input: @Sendable (inout RoomCore, ConnectionID) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let id = execution.sockets.beginCall(on: outlet)
    defer { execution.sockets.endCall() }
    return try perform { core throws(Failure) in try input(&core, id) }
  }

  /// Performs a joined client's request and answers on `outlet`. The answer is sent before the events that the request causes,
  /// and after the change that it confirms is stored. The room does not wait for the store.
  package func handle(
    _ request: SignalRequest, session: SessionID, of user: UserID, outlet: any SignalOutlet
  ) -> RoomCore.Handled {
    // The client gets no answer, but the address of the room's next server.
    guard !hasDeparted else { return .continue }
    let before = execution.change
    let hold = dependencies.store == nil ? nil : outlet.hold()
    let handled = perform(on: outlet) { $0.handle(request, session: session, of: user, on: $1) }
    if let hold {
      if let store = dependencies.store, !execution.sockets.wasRefused, execution.change != before {
        store.whenWritten(execution.change) { _ in outlet.release(hold) }
      } else {
        outlet.release(hold)
      }
    }
    return handled
  }

  /// Sends messages over the data channels of participants.
  /// - Returns: the number of receivers.
  @discardableResult package func send(_ messages: @Sendable (RoomCore) -> [AddressedMessage]) -> Int {
    media.send(messages(execution.core))
  }

  // MARK: Encoders, and sessions over HTTP

  package nonisolated var sessions: RoomSessions { RoomSessions(room: self) }

  /// Adds an encoder's stream.
  /// - Parameter profile: what its participant shows of itself.
  package func publish(
    _ token: RoomToken, from encoder: any RoomEncoder, profile: ParticipantProfile? = nil
  ) -> RoomCore.Joined {
    let id = execution.sockets.add(encoder)
    let joined = perform { $0.publish(token, from: id, by: encoder.encoderProtocol, profile: profile) }
    if case .joined = joined { encoder.enter(self) } else { execution.sockets.remove(encoder) }
    return joined
  }

  /// Publishes a track of a stream. Returns nil if the stream's participant has left.
  package func publish(_ track: EncoderTrack, from encoder: any RoomEncoder) -> TrackInjection? {
    perform { $0.publish(track, from: ConnectionID(encoder)) }.flatMap { execution.programs.tracks.takeInjection($0) }
  }

  /// Handles the end of a stream.
  /// - Parameter isLost: false if the source is over. The encoder's participant then leaves at once.
  package func ended(_ encoder: any RoomEncoder, isLost: Bool) {
    perform { isLost ? $0.encoderLost(ConnectionID(encoder)) : $0.encoderLeft(ConnectionID(encoder)) }
    execution.sockets.remove(encoder)
  }

  // MARK: Settings and images

  /// Changes the room's settings.
  /// - Parameter settle: returns the settings for the options that apply after the change.
  /// - Throws: as ``RoomCore/change(_:)``.
  package func change(
    _ change: @Sendable (inout RoomSettingsOptions) -> Void, settle: @Sendable (RoomSettingsOptions) -> RoomCore.Settings
  ) throws(RoomError) {
    try perform { [dependencies, media] core throws(RoomError) in
      guard !core.isClosed else { throw RoomError(.notInRoom, "the room is closed") }
      var options = core.settings.options
      change(&options)
      try core.change(settle(options).completed(by: dependencies, media))
    }
  }

  /// Adds an image that mixes may show, replacing one of that name.
  /// - Throws: as ``RoomImages/set(_:_:bytes:)``; `.notInRoom` if the room is closed, or continues on another server.
  package func setImage(_ name: String, _ picture: Picture, file: [UInt8]) throws(RoomError) {
    guard !execution.core.isClosed else { throw RoomError(.notInRoom, "the room is closed") }
    try execution.setImage(name, picture, bytes: file.count)
    dependencies.store?.note(.image(room: self.name, name: name, file))
  }

  /// Removes an image. Returns false if there is none, or the room is closed.
  package func removeImage(_ name: String) -> Bool {
    guard !execution.core.isClosed, execution.removeImage(name) else { return false }
    dependencies.store?.note(.image(room: self.name, name: name, nil))
    return true
  }

  package var images: [String: RoomImages.Image] { execution.programs.mixes.images.all }

  // MARK: Start and end

  /// Resumes the stored state. All other rooms must exist already.
  package func restore(_ room: StoredRoom, images files: [String: [UInt8]]) {
    execution.restoreImages(files)
    perform { $0.restore(room.jobs, room.forwards ?? [], room.players ?? []) }
  }

  /// Ends every session with `ended` and closes the room. A second call has no effect.
  package func close(_ ended: EndedData) async {
    guard !execution.core.isClosed else { return }
    if ended.reason == .serverStopping { execution.peers.fallSilent() }
    perform { $0.close(ended) }
    await reportClosed()
  }

  /// Ends the room on this server, because another one continues it: stops its media and jobs, and passes it to the store for the
  /// last time. The room's clients keep their sockets, without answers, until ``redirect(_:)``.
  /// - Returns: the ticket of the last write; nil if the room has closed.
  package func depart() -> StoreTicket? {
    guard let store = dependencies.store, !execution.core.isClosed else { return nil }
    (hasDeparted, hasReportedClosed) = (true, true)
    execution.sockets.depart()
    execution.programs.depart()
    guard let record = try? perform({ $0.depart() })?.record(JSONEncoder(), after: nil) else {
      execution.log.error("a room that moves can't be encoded; it continues as it was stored before")
      return store.newest
    }
    return store.note(.room(name: name, record))
  }

  /// Ends the sessions of a room that has departed.
  package func redirect(_ ended: EndedData) { execution.sockets.redirect(ended) }

  /// Returns once the room has ended with all of its jobs, or when the calling task is cancelled. Call it once.
  package nonisolated func isOver() async { for await _ in over {} }

  /// Returns the changes since the last call, for the store; nil if the room is closed.
  package func takeStored() -> StoredRoomChange? { execution.core.takeStored() }
  /// Records that the store lost the room: the next change contains all of it.
  package func forgetStored() { execution.core.state.forgetStored() }

  // MARK: Other rooms

  /// Handles another room's message about a PK.
  /// - Returns: false if the room has departed: its next server is to get the message. The core answers for a room that has closed.
  @discardableResult package func receive(_ message: PKMessage) -> Bool {
    guard !hasDeparted else { return false }
    perform { $0.receive(message) }
    return true
  }

  /// Lets a participant of another room appear in this one, until it publishes nothing any more or is removed here.
  /// - Throws: as ``RoomCore/forward(_:from:_:)``.
  package func receive(_ user: UserID, from source: RoomName, _ profile: ParticipantProfile?) throws(RoomError) {
    guard !hasDeparted else { throw RoomError(.joinFailed, "the room moves to another server; try again in a second") }
    try perform { core throws(RoomError) in try core.forward(user, from: source, profile) }
  }

  /// Returns what a user may see of seats, requests, PK, messages, attributes and jobs; all for nil.
  package func state(for user: UserID?) -> RoomSnapshot {
    var snapshot = execution.core.snapshot(for: user)
    snapshot.play = playURLs
    return snapshot
  }

  /// The URLs at which an audience plays the room, signed now.
  package var playURLs: PlayURLs { execution.playURLs() }

  package nonisolated func statistics() async -> RoomStatistics {
    let media = await media.statistics()
    return await read { RoomStatistics(of: $0, media) }
  }

  /// Returns the status of the jobs.
  package func jobStatus() async -> [JobStatusData] { await execution.probes.statuses() }

  func reportJobStatus() async {
    let status = await jobStatus()
    perform { $0.reported(status) }
  }
}
