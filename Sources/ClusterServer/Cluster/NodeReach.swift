import RoomCluster
import RoomHTTPServer
import RoomLinux
import RoomRTP
import RoomServer

/// Whether other nodes answer. A client is not sent to a node that has just died, whose lease has not ended yet.
final class NodeReach: Sendable {
  /// The time for which an answer is valid; µs.
  private static let validity: Int64 = 250_000
  private static let timeout = Duration.milliseconds(400)

  private let answers = Guarded<[Incarnation: (at: Instant, isPositive: Bool)]>([:])

  /// Asks a node, unless it was asked a moment ago.
  func isReachable(_ member: ClusterMember, by client: NodeClient) async -> Bool {
    let known = answers.withLock { $0[member.incarnation] }
    if let known, Instant.now - known.at < Self.validity { return known.isPositive }
    let request = HTTPRequest(method: "GET", target: "/healthz", headers: [])
    let answer = try? await client.send(request, to: member.report.address, within: Self.timeout)
    let isPositive = answer?.status == 200
    let now = Instant.now
    answers.withLock { answers in
      answers = answers.filter { now - $0.value.at < Self.validity }
      answers[member.incarnation] = (now, isPositive)
    }
    return isPositive
  }
}
