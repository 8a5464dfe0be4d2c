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

  /// A job's hold on its broadcast.
  struct Place: Sendable {
    let broadcast: LiveBroadcast
    let program: ProgramID
    /// Whether it goes to the origin of this server, with no connection that could fail.
    let isDirect: Bool
  }

  private struct Entry {
    let broadcast: LiveBroadcast
    let isDirect: Bool
    var serialNumber: Int
    var listeners: [ProgramID: Listener] = [:]
  }

  private struct State {
    var entries: [String: Entry] = [:]
    var lastProgram: UInt64 = 0
    var isStopping = false
    /// Of the broadcasts that are over.
    var past = BroadcastTotals()
    /// Made with the first broadcast.
    var group: MultiThreadedEventLoopGroup?
  }

  private let settings: RelaySettings
  /// Nil where there is none to publish to.
  private let origin: Origin?
  private let counters: ServerCounters
  private let log: Logger
  private let state = NIOLockedValueBox(State())

  init(_ settings: RelaySettings, origin: Origin? = nil, counters: ServerCounters, log: Logger) {
    self.settings = settings
    self.origin = origin
    self.counters = counters
    self.log = log
  }

  /// Finds or makes the broadcast of a URL for one more job, whose serial number has to be larger than that of the last.
  /// - Throws: 80201 where it is not, or the server has no room for another broadcast.
  func place(_ url: PublishURL, listener: @escaping Listener) throws(RoomError) -> Place {
    let way = try way(to: url)
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
        entry.serialNumber = serialNumber
        entry.listeners[program] = listener
        state.entries[way.key] = entry
        return .success(Place(broadcast: entry.broadcast, program: program, isDirect: entry.isDirect))
      }
      guard state.entries.count < settings.limit else {
        counters.count(limit: .broadcasts)
        return .failure(RoomError(.publishFailed, "the server has \(settings.limit) broadcasts and takes no more"))
      }
      let group = state.group ?? MultiThreadedEventLoopGroup(numberOfThreads: max(1, settings.threads ?? System.coreCount))
      state.group = group
      do throws(RoomError) {
        let made = try make(way, on: group.next())
        state.entries[way.key] = Entry(
          broadcast: made, isDirect: way.isDirect, serialNumber: serialNumber, listeners: [program: listener])
        log.info("broadcast begins", metadata: ["target": "\(url)"])
        return .success(Place(broadcast: made, program: program, isDirect: way.isDirect))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// How a publish URL is gone to.
  private enum Way {
    case push(PublishURL)
    case origin(Origin, StreamPath)

    /// What names the broadcast: all names of this server's origin are one.
    var key: String {
      switch self {
      case .push(let url): url.broadcast
      case .origin(_, let path): "origin:\(path)"
      }
    }

    var isDirect: Bool { if case .origin = self { true } else { false } }
  }

  private func way(to url: PublishURL) throws(RoomError) -> Way {
    guard let origin, origin.addresses.own(url.address) else { return .push(url) }
    guard let path = StreamPath(app: url.address.app, stream: StreamName(url.address.stream).name) else {
      throw RoomError(.cdnParameters, "publishUrl: no stream of this server can be called so")
    }
    guard origin.door(for: path.app) == nil else {
      throw RoomError(.cdnParameters, "publishUrl: \(path.app) is no application of this server's live streams")
    }
    return .origin(origin, path)
  }

  private func make(_ way: Way, on loop: any EventLoop) throws(RoomError) -> LiveBroadcast {
    let key = way.key
    var outlets: [any BroadcastOutlet] = []
    var address: RTMPAddress?
    switch way {
    case .push(let url): address = url.address
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
      return try LiveBroadcast(to: address, outlets: outlets, settings: settings.broadcasts, loop: loop) { [weak self] event in
        self?.heard(event, of: key)
      }
    } catch {
      throw RoomError(.publishFailed, "the audio encoder can't be opened: \(error)")
    }
  }

  private func fail(_ key: String, _ failure: PushFailure) {
    guard let broadcast = state.withLockedValue({ $0.entries[key]?.broadcast }) else { return }
    Task { await broadcast.fail(failure) }
  }

  /// All broadcasts since the start, and those at work by their state.
  func totals() async -> BroadcastTotals {
    var (totals, live) = state.withLockedValue { ($0.past, $0.entries.values.map(\.broadcast)) }
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
    for (program, listener) in late { listener(.ended(program, .stopped)) }
    log.info("broadcast over")
  }

  /// Ends all broadcasts and their threads.
  func stop() async {
    let (entries, group) = state.withLockedValue { state in
      state.isStopping = true
      return (Array(state.entries.values), state.group)
    }
    for entry in entries {
      for program in entry.listeners.keys { await entry.broadcast.stop(program) }
    }
    try? await group?.shutdownGracefully()
  }
}
