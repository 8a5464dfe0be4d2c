import RoomCluster
import RoomLinux
import RoomLiveOrigin
import RoomOriginServer
import RoomRTP

/// What a node reports to the node that it pulls streams from: the people who watch them there.
struct StreamAudienceReport: Codable, Sendable {
  /// The maximum number of streams in a report.
  static let limit = 10_000

  /// The incarnation that reports.
  var node: String
  /// All streams that it pulls from the receiver. Streams beyond ``limit`` are missing.
  var viewers: [String: Int]
}

/// The people who watch this node's streams at other nodes.
final class StreamAudiences: Sendable {
  /// How long a report counts; µs. A node repeats it every two seconds.
  private static let validity: Int64 = 6_000_000

  private struct Report {
    var at: Instant
    var viewers: [StreamPath: Int]
  }

  private let reports = Guarded<[Incarnation: Report]>([:])

  /// Takes a node's report, which replaces the node's last one.
  func take(_ report: StreamAudienceReport, from node: Incarnation, now: Instant) {
    var viewers: [StreamPath: Int] = [:]
    for (name, count) in report.viewers.prefix(StreamAudienceReport.limit) where count > 0 {
      if let path = StreamPath(name) { viewers[path] = min(count, 1 << 30) }
    }
    reports.withLock { reports in
      reports[node] = viewers.isEmpty ? nil : Report(at: now, viewers: viewers)
      reports = reports.filter { now - $0.value.at < Self.validity }
    }
  }

  /// Returns the people who watch at other nodes, by stream.
  func viewers(now: Instant) -> [StreamPath: Int] {
    reports.withLock { reports in
      reports.values.filter { now - $0.at < Self.validity }.reduce(into: [:]) { sum, report in
        sum.merge(report.viewers) { $0 &+ $1 }
      }
    }
  }

  /// Returns the people who watch a stream or one of the stream's variants, by node.
  func viewers(of path: StreamPath, now: Instant) -> [Incarnation: Int] {
    reports.withLock { reports in
      reports.filter { now - $0.value.at < Self.validity }.compactMapValues { report in
        let count = report.viewers.reduce(0) { $1.key == path || $1.key.variantSource == path ? $0 + $1.value : $0 }
        return count > 0 ? count : nil
      }
    }
  }
}

/// Decides which nodes get a report.
struct StreamAudienceReports: Sendable {
  /// How long after a report the same counts are repeated; µs.
  private static let repetition: Int64 = 2_000_000

  private var last: [String: (at: Instant, viewers: [StreamPath: Int])] = [:]

  /// Returns the reports that are due, by the name of the receiver.
  /// - Parameter pulled: the viewers of pulled streams by the name of the node that publishes them.
  mutating func due(_ pulled: [String: [StreamPath: Int]], now: Instant) -> [String: [StreamPath: Int]] {
    var due: [String: [StreamPath: Int]] = [:]
    for (node, viewers) in pulled {
      if let last = last[node], last.viewers == viewers, now - last.at < Self.repetition { continue }
      due[node] = viewers
      last[node] = (now, viewers)
    }
    // A node from which nothing is pulled any more learns it once.
    for node in last.keys where pulled[node] == nil {
      due[node] = [:]
      last[node] = nil
    }
    return due
  }
}
