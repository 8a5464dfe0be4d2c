import RoomRTP

/// The server's last hour, one sample every ten seconds: the initial data of charts.
actor ServerHistory {
  /// The activity between two readings of the server. Rates are means over that time.
  struct Sample: Encodable, Sendable, Equatable {
    /// Milliseconds since 1970: the end of the interval.
    var at: Int64
    /// Processor seconds per second: 1 is one core.
    var cpu: Double
    var residentBytes: Int64
    var rooms: Int
    var participants: Int
    var packetsReceived: Double
    var packetsSent: Double
    var kbpsReceived: Double
    var kbpsSent: Double
    /// The total in the interval, not per second.
    var joins: Int
    var refusedJoins: Int
    var dropped: UInt64

    /// Returns nil if no time has passed between the two readings.
    init?(from before: ServerState, to now: ServerState) {
      let seconds = Double(now.at - before.at) / 1000
      guard seconds > 0 else { return nil }
      func grown(_ count: (ServerState.Worker) -> UInt64) -> Double {
        now.workers.reduce(0.0) { $0 + Double(count($1)) } - before.workers.reduce(0.0) { $0 + Double(count($1)) }
      }
      at = now.at
      cpu = (now.process.cpuSeconds - before.process.cpuSeconds) / seconds
      residentBytes = now.process.residentBytes
      rooms = now.rooms
      participants = now.participants
      packetsReceived = grown(\.packetsReceived) / seconds
      packetsSent = grown(\.packetsSent) / seconds
      kbpsReceived = grown(\.bytesReceived) * 8 / 1000 / seconds
      kbpsSent = grown(\.bytesSent) * 8 / 1000 / seconds
      joins = now.joins.accepted - before.joins.accepted
      refusedJoins = now.joins.refused - before.joins.refused
      dropped = UInt64(max(0, grown(\.dropped)))
    }
  }

  /// The body of `GET /v1/server/history`.
  struct Response: Encodable, Sendable {
    /// Seconds between two samples.
    var interval: Int
    /// Oldest first.
    var samples: [Sample]
  }

  static let interval = 10
  /// The number of samples in an hour.
  static let capacity = 360

  private let gauge: ServerGauge
  private var samples: [Sample] = []
  private var last: ServerState?
  private var heap = HeapTrim()

  init(_ gauge: ServerGauge) { self.gauge = gauge }

  /// Takes a sample at once and then every ten seconds, until its task is cancelled.
  func run() async {
    while !Task.isCancelled {
      let state = await gauge.read()
      take(state)
      if heap.isDue(sockets: state.process.openFiles, resident: state.process.residentBytes) { await HeapTrim.trim() }
      try? await Task.sleep(for: .seconds(Self.interval))
    }
  }

  func take(_ state: ServerState) {
    if let last, let sample = Sample(from: last, to: state) {
      if samples.count == Self.capacity { samples.removeFirst() }
      samples.append(sample)
    }
    last = state
  }

  var response: Response { Response(interval: Self.interval, samples: samples) }
}
