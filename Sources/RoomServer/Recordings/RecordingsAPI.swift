import Foundation
import RoomEngine
import RoomHTTPServer
import RoomProtocol
import RoomRelay
import RoomToken

/// Recordings over REST: lists, facts, the files themselves, and their deletion.
struct RecordingsAPI: Sendable {
  /// Nil if recording is disabled.
  let recordings: Recordings?
  let access: APIAccess
  let downloads = Downloads()

  private static let usualPage = 100
  private static let largestPage = 1000
  private static let usualTTL = 600
  private static let largestTTL = 86_400

  var endpoints: [Endpoint] {
    [
      Endpoint("GET", "/v1/recordings", access: .api, action: .answer { request, _ in list(request) }),
      Endpoint("GET", "/v1/recordings/*", access: .api, action: .answer { _, names in show(names) }),
      Endpoint("DELETE", "/v1/recordings/*", access: .api, action: .answer { _, names in await delete(names) }),
      Endpoint(
        "POST", "/v1/recordings/*/url", access: .api, takesBody: true,
        action: .answer { request, names in sign(request, names) }),
      // A player sends no API token, but the token of the URL; see `APIAccess`.
      Endpoint(
        "GET", "/v1/recordings/*/file", access: .open, action: .answer { request, names in await send(request, names) }),
    ]
  }

  /// Ends all downloads.
  func stop() async { await downloads.stop() }

  private struct List: Encodable {
    var recordings: [RecordingInfo]
    /// The `after` of the next page; absent on the last one.
    var next: String?
  }

  private struct NewURL: Decodable, Sendable { var ttl: Int? }

  private struct SignedURL: Encodable {
    var url: String
    /// Milliseconds since 1970.
    var expiresAt: Int64
  }

  private static let disabled = HTTPResponse.error(
    404, HTTPError.badRequest("recording is disabled: this server was started without --recordings"))
  private static let isWritten = HTTPResponse.error(
    409, HTTPError.badRequest("the recording is being written; stop its job first"))

  private static func missing(_ name: String) -> HTTPResponse {
    .error(404, HTTPError.badRequest("there is no recording \"\(name.prefix(64))\""))
  }

  private func list(_ request: HTTPRequest) -> HTTPResponse {
    guard let recordings else { return Self.disabled }
    do throws(RoomError) {
      let limit = Int(try request.queryNumber("limit", 1...Int64(Self.largestPage)) ?? Int64(Self.usualPage))
      let room = try request.queryRoom("room")
      let position = try request.queryPosition("after") { $0.removingPercentEncoding.flatMap { RecordingPosition($0) } }
      let (page, next) = recordings.page(of: room?.rawValue, after: position, limit: limit)
      return .json(List(recordings: page.map { RecordingInfo($0) }, next: next?.description))
    } catch { return .error(400, error) }
  }

  private func show(_ names: [String]) -> HTTPResponse {
    guard let recordings else { return Self.disabled }
    guard let name = RecordingName(names[0]), let facts = recordings.facts(of: name) else { return Self.missing(names[0]) }
    return .json(RecordingInfo(facts))
  }

  private func delete(_ names: [String]) async -> HTTPResponse {
    guard let recordings else { return Self.disabled }
    guard let name = RecordingName(names[0]) else { return Self.missing(names[0]) }
    do {
      return try await downloads.run { try recordings.delete(name) } ? .noContent : Self.missing(names[0])
    } catch is RecordingInUse {
      return Self.isWritten
    } catch { return HTTPResponse(status: 503) }
  }

  private func sign(_ request: HTTPRequest, _ names: [String]) -> HTTPResponse {
    guard let recordings else { return Self.disabled }
    do throws(RoomError) {
      let ttl = try APIBody.read(NewURL.self, from: request).ttl ?? Self.usualTTL
      guard (1...Self.largestTTL).contains(ttl) else { throw HTTPError.badRequest("ttl: 1 to \(Self.largestTTL) seconds") }
      guard let name = RecordingName(names[0]), recordings.facts(of: name) != nil else { return Self.missing(names[0]) }
      // Signed with the caller's key, so that removing that key invalidates its URLs.
      let token = RecordingToken(
        key: try access.verified(request).key, recording: "\(name)", expires: Date(timeIntervalSinceNow: Double(ttl)))
      let text: String
      do throws(TokenError) { text = try access.keys.sign(token) } catch { throw error.roomError }
      return .json(
        SignedURL(
          url: "/v1/recordings/\(name)/file?token=\(text)", expiresAt: Int64(token.expires.timeIntervalSince1970 * 1000)))
    } catch { return .error(400, error) }
  }

  // MARK: The file

  private func send(_ request: HTTPRequest, _ names: [String]) async -> HTTPResponse {
    if let refusal = access.refusal(of: request, reading: names[0]) { return refusal }
    guard let recordings else { return Self.disabled }
    guard let name = RecordingName(names[0]) else { return Self.missing(names[0]) }
    guard let file = try? await downloads.run({ OpenFile(name, of: recordings) }) else { return Self.missing(names[0]) }
    var headers: [(name: String, value: String)] = [
      ("Accept-Ranges", "bytes"), ("ETag", file.entityTag), ("Last-Modified", file.modified),
      ("Cache-Control", "private, no-cache"),
    ]
    let range = ByteRange(of: request, size: file.size, entityTag: file.entityTag, modified: file.modified)
    let bytes: Range<Int64>
    switch range {
    case .whole: bytes = 0..<file.size
    case .part(let part):
      bytes = part
      headers.append(("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(file.size)"))
    case .unsatisfiable:
      headers.append(("Content-Range", "bytes */\(file.size)"))
      return .error(416, HTTPError.badRequest("the range is beyond the \(file.size) bytes of the recording"), headers: headers)
    }
    guard let descriptor = file.take(), let body = downloads.body(descriptor, bytes) else {
      return Downloads.tooMany
    }
    headers += [
      ("Content-Type", name.format == .mp4 ? "video/mp4" : "video/x-flv"),
      // A player ignores it.
      ("Content-Disposition", "attachment; filename=\"\(name)\""),
    ]
    return HTTPResponse(
      status: range == .whole ? 200 : 206, headers: headers, stream: body, streamLength: Int64(bytes.count))
  }
}
