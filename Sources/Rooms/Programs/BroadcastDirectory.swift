import RoomCodecs
import RoomLiveOrigin
import Logging
import NIOCore
import NIOPosix
import RoomPush
import RoomRTMP
import RoomRelay
import RoomProtocol
import Synchronization

/// The broadcasts of this server by their publish URL, whichever rooms feed them.
///
/// Jobs are admitted synchronously, so that a room answers at once; later events are passed to the job's listener.
package final class BroadcastDirectory: Sendable {
  typealias Listener = @Sendable (BroadcastEvent) -> Void
  /// Called once when a recording has ended.
  typealias RecordingListener = @Sendable (RecordingName, FileOutlet.Summary) -> Void

  /// The job that records, and the listener for the end of its recording.
  struct Recorder: Sendable {
    let owner: RecordingOwner?
    let ended: RecordingListener

    static let none = Recorder(owner: nil, ended: { _, _ in })
  }

  /// A job's registration with its broadcast.
  struct Registration: Sendable {
    let broadcast: LiveBroadcast
    let program: ProgramID
    /// Whether it goes to the origin of this server or to a file, without a connection that could fail.
    let isDirect: Bool
    /// The recording made in addition to the main output.
    let recording: RecordingName?
  }

  private struct Entry {
    let broadcast: LiveBroadcast
    let isDirect: Bool
    /// Made in addition to the main output.
    var recording: RecordingName?
    var serialNumber: Int
    /// The rooms whose tokens may take over.
    var owners: Set<RoomName>
    var listeners: [ProgramID: Listener] = [:]
    /// Whether another server continues its timeline.
    var departs = false

    func registration(_ program: ProgramID) -> Registration {
      Registration(broadcast: broadcast, program: program, isDirect: isDirect, recording: recording)
    }
  }

  private struct State {
    var entries: [String: Entry] = [:]
    var lastProgram: UInt64 = 0
    var isStopping = false
    /// Wait for connections of broadcasts that are over: what waits in them is sent before they are closed.
    var closing: [ObjectIdentifier: Task<Void, Never>] = [:]
    /// Totals of the broadcasts that have ended.
    var past = BroadcastTotals()
    /// Created with the first broadcast.
    var group: MultiThreadedEventLoopGroup?
    /// Start times, by key, of the broadcasts that were running when the server stopped; milliseconds since 1970.
    var startTimes: [String: Int64] = [:]

    mutating func nextProgram() -> ProgramID {
      lastProgram += 1
      return ProgramID(lastProgram)
    }
  }

  private let settings: RelaySettings
  /// Nil if this server has no origin to publish to.
  private let origin: (any LocalOrigin)?
  /// Nil if recording is disabled.
  package let recordings: Recordings?
  /// The audio encoders of all broadcasts: those that send the same audio share one.
  private let encoders = AACEncoderPool()
  private let count: @Sendable (RoomCount) -> Void
  private let log: Logger
  /// Nil if nothing is stored.
  private let store: StoreWriter?
  /// Locked while a job is admitted, which may open an encoder and create files. Broadcasts report under the lock of the state
  /// and do not wait for that.
  private let registrationLock = Mutex(())
  private let state = Mutex(State())

  package init(
    _ settings: RelaySettings, origin: (any LocalOrigin)? = nil, count: @escaping @Sendable (RoomCount) -> Void = { _ in },
    store: StoreWriter? = nil, events: any WebhookEventSink = NoWebhookEvents(), log: Logger
  ) {
    self.settings = settings
    self.store = store
    self.origin = origin
    recordings = settings.recordings.map { Recordings($0) { events.tell($0, log: log) } }
    self.count = count
    self.log = log
  }

  /// A job to be admitted to a broadcast.
  private struct Request {
    let target: BroadcastTarget
    let claim: BroadcastClaim
    let serialNumber: Int
    let recording: RecordingName?
    let isRestored: Bool
    let recorder: Recorder
    let listener: Listener
  }

  /// Finds or creates the broadcast of a URL for one more job, whose serial number must be larger than that of the last.
  /// - Parameters:
  ///   - claim: the authority behind the job.
  ///   - recording: the recording to make in addition. The recording starts if the broadcast has none; a running recording is
  ///     kept.
  ///   - isRestored: whether the job was running when the server stopped. The job's recording continues in the next free file
  ///     of its name; if none can be created, the broadcast continues unrecorded.
  /// - Throws: 10003 if the claim does not cover the broadcast; 80201 if the serial number is too small, the server has no
  ///   capacity for another broadcast, or no file can be created; 80204 if recording is disabled.
  func register(
    _ url: PublishURL, claim: BroadcastClaim, recording: RecordingName? = nil, isRestored: Bool = false,
    recorder: Recorder = .none, listener: @escaping Listener
  ) throws(RoomError) -> Registration {
    let request = Request(
      target: try BroadcastTarget(to: url, origin: origin, records: recordings != nil), claim: claim,
      serialNumber: url.serialNumber ?? 0, recording: recording, isRestored: isRestored, recorder: recorder, listener: listener)
    if recording != nil, recordings == nil, !isRestored { throw RoomError.recordingDisabled("record") }
    return try registrationLock.withLock { _ throws(RoomError) in
      if let registration = try join(request) { return registration }
      let registration = try begin(request)
      log.info("broadcast started", metadata: ["target": "\(url)"])
      return registration
    }
  }

  /// Returns a registration with the running broadcast; nil if there is none.
  private func join(_ request: Request) throws(RoomError) -> Registration? {
    let key = request.target.key
    let joined: Result<(registration: Registration, before: Entry)?, RoomError> = state.withLock { state in
      guard !state.isStopping else { return .failure(RoomError(.publishFailed, "the server is stopping")) }
      do throws(RoomError) {
        try request.claim.check(request.target.stream, owners: state.entries[key]?.owners)
      } catch { return .failure(error) }
      guard var entry = state.entries[key] else { return .success(nil) }
      guard request.serialNumber > entry.serialNumber else {
        return .failure(
          RoomError(
            .publishFailed,
            "a job with serialnum \(entry.serialNumber) sends to this URL; give a larger serialnum than that to take over"))
      }
      if let other = entry.recording, let name = request.recording, name != other {
        return .failure(RoomError(.publishFailed, "record: this broadcast is already being recorded as \(other)"))
      }
      let before = entry
      let program = state.nextProgram()
      entry.serialNumber = request.serialNumber
      entry.listeners[program] = request.listener
      entry.recording = entry.recording ?? request.recording
      if request.claim.isTrusted, let room = request.claim.room { entry.owners.insert(room) }
      state.entries[key] = entry
      return .success((entry.registration(program), before))
    }
    guard let (registration, before) = try joined.get() else { return nil }
    guard before.recording == nil, let name = request.recording else { return registration }
    do throws(RoomError) {
      let outlet = try record(name, for: request, isOnlyOutput: false)
      Task { await registration.broadcast.add(outlet) }
      return registration
    } catch {
      return try withoutRecording(registration, before: before, request, error)
    }
  }

  /// Reverts what ``join(_:)`` registered for a recording that can't be made; for a new job, everything.
  private func withoutRecording(
    _ registration: Registration, before: Entry, _ request: Request, _ error: RoomError
  ) throws(RoomError) -> Registration {
    let key = request.target.key
    let entry = state.withLock { state -> Entry? in
      guard var entry = state.entries[key], entry.broadcast === registration.broadcast else { return nil }
      if entry.recording == request.recording { entry.recording = nil }
      if !request.isRestored {
        entry.serialNumber = before.serialNumber
        entry.owners = before.owners
        entry.listeners[registration.program] = nil
      }
      state.entries[key] = entry
      return entry
    }
    guard request.isRestored else { throw error }
    return entry?.registration(registration.program) ?? registration
  }

  /// Returns a registration with a new broadcast.
  private func begin(_ request: Request) throws(RoomError) -> Registration {
    let key = request.target.key
    let reserved: Result<(ProgramID, any EventLoop, age: Int64?), RoomError> = state.withLock { state in
      guard state.entries.count < settings.limit else {
        count(.limit(.broadcasts))
        return .failure(RoomError(.publishFailed, "the server has \(settings.limit) broadcasts, which is its limit"))
      }
      let group = state.group ?? MultiThreadedEventLoopGroup(numberOfThreads: max(1, settings.threads ?? System.coreCount))
      state.group = group
      return .success((state.nextProgram(), group.next(), takeAge(of: key, &state)))
    }
    let (program, loop, age) = try reserved.get()
    do throws(RoomError) {
      let (made, recording) = try make(request, age: age, on: loop)
      let entry = Entry(
        broadcast: made, isDirect: request.target.isDirect, recording: recording, serialNumber: request.serialNumber,
        owners: Set([request.claim.room].compactMap(\.self)), listeners: [program: request.listener])
      state.withLock { $0.entries[key] = entry }
      return entry.registration(program)
    } catch {
      store?.note(.broadcast(key, begun: nil))
      throw error
    }
  }

  /// Restores start times: a broadcast that was running keeps its timeline if it restarts before ``forgetStartTimes()``.
  package func restore(begun: [String: Int64]) { state.withLock { $0.startTimes = begun } }

  /// Drops the start times of broadcasts that have not restarted.
  package func forgetStartTimes() {
    let gone = state.withLock { state in
      defer { state.startTimes = [:] }
      return state.startTimes.keys
    }
    for key in gone { store?.note(.broadcast(key, begun: nil)) }
  }

  /// Returns the microseconds since a broadcast started; nil if it starts now.
  private func takeAge(of key: String, _ state: inout State) -> Int64? {
    let now = RoomTime.now.unix
    guard let begun = state.startTimes.removeValue(forKey: key) else {
      store?.note(.broadcast(key, begun: now))
      return nil
    }
    // In a cluster the entry belonged to the node that ran the broadcast before.
    store?.note(.broadcast(key, begun: begun))
    return max(0, now - begun) * 1000
  }

  /// The broadcast of a room that moves: its start time stays stored for the next server.
  func depart(_ registration: Registration) {
    state.withLock { state in
      for (key, entry) in state.entries where entry.broadcast === registration.broadcast { state.entries[key]?.departs = true }
    }
  }

  private func make(
    _ request: Request, age: Int64?, on loop: any EventLoop
  ) throws(RoomError) -> (LiveBroadcast, recording: RecordingName?) {
    let key = request.target.key
    var outlets: [any BroadcastOutlet] = []
    var address: PushAddress?
    switch request.target {
    case .push(let server, _): address = server
    case .file(let name): outlets = [try record(name, for: request, isOnlyOutput: true)]
    case .origin(let origin, let path):
      let outlet = try origin.publish(path) { [weak self] reason in
        self?.fail(key, .rejected(code: "", reason: reason))
      }
      outlets = [outlet]
    }
    do {
      var recording = request.recording
      if let name = recording {
        do throws(RoomError) { outlets.append(try record(name, for: request, isOnlyOutput: false)) } catch {
          // A restored broadcast continues even if it can't be recorded.
          guard request.isRestored else { throw error }
          recording = nil
        }
      }
      let made = try LiveBroadcast(
        to: address, outlets: outlets, settings: settings.broadcasts, age: age, encoders: encoders, loop: loop
      ) { [weak self] event in
        self?.handle(event, of: key)
      }
      return (made, recording)
    } catch {
      for outlet in outlets { outlet.close() }
      throw error as? RoomError ?? RoomError(.publishFailed, "the audio encoder can't be opened: \(error)")
    }
  }

  // MARK: Recordings

  /// Creates the file of a recording.
  /// - Parameter isOnlyOutput: whether the broadcast has no other output, and fails with the recording.
  private func record(_ name: RecordingName, for request: Request, isOnlyOutput: Bool) throws(RoomError) -> FileOutlet {
    let (key, recorder) = (request.target.key, request.recorder)
    guard let recordings else {
      log.warning("recording rejected", metadata: ["file": "\(name)", "reason": "the server was started without --recordings"])
      throw RoomError.recordingDisabled("record")
    }
    do throws(RecordingFailure) {
      let outlet = try recordings.begin(name, of: recorder.owner, resumes: request.isRestored) { [weak self] summary in
        self?.recorded(name, of: key, summary, isOnlyOutput: isOnlyOutput)
        recorder.ended(name, summary)
      }
      log.info("recording started", metadata: ["file": "\(name)"])
      return outlet
    } catch {
      log.warning("recording rejected", metadata: ["file": "\(name)", "reason": "\(error)"])
      throw RoomError(.publishFailed, "\(error)")
    }
  }

  /// Logs that a track can't be recorded, or no longer.
  func trackFailed(_ track: RecordedTrackSource, _ owner: RecordingOwner, _ failure: RecordingFailure) {
    log.warning(
      "recording of a track failed",
      metadata: [
        "room": "\(owner.room)", "job": "\(owner.job)", "user": "\(track.user)", "kind": "\(track.kind)",
        "reason": "\(failure)",
      ])
  }

  private func recorded(_ name: RecordingName, of key: String, _ summary: FileOutlet.Summary, isOnlyOutput: Bool) {
    var metadata: Logger.Metadata = [
      "files": "\(summary.files.joined(separator: " "))", "bytes": "\(summary.bytes)",
      "droppedPictures": "\(summary.droppedPictures)",
    ]
    guard let failure = summary.failure else { return log.info("recording over", metadata: metadata) }
    metadata["file"] = "\(name)"
    metadata["reason"] = "\(failure)"
    log.warning("recording failed", metadata: metadata)
    if isOnlyOutput {
      fail(key, .file("\(failure)"))
    } else {
      state.withLock { state in
        if state.entries[key]?.recording == name { state.entries[key]?.recording = nil }
      }
    }
  }

  private func fail(_ key: String, _ failure: PushFailure) {
    guard let broadcast = state.withLock({ $0.entries[key]?.broadcast }) else { return }
    Task { await broadcast.fail(failure) }
  }

  /// Returns the totals of all broadcasts since the start, with the running ones by their state.
  package func totals() async -> BroadcastTotals {
    var (totals, live) = state.withLock { ($0.past, $0.entries.values.map(\.broadcast)) }
    if let recordings { totals.recordings = recordings.counters }
    (totals.encodedStreams, totals.encoders) = (encoders.streams, encoders.encoders)
    for broadcast in live {
      let status = await broadcast.status()
      totals.add(status)
      totals.live[status.state, default: 0] += 1
      totals.queued = max(totals.queued, status.queued)
    }
    return totals
  }

  private func handle(_ event: BroadcastEvent, of key: String) {
    let listeners: [Listener] = state.withLock { state in
      guard var entry = state.entries[key] else { return [] }
      defer { state.entries[key] = entry }
      switch event {
      case .onAir(let program), .continued(let program, _): return entry.listeners[program].map { [$0] } ?? []
      case .ended(let program, _): return entry.listeners.removeValue(forKey: program).map { [$0] } ?? []
      case .state(_, let failure):
        if let failure { state.past.failures[failure.name, default: 0] += 1 }
        return Array(entry.listeners.values)
      case .over(let status):
        state.past.add(status)
        return []
      }
    }
    for listener in listeners { listener(event) }
    guard case .over = event else { return }
    // Jobs that joined just before the broadcast ended are notified of its end.
    let last = state.withLock { state in
      let last = state.entries.removeValue(forKey: key)
      if let last { awaitEnd(of: last.broadcast, &state) }
      return last
    }
    if last?.departs != true { store?.note(.broadcast(key, begun: nil)) }
    for (program, listener) in last?.listeners ?? [:] { listener(.ended(program, .stopped)) }
    log.info("broadcast over")
  }

  private func awaitEnd(of broadcast: LiveBroadcast, _ state: inout State) {
    let id = ObjectIdentifier(broadcast)
    state.closing[id] = Task {
      await broadcast.closed()
      self.state.withLock { $0.closing[id] = nil }
    }
  }

  /// Stops all broadcasts, and waits until their connections are closed.
  package func stop() async {
    let entries = registrationLock.withLock { _ in
      state.withLock { state in
        state.isStopping = true
        return Array(state.entries.values)
      }
    }
    for entry in entries {
      for program in entry.listeners.keys { await entry.broadcast.stop(program) }
    }
    // A broadcast whose last program ends at this moment is over after this.
    for entry in entries { await entry.broadcast.closed() }
    for task in state.withLock({ Array($0.closing.values) }) { await task.value }
    await recordings?.stop()
  }

  /// Stops the threads.
  package func endThreads() async {
    let group = state.withLock { state in
      defer { state.group = nil }
      return state.group
    }
    try? await group?.shutdownGracefully()
  }
}
