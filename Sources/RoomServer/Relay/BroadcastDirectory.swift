import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Relay
import RoomProtocol

/// The broadcasts of this server by their publish URL, whichever rooms feed them.
///
/// Synchronous where a job is let in, so that a room answers at once; what then happens comes to the job's listener.
final class BroadcastDirectory: Sendable {
  typealias Listener = @Sendable (BroadcastEvent) -> Void

  /// A job's hold on its broadcast.
  struct Place: Sendable {
    let broadcast: LiveBroadcast
    let program: ProgramID
  }

  private struct Entry {
    let broadcast: LiveBroadcast
    var serialNumber: Int
    var listeners: [ProgramID: Listener] = [:]
  }

  private struct State {
    var entries: [String: Entry] = [:]
    var lastProgram: UInt64 = 0
    var isStopping = false
    /// Made with the first broadcast.
    var group: MultiThreadedEventLoopGroup?
  }

  private let settings: RelaySettings
  private let counters: ServerCounters
  private let log: Logger
  private let state = NIOLockedValueBox(State())

  init(_ settings: RelaySettings, counters: ServerCounters, log: Logger) {
    self.settings = settings
    self.counters = counters
    self.log = log
  }

  /// Finds or makes the broadcast of a URL for one more job, whose serial number has to be larger than that of the last.
  /// - Throws: 80201 where it is not, or the server has no room for another broadcast.
  func place(_ url: PublishURL, listener: @escaping Listener) throws(RoomError) -> Place {
    let result: Result<Place, RoomError> = state.withLockedValue { state in
      guard !state.isStopping else { return .failure(RoomError(.publishFailed, "the server is stopping")) }
      let serialNumber = url.serialNumber ?? 0
      state.lastProgram += 1
      let program = ProgramID(state.lastProgram)
      if var entry = state.entries[url.broadcast] {
        guard serialNumber > entry.serialNumber else {
          return .failure(
            RoomError(
              .publishFailed,
              "a job with serialnum \(entry.serialNumber) sends to this URL; give a larger serialnum than that to take over"))
        }
        entry.serialNumber = serialNumber
        entry.listeners[program] = listener
        state.entries[url.broadcast] = entry
        return .success(Place(broadcast: entry.broadcast, program: program))
      }
      guard state.entries.count < settings.limit else {
        counters.count(limit: .broadcasts)
        return .failure(RoomError(.publishFailed, "the server has \(settings.limit) broadcasts and takes no more"))
      }
      let group = state.group ?? MultiThreadedEventLoopGroup(numberOfThreads: max(1, settings.threads ?? System.coreCount))
      state.group = group
      do {
        let key = url.broadcast
        let made = try LiveBroadcast(to: url.address, settings: settings.broadcasts, loop: group.next()) { [weak self] event in
          self?.heard(event, of: key)
        }
        state.entries[key] = Entry(broadcast: made, serialNumber: serialNumber, listeners: [program: listener])
        log.info("broadcast begins", metadata: ["target": "\(url)"])
        return .success(Place(broadcast: made, program: program))
      } catch {
        return .failure(RoomError(.publishFailed, "the audio encoder can't be opened: \(error)"))
      }
    }
    return try result.get()
  }

  /// Broadcasts at work, for metrics.
  var all: [LiveBroadcast] { state.withLockedValue { $0.entries.values.map(\.broadcast) } }

  private func heard(_ event: BroadcastEvent, of key: String) {
    let listeners: [Listener] = state.withLockedValue { state in
      guard var entry = state.entries[key] else { return [] }
      defer { state.entries[key] = entry }
      switch event {
      case .onAir(let program): return entry.listeners[program].map { [$0] } ?? []
      case .ended(let program, _): return entry.listeners.removeValue(forKey: program).map { [$0] } ?? []
      case .state: return Array(entry.listeners.values)
      case .over: return []
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
