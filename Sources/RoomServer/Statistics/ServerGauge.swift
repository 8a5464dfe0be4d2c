import RoomCLinux
import Foundation
import RoomProtocol
import RoomSFU

/// Reads the state of the whole server.
struct ServerGauge: Sendable {
  let directory: RoomDirectory
  let plane: MediaPlane
  let counters: ServerCounters
  /// The TCP port of RTMP; nil if RTMP is off.
  var rtmpPort: UInt16?
  /// The UDP port of SRT; nil if SRT is off.
  var srtPort: UInt16?
  /// When this server started.
  let start = Date()

  func read() async -> ServerState {
    let control = counters.values
    let media = await plane.counters()
    var state = ServerState(
      startedAt: Self.milliseconds(start), at: Self.milliseconds(Date()), process: Self.process(),
      sockets: control.sockets, resumes: control.resumes, kicks: control.kicks, rtmpPort: rtmpPort, srtPort: srtPort)
    for room in await directory.all {
      let counts = await room.read(\.counts)
      state.rooms += 1
      state.participants += counts.participants
      state.tracks += counts.tracks
    }
    for (code, count) in control.joins {
      if code == ErrorCode.ok.rawValue { state.joins.accepted += count } else { state.joins.refused += count }
    }
    state.workers = zip(media.workers, plane.ports).map { ServerState.Worker($0, port: Int($1)) }
    let total = media.total
    for reason in MediaDrop.allCases where total[reason] > 0 { state.drops["\(reason)"] = total[reason] }
    return state
  }

  static func process() -> ServerState.Process {
    ServerState.Process(
      cpuSeconds: ProcessClock.seconds, residentBytes: linux_resident_bytes(), openFiles: Int(linux_open_descriptors()),
      cores: Int(linux_cpu_count()))
  }

  private static func milliseconds(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970 * 1000) }
}

/// The processor time of this process.
package enum ProcessClock {
  /// User and system time of all threads since the start, in seconds.
  package static var seconds: Double {
    var time = timespec()
    guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// A snapshot of the server, the body of `GET /v1/server`. Counts grow from the start of the server.
struct ServerState: Encodable, Sendable {
  struct Process: Encodable, Sendable {
    /// User and system time since the start, in seconds.
    var cpuSeconds = 0.0
    var residentBytes: Int64 = 0
    var openFiles = 0
    /// The number of cores that this process may run on.
    var cores = 0
  }

  struct Joins: Encodable, Sendable {
    var accepted = 0
    var refused = 0
  }

  struct Worker: Encodable, Sendable {
    /// The UDP port.
    var port: Int
    /// The CPU time of the worker's thread since the start.
    var cpuSeconds: Double
    var rooms: Int
    var transports: Int
    var connectedTransports: Int
    var tracks: Int
    var subscriptions: Int
    var ringBytes: Int
    var packetsReceived: UInt64
    var bytesReceived: UInt64
    var packetsSent: UInt64
    var bytesSent: UInt64
    var rtpForwarded: UInt64
    var nackedPackets: UInt64
    var retransmitted: UInt64
    /// Packets dropped for any reason.
    var dropped: UInt64

    init(_ counters: WorkerCounters, port: Int) {
      self.port = port
      cpuSeconds = Double(counters.cpuMicroseconds) / 1e6
      rooms = counters.rooms
      transports = counters.transports
      connectedTransports = counters.connectedTransports
      tracks = counters.tracks
      subscriptions = counters.subscriptions
      ringBytes = counters.ringBytes
      packetsReceived = counters.packetsReceived
      bytesReceived = counters.bytesReceived
      packetsSent = counters.packetsSent
      bytesSent = counters.bytesSent
      rtpForwarded = counters.rtpForwarded
      nackedPackets = counters.nackedPackets
      retransmitted = counters.retransmitted
      dropped = counters.drops.reduce(0, &+)
    }
  }

  /// Milliseconds since 1970.
  var startedAt: Int64
  /// Milliseconds since 1970: when this was read.
  var at: Int64
  var rooms = 0
  var participants = 0
  var tracks = 0
  var process: Process
  /// Open signalling sockets.
  var sockets: Int
  var joins = Joins()
  /// Sessions resumed.
  var resumes: Int
  /// Participants kicked.
  var kicks: Int
  var workers: [Worker] = []
  /// Dropped packets by reason, without reasons whose count is 0.
  var drops: [String: UInt64] = [:]
  /// The TCP port of RTMP; nil if RTMP is off.
  var rtmpPort: UInt16?
  /// The UDP port of SRT; nil if SRT is off.
  var srtPort: UInt16?
}
