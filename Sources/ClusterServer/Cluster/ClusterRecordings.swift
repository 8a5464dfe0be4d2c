import Foundation
import RoomCluster
import RoomHTTPServer
import RoomProtocol
import RoomServer

/// Answers requests about one recorded file at any node: the node that has the file answers, and a file is passed on while its client
/// reads it.
struct ClusterRecordings: Sendable {
  let cluster: Cluster
  let downloads: Downloads

  /// Answers a request.
  /// - Parameter isFile: whether the file itself is requested.
  func answer(
    _ request: HTTPRequest, isFile: Bool, _ local: (HTTPRequest) async -> HTTPResponse
  ) async -> HTTPResponse {
    guard cluster.sender(of: request) == nil else { return await local(request) }
    let wanted = request.query("node")
    var own: HTTPResponse?
    if wanted == nil || wanted == cluster.node.id.text {
      let answer = await local(request)
      if answer.status != 404 || wanted != nil { return isFile ? answer : Self.naming(cluster.node.id, answer) }
      own = answer
    }
    let members = cluster.others.filter { wanted == nil || $0.incarnation.node.text == wanted }
    let question = isFile ? Self.firstByte(of: request) : Self.facts(of: request)
    let answers = await cluster.ask(members) { _ in question }
    let found = answers.answers.first { $0.response.status != 404 }
    guard let found, let member = members.first(where: { $0.incarnation.node == found.node }) else {
      guard answers.missing.isEmpty else {
        return .error(
          503, RoomError(.updateRoomFailed, "no answer from \(answers.missing.map(\.text).joined(separator: ", "))"),
          headers: [("Retry-After", "1")])
      }
      return own ?? .error(404, HTTPError.badRequest("there is no recording of this name at the node"))
    }
    if isFile { return file(found.response, request, question, at: member) }
    guard found.response.status == 200 else { return found.response }
    return Self.naming(found.node, await cluster.forward(request, to: member))
  }

  /// A request for the facts of the file of a request.
  private static func facts(of request: HTTPRequest) -> HTTPRequest {
    let path = request.target.split(separator: "/").prefix(3).joined(separator: "/")
    return HTTPRequest(method: "GET", target: "/\(path)", headers: request.headers.filter { $0.name == "authorization" })
  }

  private static func firstByte(of request: HTTPRequest) -> HTTPRequest { request.requesting(0..<1) }

  /// Adds the node to the facts of a file, and to the URL of one.
  private static func naming(_ node: NodeID, _ response: HTTPResponse) -> HTTPResponse {
    guard response.status == 200,
      var object = try? JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]
    else { return response }
    if let url = object["url"] as? String { object["url"] = "\(url)&node=\(node)" } else { object["node"] = node.text }
    return .json(object: object)
  }

  /// Answers with a file of another node.
  /// - Parameters:
  ///   - first: the other node's answer to a request for the first byte.
  ///   - question: that request.
  private func file(
    _ first: HTTPResponse, _ request: HTTPRequest, _ question: HTTPRequest, at member: ClusterMember
  ) -> HTTPResponse {
    func header(_ name: String) -> String? { first.headers.first { $0.name.lowercased() == name }?.value }
    guard [206, 416].contains(first.status), let size = header("content-range").flatMap(Self.size) else { return first }
    let (tag, modified) = (header("etag") ?? "", header("last-modified") ?? "")
    let kept: Set = [
      "accept-ranges", "etag", "last-modified", "cache-control", "content-type", "content-disposition",
    ]
    var headers = first.headers.filter { kept.contains($0.name.lowercased()) }
    let range = ByteRange(of: request, size: size, entityTag: tag, modified: modified)
    let bytes: Range<Int64>
    switch range {
    case .whole: bytes = 0..<size
    case .part(let part):
      bytes = part
      headers.append(("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(size)"))
    case .unsatisfiable:
      return .error(
        416, HTTPError.badRequest("the range is beyond the \(size) bytes of the recording"),
        headers: [("Content-Range", "bytes */\(size)")])
    }
    guard let body = downloads.body(RemoteBlocks(question, at: member, of: cluster), bytes) else { return Downloads.tooMany }
    return HTTPResponse(
      status: range == .whole ? 200 : 206, headers: headers, stream: body, streamLength: Int64(bytes.count))
  }

  /// Returns the size in a `Content-Range`, as in `bytes 0-0/1234`; nil if there is none.
  static func size(_ range: String) -> Int64? {
    range.split(separator: "/").last.flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
  }
}

/// The blocks of a file of another node, each by a request with a range.
private final class RemoteBlocks: BlockSource {
  private let request: HTTPRequest
  private let member: ClusterMember
  private let cluster: Cluster

  init(_ request: HTTPRequest, at member: ClusterMember, of cluster: Cluster) {
    (self.request, self.member, self.cluster) = (request, member, cluster)
  }

  var blockSize: Int64 { 256 << 10 }

  func read(_ range: Range<Int64>, then: @escaping @Sendable ([UInt8]) -> Void) {
    Task { [request, member, cluster] in
      let answer = await cluster.forward(request.requesting(range), to: member)
      then(answer.status == 206 && answer.body.count <= range.count ? answer.body : [])
    }
  }
}

extension HTTPRequest {
  /// The same request for a part of what it requests.
  fileprivate func requesting(_ range: Range<Int64>) -> HTTPRequest {
    var request = self
    request.isHead = false
    request.headers.removeAll { ["range", "if-range"].contains($0.name) }
    request.headers.append(("range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)"))
    return request
  }
}
