import RoomLiveKitProtocol
import RoomServer

/// A connected worker: a program that runs agents.
struct AgentWorker: Sendable, Hashable, Identifiable {
  /// What jobs a worker takes.
  struct Role: Sendable, Hashable {
    var agent: String
    var namespace: String
    var kind: AgentJob.Kind
  }

  /// Offers that one worker has at a time. It reports its load only when it has taken jobs.
  static let maximumOffers = 8

  let id: String
  let role: Role
  /// The order of registration.
  let number: Int
  var isAvailable = true
  /// From 0 to 1, as the worker reports it.
  var load: Float = 0
  /// Jobs that are offered to it, and that it runs.
  var offered: Set<String> = []
  var running: Set<String> = []

  init(_ role: Role, id: String = "AW_" + AgentJob.random(), number: Int) {
    self.id = id
    self.role = role
    self.number = number
  }

  var takesOffers: Bool { isAvailable && offered.count < Self.maximumOffers }

  /// Whether it is a better choice for a job: its load is lower, or it has fewer jobs, or it was there first.
  func isBetter(than other: AgentWorker) -> Bool {
    if load != other.load { return load < other.load }
    let (jobs, otherJobs) = (offered.count + running.count, other.offered.count + other.running.count)
    return jobs != otherJobs ? jobs < otherJobs : number < other.number
  }
}
