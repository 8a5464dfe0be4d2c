import Foundation
import RoomCluster
import RoomHTTPServer
import RoomProtocol
import RoomServer

/// Lists what all nodes have: each node lists its own, and the one that is asked merges the pages.
struct ClusterLists: Sendable {
  /// Number of nodes up to which each is asked for a whole page. More nodes are asked for less, so that all parts stay a few pages.
  private static let wholePages = 4
  private static let smallestPart = 10

  let cluster: Cluster

  /// The lists, by path.
  static let all: [String: MergedList] = [
    "/v1/history/events": history("events", "time"),
    "/v1/history/sessions": history("sessions", "joinedAt"),
    "/v1/history/lives": history("lives", "startedAt"),
    "/v1/recordings": MergedList(
      member: "recordings", parameter: "after", order: .newest("startedAt"),
      position: { entry in
        guard let startedAt = entry["startedAt"] as? Int64, let name = entry["name"] as? String else { return nil }
        return "\(startedAt)-\(name)"
      }),
    "/v1/streams": MergedList(
      member: "streams", parameter: "after", order: .text("path"), position: { $0["path"] as? String }, usualLimit: 1000),
  ]

  private static func history(_ member: String, _ time: String) -> MergedList {
    MergedList(
      member: member, parameter: "before", order: .newest(time), position: { ($0["id"] as? Int64).map { "\($0)" } })
  }

  /// Answers a request for a list with the entries of all nodes. `unanswered` names the nodes that did not answer in time.
  func answer(
    _ request: HTTPRequest, _ list: MergedList, _ local: @Sendable (HTTPRequest) async -> HTTPResponse
  ) async -> HTTPResponse {
    guard cluster.sender(of: request) == nil else { return await local(request) }
    let limit: Int
    let cursor: PageCursor?
    do throws(RoomError) {
      cursor = try request.queryPosition(list.parameter) { PageCursor($0) }
      limit = Int(try request.queryNumber("limit", 1...Int64(MergedList.largestLimit)) ?? Int64(list.usualLimit))
    } catch { return .error(400, error) }
    let (members, gone) = asked(cursor)
    let part = min(limit, max(Self.smallestPart, limit * Self.wholePages / max(1, members.count)))
    @Sendable func asking(_ node: NodeID) -> HTTPRequest {
      var asking = request.setting("limit", to: "\(part)")
      let position = cursor?.positions[node.text] ?? ""
      asking = asking.setting(list.parameter, to: position.isEmpty ? nil : position)
      return asking
    }
    let own = cluster.node.id
    let isAsked = cursor.map { $0.positions[own.text] != nil } ?? true
    async let others = cluster.ask(members, asking)
    let ownAnswer = isAsked ? await local(asking(own)) : nil
    var answers = await others
    if let ownAnswer, ownAnswer.status != 200 {
      // A server without recordings lists those of the others.
      let hasOthers = answers.answers.contains { $0.response.status == 200 }
      guard ownAnswer.status == 404, hasOthers || !answers.missing.isEmpty else { return ownAnswer }
    }
    if let ownAnswer { answers.answers.append(NodeAnswers.Answer(node: own, response: ownAnswer)) }
    answers.answers.removeAll { $0.response.status == 404 }
    let parts = answers.read { MergedList.Part($0.node, $0.response.body, list) }
    let missing = answers.missing + gone
    let page = list.page(parts.sorted { $0.node < $1.node }, after: cursor, missing: missing, limit: limit)
    var body: [String: Any] = [list.member: page.entries, "unanswered": missing.sorted().map(\.text)]
    body["next"] = page.next?.text
    return .json(object: body)
  }

  /// The other nodes that a page is asked of, and those that it needs and that have left the cluster.
  private func asked(_ cursor: PageCursor?) -> (members: [ClusterMember], gone: [NodeID]) {
    let others = cluster.others
    guard let cursor else { return (others, []) }
    let members = others.filter { cursor.positions[$0.incarnation.node.text] != nil }
    let known = Set(members.map(\.incarnation.node)).union([cluster.node.id])
    return (members, cursor.positions.keys.compactMap { NodeID($0) }.filter { !known.contains($0) })
  }
}

extension HTTPRequest {
  /// Returns the request with another value of the query's member `name`; nil removes the member.
  func setting(_ name: String, to value: String?) -> HTTPRequest {
    var members = query.split(separator: "&").map(String.init).filter { !$0.hasPrefix("\(name)=") && $0 != name }
    if let value { members.append("\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")") }
    var request = self
    request.query = members.joined(separator: "&")
    return request
  }
}

extension HTTPResponse {
  /// An answer with an object of JSON values.
  static func json(object: [String: Any]) -> HTTPResponse {
    guard let body = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes]) else {
      return HTTPResponse(status: 500)
    }
    return HTTPResponse(status: 200, headers: [("Content-Type", "application/json")], body: [UInt8](body))
  }
}
