import RoomProtocol

/// What alarms are decided from: gauges and the states of jobs, as read at one moment.
package struct AlarmReadings: Sendable {
  package struct Job: Sendable {
    package var room: String
    package var info: JobInfo
  }

  /// Frames of all mixes since each of them began.
  package struct Mixes: Sendable, Hashable {
    package var frames: UInt64 = 0
    package var skipped: UInt64 = 0
  }

  package struct Webhook: Sendable, Hashable {
    /// The URL without its query.
    package var name: String
    /// Whether the last attempt failed.
    package var isFailing: Bool
    /// Events that wait.
    package var queued: Int
  }

  /// Transactions of the store since the start.
  package struct Store: Sendable, Hashable {
    package var failures: UInt64 = 0
    /// Answers sent before their change was on disk.
    package var earlyAnswers: UInt64 = 0
  }

  /// The time of the reading: a monotonic clock in milliseconds.
  package var now: Int64
  /// The same moment in milliseconds since 1970.
  package var wall: Int64
  package var jobs: [Job] = []
  package var mixes = Mixes()
  /// The processor time of each media worker since the start, in seconds.
  package var workers: [Double] = []
  package var machine = MachineReading()
  package var webhooks: [Webhook] = []
  /// Nil without a data directory.
  package var store: Store?
  /// When the TLS certificate expires, in milliseconds since 1970; nil without TLS.
  package var certificateExpires: Int64?
}
