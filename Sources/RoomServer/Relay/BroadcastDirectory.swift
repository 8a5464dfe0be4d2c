import LiveOrigin
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import RTMP
import Relay
import RoomProtocol

/// What broadcasts did, added up.
struct BroadcastTotals: Sendable {
  var bytes: UInt64 = 0
  var droppedFrames: UInt64 = 0
  var connections = 0
  var takeovers: UInt64 = 0
  /// Lost and refused connections, by cause.
  var failures: [String: Int] = [:]
  /// Those at work.
  var live: [PushState: Int] = [:]
  /// Milliseconds that wait in the fullest queue.
  var queued = 0
  var recordings = RecordingCounters()

  mutating func add(_ status: LiveBroadcast.Status) {
    bytes &+= status.bytes
    droppedFrames &+= status.dropped
    connections &+= status.connections
    takeovers &+= status.takeovers
  }
}

/// The broadcasts of this server by their publish URL, whichever rooms feed them.
///
/// Synchronous where a job is let in, so that a room answers at once; what then happens comes to the job's listener.
final class BroadcastDirectory: Sendable {
  typealias Listener = @Sendable (BroadcastEvent) -> Void
  /// Hears once of a recording that is over.
  typealias RecordingListener = @Sendable (RecordingName, FileOutlet.Summary) -> Void

  /// A job's hold on its broadcast.
  struct Place: Sendable {
    let broadcast: LiveBroadcast
    let program: ProgramID
    /// Whether it goes to the origin of this server or into a file, with no connection that could fail.
    let isDirect: Bool
    /// What it is recorded as beside that.
    let recording: RecordingName?
  }

  private struct Entry {
    let broadcast: LiveBroadcast
    let isDirect: Bool
    /// Beside its own way.
    var recording: RecordingName?
    var serialNumber: Int
    var listeners: [ProgramID: Listener] = [:]

    func place(_ program: ProgramID) -> Place {
      Place(broadcast: broadcast, program: program, isDirect: isDirect, recording: recording)
    }
  }

  private struct State {
    var entries: [String: Entry] = [:]
    var lastProgram: UInt64 = 0
    var isStopping = false
    /// Of the broadcasts that are over.
    var past = BroadcastTotals()
    /// Made with the first broadcast.
    var group: MultiThreadedEventLoopGroup?
    /// Milliseconds since 1970 at which the times of broadcasts were 0 that were on when the server ended.
    var begun: [String: Int64] = [:]
  }

  private let settings: RelaySettings
  /// Nil where there is none to publish to.
  private let origin: Origin?
  /// Nil where nothing may be recorded.
  private let recordings: Recordings?
  private let counters: ServerCounters
  private let log: Logger
  /// Nil where nothing outlives the server.
  private let store: StoreWriter?
  private let state = NIOLockedValueBox(State())

  init(
    _ settings: RelaySettings, origin: Origin? = nil, counters: ServerCounters, store: StoreWriter? = nil, log: Logger
  ) {
    self.settings = settings
    self.store = store
    self.origin = origin
    recordings = settings.recordings.map { Recordings($0) }
    self.counters = counters
    self.log = log
  }

  /// Finds or makes the broadcast of a URL for one more job, whose serial number has to be larger than that of the last.
  /// - Parameter recording: what it is recorded as beside. A broadcast that has no recording begins one; one that has goes on.
  /// - Throws: 80201 where it is not, the server has no room for another broadcast, or no file can be made; 80204 where nothing may
  ///   be recorded.
  func place(
    _ url: PublishURL, recording: RecordingName? = nil, recorded: @escaping RecordingListener = { _, _ in },
    listener: @escaping Listener
  ) throws(RoomError) -> Place {
    let way = try way(to: url)
    if recording != nil, recordings == nil { throw Self.recordsNothing("record") }
    let result: Result<Place, RoomError> = state.withLockedValue { state in
      guard !state.isStopping else { return .failure(RoomError(.publishFailed, "the server is stopping")) }
      let serialNumber = url.serialNumber ?? 0
      state.lastProgram += 1
      let program = ProgramID(state.lastProgram)
      if var entry = state.entries[way.key] {
        guard serialNumber > entry.serialNumber else {
          return .failure(
            RoomError(
              .publishFailed,
              "a job with serialnum \(entry.serialNumber) sends to this URL; give a larger serialnum than that to take over"))
        }
        do throws(RoomError) { try record(recording, &entry, key: way.key, recorded) } catch { return .failure(error) }
        entry.serialNumber = serialNumber
        entry.listeners[program] = listener
        state.entries[way.key] = entry
        return .success(entry.place(program))
      }
      guard state.entries.count < settings.limit else {
        counters.count(limit: .broadcasts)
        return .failure(RoomError(.publishFailed, "the server has \(settings.limit) broadcasts and takes no more"))
      }
      let group = state.group ?? MultiThreadedEventLoopGroup(numberOfThreads: max(1, settings.threads ?? System.coreCount))
      state.group = group
      do throws(RoomError) {
        let made = try make(way, recording: recording, recorded, age: age(of: way.key, &state), on: group.next())
        let entry = Entry(
          broadcast: made, isDirect: way.isDirect, recording: recording, serialNumber: serialNumber,
          listeners: [program: listener])
        state.entries[way.key] = entry
        log.info("broadcast begins", metadata: ["target": "\(url)"])
        return .success(entry.place(program))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// How a publish URL is gone to.
  private enum Way {
    case push(RTMPAddress, key: String)
    case origin(Origin, StreamPath)
    case file(RecordingName)

    /// What names the broadcast: all names of this server's origin are one.
    var key: String {
      switch self {
      case .push(_, let key): key
      case .origin(_, let path): "origin:\(path)"
      case .file(let name): "file:\(name)"
      }
    }

    var isDirect: Bool { if case .push = self { false } else { true } }
  }

  private func way(to url: PublishURL) throws(RoomError) -> Way {
    let address: RTMPAddress
    switch url.destination {
    case .file(let name):
      guard recordings != nil else { throw Self.recordsNothing("publishUrl") }
      return .file(name)
    case .server(let server): address = server
    }
    guard let origin, origin.addresses.own(address) else { return .push(address, key: url.broadcast) }
    guard let path = StreamPath(app: address.app, stream: StreamName(address.stream).name) else {
      throw RoomError(.cdnParameters, "publishUrl: no stream of this server can be called so")
    }
    guard origin.door(for: path.app) == nil else {
      throw RoomError(.cdnParameters, "publishUrl: \(path.app) is no application of this server's live streams")
    }
    return .origin(origin, path)
  }

  /// What was on when the server ended goes on in its own time, if it comes back before ``forgetBegun()``.
  func restore(begun: [String: Int64]) { state.withLockedValue { $0.begun = begun } }

  /// What has not come back is over.
  func forgetBegun() {
    let gone = state.withLockedValue { state in
      defer { state.begun = [:] }
      return state.begun.keys
    }
    for key in gone { store?.note(.broadcast(key, begun: nil)) }
  }

  /// Microseconds since the time of a broadcast was 0; nil where it begins now.
  private func age(of key: String, _ state: inout State) -> Int64? {
    let now = Room.milliseconds
    guard let begun = state.begun.removeValue(forKey: key) else {
      store?.note(.broadcast(key, begun: now))
      return nil
    }
    return max(0, now - begun) * 1000
  }

  private func make(
    _ way: Way, recording: RecordingName?, _ recorded: @escaping RecordingListener, age: Int64?,
    on loop: any EventLoop
  ) throws(RoomError) -> LiveBroadcast {
    let key = way.key
    var outlets: [any BroadcastOutlet] = []
    var address: RTMPAddress?
    switch way {
    case .push(let server, _): address = server
    case .file(let name): outlets = [try record(name, of: key, isOnlyWay: true, recorded)]
    case .origin(let origin, let path):
      do throws(OriginRefusal) {
        let publication = try origin.beginPublish(path, by: .job) { [weak self] reason in
          self?.fail(key, .rejected(code: "", reason: reason))
        }
        outlets = [OriginOutlet(publication)]
      } catch {
        origin.counters.count(error.reason)
        throw RoomError(.publishFailed, error.sentence)
      }
    }
    do {
      if let recording { outlets.append(try record(recording, of: key, isOnlyWay: false, recorded)) }
      return try LiveBroadcast(
        to: address, outlets: outlets, settings: settings.broadcasts, age: age, loop: loop
      ) { [weak self] event in
        self?.heard(event, of: key)
      }
    } catch {
      for outlet in outlets { outlet.close() }
      throw error as? RoomError ?? RoomError(.publishFailed, "the audio encoder can't be opened: \(error)")
    }
  }

  // MARK: Recordings

  private static func recordsNothing(_ parameter: String) -> RoomError {
    RoomError(.cdnParameters, "\(parameter): this server records nothing; it was started without --recordings")
  }

  /// Begins the recording of a broadcast that is there, where it is asked for and not at work.
  private func record(
    _ name: RecordingName?, _ entry: inout Entry, key: String, _ recorded: @escaping RecordingListener
  ) throws(RoomError) {
    guard let name, name != entry.recording else { return }
    if let other = entry.recording {
      throw RoomError(.publishFailed, "record: what goes to this URL is recorded as \(other) already")
    }
    let outlet = try record(name, of: key, isOnlyWay: false, recorded)
    entry.recording = name
    let broadcast = entry.broadcast
    Task { await broadcast.add(outlet) }
  }

  private func record(
    _ name: RecordingName, of key: String, isOnlyWay: Bool, _ recorded: @escaping RecordingListener
  ) throws(RoomError) -> FileOutlet {
    guard let recordings else { throw Self.recordsNothing("record") }
    do throws(RecordingFailure) {
      let outlet = try recordings.begin(name) { [weak self] summary in
        self?.recorded(name, of: key, summary, isOnlyWay: isOnlyWay)
        recorded(name, summary)
      }
      log.info("recording begins", metadata: ["file": "\(name)"])
      return outlet
    } catch {
      log.warning("recording refused", metadata: ["file": "\(name)", "reason": "\(error)"])
      throw RoomError(.publishFailed, "\(error)")
    }
  }

  private func recorded(_ name: RecordingName, of key: String, _ summary: FileOutlet.Summary, isOnlyWay: Bool) {
    var metadata: Logger.Metadata = [
      "files": "\(summary.files.joined(separator: " "))", "bytes": "\(summary.bytes)",
      "droppedPictures": "\(summary.droppedPictures)",
    ]
    guard let failure = summary.failure else { return log.info("recording over", metadata: metadata) }
    metadata["file"] = "\(name)"
    metadata["reason"] = "\(failure)"
    log.warning("recording failed", metadata: metadata)
    if isOnlyWay {
      fail(key, .file(failure))
    } else {
      state.withLockedValue { state in
        if state.entries[key]?.recording == name { state.entries[key]?.recording = nil }
      }
    }
  }

  private func fail(_ key: String, _ failure: PushFailure) {
    guard let broadcast = state.withLockedValue({ $0.entries[key]?.broadcast }) else { return }
    Task { await broadcast.fail(failure) }
  }

  /// All broadcasts since the start, and those at work by their state.
  func totals() async -> BroadcastTotals {
    var (totals, live) = state.withLockedValue { ($0.past, $0.entries.values.map(\.broadcast)) }
    if let recordings { totals.recordings = recordings.counters }
    for broadcast in live {
      let status = await broadcast.status()
      totals.add(status)
      totals.live[status.state, default: 0] += 1
      totals.queued = max(totals.queued, status.queued)
    }
    return totals
  }

  private func heard(_ event: BroadcastEvent, of key: String) {
    let listeners: [Listener] = state.withLockedValue { state in
      guard var entry = state.entries[key] else { return [] }
      defer { state.entries[key] = entry }
      switch event {
      case .onAir(let program): return entry.listeners[program].map { [$0] } ?? []
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
    // Jobs that came just too late for this broadcast are told that it has ended.
    let late = state.withLockedValue { $0.entries.removeValue(forKey: key)?.listeners ?? [:] }
    store?.note(.broadcast(key, begun: nil))
    for (program, listener) in late { listener(.ended(program, .stopped)) }
    log.info("broadcast over")
  }

  /// Ends all broadcasts.
  func stop() async {
    let entries = state.withLockedValue { state in
      state.isStopping = true
      return Array(state.entries.values)
    }
    for entry in entries {
      for program in entry.listeners.keys { await entry.broadcast.stop(program) }
    }
    await recordings?.stop()
  }

  /// Ends the threads.
  func endThreads() async {
    let group = state.withLockedValue { state in
      defer { state.group = nil }
      return state.group
    }
    try? await group?.shutdownGracefully()
  }
}
