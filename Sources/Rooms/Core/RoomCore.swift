import Foundation
import Logging
import RoomRTP
import RoomRelay
import RoomProtocol
import RoomState
import RoomToken
import RoomSFU
import RoomWebRTC

/// All decisions of a room: its participants, what they publish and receive, its jobs, its PK.
///
/// A pure state machine without sockets, threads, a clock or a random source of its own. The core's driver does the following,
/// one input after the other:
/// - sets the time with ``advance(to:)``, also at ``deadline``;
/// - passes one input by calling one method;
/// - performs ``takeOutputs()``, in order. Some outputs require an answer, which is an input: ``began(_:_:)``, ``made(_:_:)``,
///   ``arranged(_:_:)``, ``reported(_:)``.
///
/// The methods record what they change. ``reconcile()`` then updates subscriptions, viewers, jobs, mixes and loans, once for
/// each input, at a cost that depends on what changed.
package struct RoomCore: Sendable {
  /// The job of the room's own mix, and the participant that represents it.
  static let stageJob = JobID.stage
  static let stageUser: UserID = "@mix"
  /// Minimum time before a new room closes for being empty.
  static let firstEmptyTime = Duration.seconds(10)

  /// The purpose of a timer.
  enum Timer: Hashable, Sendable {
    /// The grace time of a disconnected participant ends.
    case grace(UserID)
    /// The time for which a client's old transport continues after a move ends.
    case leaving(UserID)
    /// The grace time of a disconnected viewer ends.
    case viewer(SessionResourceID)
    case empty
    /// The grace time of the users of a restored room ends.
    case absence
    /// A participant of another room that publishes nothing is removed.
    case forward(UserID)
    /// The wait for the tracks of the other room's anchor ends.
    case guest(UserID)
    /// The room's own jobs that failed are retried.
    case ownJobs
    case speaker
    case jobStatus
    /// A user that took a seat is no longer awaited.
    case stage
    /// The time of the editor of a composition is over.
    case composition
    /// Collected changes of connections' quality are sent.
    case quality
    /// Backups may be late, and renditions that nobody receives are due to end.
    case renditions
    /// No viewer has asked for the program of the watch page.
    case watchProgram
    /// A mix has not changed for a while, and is offered to other rooms.
    case sharing(MixID)
  }

  let name: RoomName
  /// Milliseconds since 1970.
  let createdAt: Int64
  package internal(set) var settings: Settings
  /// Seats, requests, PK, messages and attributes.
  var state: RoomState
  var roster = Roster()
  var viewers = Viewers()
  /// The user shown to viewers who did not name one.
  var stage = SpeakerStage()
  /// Loudest first.
  var activeSpeakers: [UserID] = []
  /// The participants whose connection's quality changed since the last event.
  var changedQualities: Set<UserID> = []
  var jobs: [JobID: Job] = [:]
  /// Jobs whose broadcast and mix are being made.
  var newJobs: [JobID: NewJob] = [:]
  var mixes: [MixID: Mix] = [:]
  /// The participants whose tracks come from a file or a URL.
  var players: [UserID: Player] = [:]
  var lastPlayer = 0
  /// The steps that follow when a mix is made or changed.
  var mixSteps: [MixID: MixStep] = [:]
  /// The versions of the images that mixes may show.
  var images: [String: Int] = [:]
  /// What the users on stage are composed to.
  var program = StageProgram()
  /// The running PK's effects on this room.
  var pk: PKStage?
  /// Tracks lent to other rooms.
  var lending: [Borrower: Lending] = [:]
  /// Participants of other rooms whose tracks appear in this one.
  var forwards: [UserID: Forward] = [:]
  /// Users of a restored room that have not returned.
  var absent: [UserID] = []
  package private(set) var isClosed = false
  private(set) var now: RoomTime
  var entropy: Entropy
  var ids = MediaIDs()
  var timers = Timers<Timer>()
  var changes = Changes()
  private var lastMix: UInt32 = 0
  private var outputs: [RoomOutput] = []
  /// When the program for the watch page was begun last.
  var watchTried: Instant?
  /// The tracks in other codecs than published, by their media.
  var renditions: [MediaTrackID: OfferedRendition] = [:]
  /// The second codecs of tracks, as subscribers have needed them and publishers have sent them.
  var backups: [BackupKey: TrackBackup] = [:]
  private var lastOrders: [ProgramOrder] = []

  /// - Parameters:
  ///   - stored: the state from before the server stopped; call ``restore(_:)`` afterwards.
  ///   - attributes: those of a new room; valid ones.
  init(
    name: RoomName, settings: Settings, stored: RoomState? = nil, attributes: [String: String] = [:], at now: RoomTime,
    entropy: Entropy = .system
  ) {
    self.name = name
    self.settings = settings
    self.now = now
    self.entropy = entropy
    createdAt = stored?.createdAt ?? now.unix
    var state = stored ?? RoomState(name: name, createdAt: now.unix, rules: settings.rules, attributes: attributes)
    if stored != nil { state.restore(at: now.unix) }
    self.state = state
    let wait = max(settings.emptyTime, Self.firstEmptyTime, stored == nil ? .zero : settings.graceTime)
    timers.set(.empty, at: now.instant.advanced(by: wait))
  }

  // MARK: Time

  /// When ``advance(to:)`` is due again; nil while no timer is set.
  var deadline: Instant? {
    mutating get {
      guard !isClosed else { return nil }
      let state = state.nextDeadline.map { now.instant.advanced(microseconds: max(0, $0 - now.unix) * 1000) }
      guard let timer = timers.next else { return state }
      return state.map { min($0, timer) } ?? timer
    }
  }

  /// Advances the clock and runs the timers that are due, each as an input of its own: what follows sees no track that a timer
  /// removed. An earlier time has no effect.
  mutating func advance(to now: RoomTime) {
    self.now = RoomTime(instant: max(self.now.instant, now.instant), unix: max(self.now.unix, now.unix))
    guard !isClosed else { return }
    while let timer = timers.takeDue(self.now.instant) {
      expire(timer)
      reconcile()
    }
    if let due = state.nextDeadline, due <= self.now.unix {
      changeState { _ in }
      reconcile()
    }
  }

  private mutating func expire(_ timer: Timer) {
    switch timer {
    case .grace(let user):
      if roster[user]?.isConnected == false { end(user, EndedData(reason: .timedOut)) }
    case .leaving(let user): endLeaving(of: user)
    case .viewer(let id): endViewer(id, because: "timed out")
    case .empty: if isEmpty { close(EndedData(reason: .roomClosed)) }
    case .absence: endAbsence()
    case .guest(let user): showPK(user)
    case .sharing(let mix): share(mix)
    case .forward(let user): endEmptyForward(of: user)
    case .ownJobs: changes.ownJobs = true
    case .speaker: changes.speakers = true
    case .jobStatus: askForJobStatus()
    case .stage: changes.stage = true
    case .composition: showPending()
    case .quality: sendQualities()
    case .renditions: checkRenditions()
    case .watchProgram: endWatchProgram()
    }
  }

  func time(in duration: Duration) -> Instant { now.instant.advanced(by: duration) }

  // MARK: Outputs

  mutating func emit(_ output: RoomOutput) { outputs.append(output) }

  /// The position of the next output: ``emit(_:at:)`` inserts an answer before what it causes.
  var mark: Int { outputs.count }
  mutating func emit(_ output: RoomOutput, at mark: Int) { outputs.insert(output, at: min(mark, outputs.count)) }

  /// Returns the pending outputs, in order, and clears them.
  mutating func takeOutputs() -> [RoomOutput] {
    reconcile()
    for order in lastOrders { emit(.program(order)) }
    lastOrders = []
    let taken = outputs
    outputs = []
    return taken
  }

  mutating func log(_ level: Logger.Level = .info, _ message: String, _ metadata: Logger.Metadata = [:]) {
    emit(.log(level, message, metadata))
  }

  mutating func count(_ count: RoomCount) { emit(.count(count)) }
  mutating func order(_ order: MediaOrder) { emit(.media(order)) }
  mutating func order(_ order: ProgramOrder) { emit(.program(order)) }

  /// Gives an order whose result is an input. The order follows all other outputs, because what that input causes is performed
  /// directly after it, and may end what they name.
  mutating func orderLast(_ order: ProgramOrder) { lastOrders.append(order) }

  // MARK: Events

  mutating func send(_ event: SignalEvent, to user: UserID) {
    if let participant = roster[user], participant.presence.isClient, let connection = participant.connection {
      emit(.send(event, to: connection))
    }
  }

  /// Sends an event to all participants except one user.
  mutating func broadcast(_ event: SignalEvent, besides user: UserID? = nil) {
    emit(.broadcast(event, .everyone(besides: user.flatMap { roster[$0]?.connection })))
  }

  mutating func send(_ event: SignalEvent, to users: some Sequence<UserID>) {
    let connections = users.compactMap { user in
      roster[user].flatMap { $0.presence.isClient ? $0.connection : nil }
    }
    if !connections.isEmpty { emit(.broadcast(event, .these(connections))) }
  }

  mutating func broadcastConnection(of user: UserID) {
    guard let participant = roster[user], !participant.isHidden else { return }
    broadcast(.connectionChanged(ConnectionData(userId: user, connected: participant.isConnected)), besides: user)
  }

  // MARK: Identifiers

  mutating func newTrackID() -> TrackID { TrackID("TR_" + entropy.uuid().filter { $0 != "-" }.prefix(16)) }

  mutating func newMixID() -> MixID {
    lastMix &+= 1
    return MixID(lastMix)
  }

  /// Returns the server's side of a new transport.
  /// - Parameter annex: opens it; nil for this process.
  mutating func localTransport(_ role: DTLSRole = .server, at annex: MediaAnnexID? = nil) -> TransportParameters {
    let addresses = annex.flatMap(settings.addresses)
    return TransportParameters(
      credentials: .random(using: &entropy), fingerprints: addresses.map { [$0.fingerprint] } ?? settings.fingerprints,
      role: role, iceLite: true, candidates: addresses?.candidates ?? settings.candidates())
  }

  // MARK: Closing

  /// The number of people who only watch in the room: WHEP sessions, and participants that publish nothing and have no seat.
  var audience: Int { crowd.total.viewers }

  /// The people of the room, and those of them whose media other servers have.
  var crowd: Crowd {
    var crowd = Crowd(viewers, participants: roster.visible.count, annexes: roster.annexes.values)
    // Each change of a room counts its people. So only the few who do more than watch are looked up.
    for user in roster.publishers.union(state.allSeats.compactMap(\.userId)) {
      if roster.isVisible(user) { crowd.excludeFromViewers(of: roster.annexes[user]) }
    }
    return crowd
  }

  /// Whether the room has no viewers and only participants that the server itself added.
  ///
  /// A room whose anchor is in a PK stays open for it: the anchor may have moved, and returns.
  var isEmpty: Bool { roster.peopleCount == 0 && viewers.count == 0 && pk == nil }

  /// Ends every session with `ended` and closes the room. A second call has no effect.
  mutating func close(_ ended: EndedData) {
    guard !isClosed else { return }
    changeState { $0.close() }
    reportClosing(ended)
    endSessions(ended)
  }

  /// Ends the room here, because another server continues it. The room's state does not change: nobody leaves, and a PK
  /// continues.
  /// - Returns: all of the room, for the store; nil if it is closed.
  mutating func depart() -> StoredRoomChange? {
    guard !isClosed else { return nil }
    state.forgetStored()
    let last = takeStored()
    endSessions(EndedData(reason: .serverStopping))
    return last
  }

  private mutating func endSessions(_ ended: EndedData) {
    isClosed = true
    let gone = roster.order.compactMap { roster.remove($0) }
    for participant in gone { if let connection = participant.connection { emit(.end(connection, ended)) } }
    // Done last, so that no participant is notified of jobs that end with the room.
    for participant in gone { leavePresence(participant) }
    for borrower in lending.keys where borrower.forwarded != nil { order(.lend([], to: borrower)) }
    viewers = Viewers()
    timers.cancelAll()
    for job in jobs.values { stop(job.id) }
    order(.closeRoom)
    log(.info, "room closed", ["reason": "\(ended.reason)"])
    emit(.closed)
    // Jobs that still run report their end.
    if jobs.isEmpty { emit(.finished) }
  }
}

extension Instant {
  func advanced(by duration: Duration) -> Instant {
    let (seconds, attoseconds) = duration.components
    let micros = seconds.multipliedReportingOverflow(by: 1_000_000)
    guard !micros.overflow else { return Instant(microseconds: .max) }
    return advanced(microseconds: micros.partialValue &+ attoseconds / 1_000_000_000_000)
  }
}
