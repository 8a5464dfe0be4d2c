import RoomClient
import RoomProtocol
import Synchronization

/// The job events that a client receives in its room.
final class JobLog: Sendable {
  struct Reported: Sendable {
    var infos: [JobInfo] = []
    var statuses: [JobStatusData] = []
    var ends: [JobEndReason] = []
  }

  private final class Book: Sendable {
    let reported = Mutex(Reported())

    func take(_ event: RoomEvent) {
      reported.withLock { reported in
        switch event {
        case .jobChanged(let info): reported.infos.append(info)
        case .jobStatus(let status): reported.statuses.append(status)
        case .jobEnded(_, let reason, _): reported.ends.append(reason)
        default: break
        }
      }
    }
  }

  private let book = Book()
  private let reading: Task<Void, Never>

  init(_ room: Room) {
    let events = room.events()
    reading = Task { [book] in
      for await event in events { book.take(event) }
    }
  }

  deinit { reading.cancel() }

  var reported: Reported { book.reported.withLock { $0 } }
  /// Returns the states of a job, in order.
  var states: [String] {
    var states: [String] = []
    for info in reported.infos where info.state.rawValue != states.last { states.append(info.state.rawValue) }
    return states
  }
}
