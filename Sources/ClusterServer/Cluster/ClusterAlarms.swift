import Foundation
import RoomCluster
import RoomHTTPServer

/// The alarms of all nodes.
struct ClusterAlarms: Sendable {
  static let path = "/v1/alarms"
  /// The maximum number of alarms in each list, as at one server.
  private static let active = 200
  private static let cleared = 100

  let cluster: Cluster

  /// Answers with the alarms of all nodes, each with its node. `unanswered` names the nodes that did not answer in time.
  func answer(_ request: HTTPRequest, _ local: (HTTPRequest) async -> HTTPResponse) async -> HTTPResponse {
    guard cluster.sender(of: request) == nil else { return await local(request) }
    async let others = cluster.ask(cluster.others) { _ in request }
    let own = await local(request)
    var answers = await others
    guard own.status == 200 else { return own }
    answers.answers.append(NodeAnswers.Answer(node: cluster.node.id, response: own))
    var (active, cleared): ([[String: Any]], [[String: Any]]) = ([], [])
    var unlisted = 0
    let lists = answers.read { answer in
      (try? JSONSerialization.jsonObject(with: Data(answer.response.body)) as? [String: Any]).map { (answer.node, $0) }
    }
    for (node, alarms) in lists {
      func list(_ member: String) -> [[String: Any]] {
        (alarms[member] as? [[String: Any]] ?? []).map { $0.merging(["node": node.text]) { $1 } }
      }
      active += list("active")
      cleared += list("cleared")
      unlisted += max(0, min(alarms["unlisted"] as? Int ?? 0, 1 << 30))
    }
    func time(_ alarm: [String: Any], _ member: String) -> Int64 { alarm[member] as? Int64 ?? 0 }
    func isCritical(_ alarm: [String: Any]) -> Bool { alarm["severity"] as? String == "critical" }
    active.sort { one, other in
      isCritical(one) != isCritical(other) ? isCritical(one) : time(one, "since") > time(other, "since")
    }
    cleared.sort { time($0, "clearedAt") > time($1, "clearedAt") }
    return .json(object: [
      "active": Array(active.prefix(Self.active)), "cleared": Array(cleared.prefix(Self.cleared)),
      "unlisted": unlisted + max(0, active.count - Self.active), "unanswered": answers.missing.sorted().map(\.text),
    ])
  }
}
