import Foundation
import RoomCluster
import RoomHTTPServer
import RoomProtocol
import RoomServer

/// The list of the rooms of all nodes: each node lists its own, and one merges the pages.
struct ClusterListing: Sendable {
  /// A node's page of its own rooms.
  struct Page: Encodable {
    var entries: [Entry]
    var totals: RoomPage.Totals
    var hasMore: Bool

    struct Entry: Encodable {
      /// The position in the order, as text.
      var cursor: String
      var room: API.RoomSummary
    }
  }

  /// A page whose rooms are not interpreted.
  private struct Received {
    var entries: [(cursor: RoomPage.Cursor, room: Any)]
    var totals: [String: Int]
    var hasMore: Bool

    init?(_ body: [UInt8], _ order: RoomPage.Order) {
      guard let object = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any],
        let list = object["entries"] as? [[String: Any]], let totals = object["totals"] as? [String: Int],
        let hasMore = object["hasMore"] as? Bool
      else { return nil }
      entries = list.compactMap { entry in
        guard let text = entry["cursor"] as? String, let cursor = order.cursor(text), let room = entry["room"] else {
          return nil
        }
        return (cursor, room)
      }
      (self.totals, self.hasMore) = (totals, hasMore)
    }
  }

  static let path = "/v1/cluster/rooms"

  let cluster: Cluster
  let rooms: RoomsAPI

  /// Answers another node with the rooms of this one.
  func own(_ request: HTTPRequest) -> HTTPResponse {
    do throws(RoomError) {
      let query = try RoomsAPI.query(of: request)
      let page = rooms.page(query)
      return .json(
        Page(
          entries: page.entries.map { entry in
            Page.Entry(cursor: query.order.text(of: query.order.cursor(of: entry)), room: API.RoomSummary(entry))
          }, totals: page.totals, hasMore: page.next != nil))
    } catch { return .error(400, error) }
  }

  /// Lists the rooms of all nodes. `unanswered` names the nodes that did not answer in time.
  func list(_ request: HTTPRequest, _ local: () async -> HTTPResponse) async -> HTTPResponse {
    let query: RoomPage.Query
    do throws(RoomError) { query = try RoomsAPI.query(of: request) } catch { return .error(400, error) }
    let own = own(request)
    let others = cluster.others
    guard !others.isEmpty, own.status == 200 else { return await local() }
    var asking = request
    asking.target = Self.path
    var answers = await cluster.ask(others) { [asking] _ in asking }
    let received = answers.read { Received($0.response.body, query.order) }
    let pages = (Received(own.body, query.order).map { [$0] } ?? []) + received
    let entries = pages.flatMap(\.entries).sorted { $0.cursor < $1.cursor }
    var totals: [String: Int] = [:]
    for page in pages { totals.merge(page.totals, uniquingKeysWith: +) }
    let shown = entries.prefix(query.limit)
    var list: [String: Any] = ["rooms": shown.map(\.room), "totals": totals]
    list["unanswered"] = answers.missing.sorted().map(\.text)
    if entries.count > shown.count || pages.contains(where: \.hasMore), let last = shown.last {
      list["next"] = query.order.text(of: last.cursor)
    }
    return .json(object: list)
  }
}
