import Foundation
import RoomCluster
import RoomHTTPServer
import RoomLinux
import RoomLiveOrigin
import RoomOriginServer
import RoomRTP
import RoomServer

/// Reports the viewers of pulled streams to the nodes that publish them, and takes the reports of other nodes.
struct AudienceReporting: Sendable {
  static let path = "/v1/cluster/audience"
  private static let interval = Duration.milliseconds(500)
  private static let answerTime = Duration.seconds(1)
  private static let largestReport = 2 << 20

  let cluster: Cluster
  let audiences: StreamAudiences
  let origin: Origin
  /// The viewers of pulled streams, by the name of the server that each is pulled from.
  let pulled: @Sendable () -> [String: [StreamPath: Int]]

  var endpoint: Endpoint {
    var endpoint = Endpoint.forNodes("POST", Self.path, cluster) { request, _, sender in
      guard let report = try? JSONDecoder().decode(StreamAudienceReport.self, from: Data(request.body)),
        let node = Incarnation(report.node), node.node == sender, cluster.member(node) != nil
      else { return .error(400, HTTPError.badRequest("no report of viewers")) }
      audiences.take(report, from: node, now: .now)
      apply()
      return .noContent
    }
    endpoint.largestBody = Self.largestReport
    return endpoint
  }

  /// Reports until its task is cancelled.
  func run() async {
    var reports = StreamAudienceReports()
    while (try? await Task.sleep(for: Self.interval)) != nil {
      let due = reports.due(pulled(), now: .now)
      await withTaskGroup(of: Void.self) { group in
        for (name, viewers) in due { group.addTask { await report(viewers, to: name) } }
      }
      apply()
    }
  }

  private func apply() { origin.watched(elsewhere: audiences.viewers(now: .now)) }

  private func report(_ viewers: [StreamPath: Int], to name: String) async {
    guard let own = cluster.node.incarnation, let incarnation = Incarnation(name), let member = cluster.member(incarnation),
      let request = Cluster.post(
        StreamAudienceReport(
          node: "\(own)",
          viewers: Dictionary(viewers.prefix(StreamAudienceReport.limit).map { ($0.key.name, $0.value) }) { $0 + $1 }),
        to: Self.path, from: cluster.node.id, cluster.signature)
    else { return }
    // A report that is lost is repeated with the next one.
    _ = try? await cluster.client.send(request, to: member.report.address, within: Self.answerTime)
  }
}
