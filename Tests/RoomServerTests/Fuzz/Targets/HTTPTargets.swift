import Foundation
import RoomFuzzSupport
import Logging
import RoomLinux
import RoomProtocol
import RoomToken

@testable import RoomHTTPServer
@testable import RoomLiveKitServer
@testable import RoomServer
@testable import RoomEngine

/// Feeds requests to REST, WHIP and WHEP, separated by NUL bytes, as the daemon gets them from libmicrohttpd: "METHOD target"
/// and headers, one per line; after an empty line the body. In the head, "$a" is replaced by an API token, "$t" by a LiveKit token
/// for its server API, "$p" and "$s" by tokens of two users, and "$l" and "$e" by the last Location and ETag.
@Sendable func fuzzHTTP(_ bytes: UnsafeRawBufferPointer) {
  let messages = bytes.split(separator: 0, maxSplits: 7).map { Array($0) }
  runToEnd {
    var server = HTTPServer()
    for message in messages { await server.take(message) }
    await server.directory.stop()
    await server.directory.endThreads()
  }
}

/// Feeds each REST operation's body, and the validation of merge jobs and layouts.
@Sendable func fuzzBodies(_ bytes: UnsafeRawBufferPointer) {
  let request = HTTPRequest(method: "POST", target: "/", headers: [], body: Array(bytes))
  _ = try? APIBody.read(API.NewRoom.self, from: request)
  _ = try? APIBody.read(API.Mute.self, from: request)
  _ = try? APIBody.read(API.NewToken.self, from: request)
  if let merge = try? JobsAPI.mergeParams(of: request) { check(merge) }
  if let layouts = try? JobsAPI.layouts(of: request) { check(MergeParams(jobId: "a", width: 16, height: 16, layouts: layouts)) }
}

/// Checks that a valid job is within the limits of a mix.
private func check(_ merge: MergeParams) {
  guard merge.validationError == nil else { return }
  precondition(merge.layouts.count <= MergeParams.maximumLayouts && (1...64).contains(merge.jobId.rawValue.utf8.count))
  precondition((merge.width == nil) == (merge.height == nil), "both or none")
  if let picture = merge.picture(isPublished: false) {
    precondition(picture.width * picture.height <= 1920 * 1920 && (1...60).contains(picture.fps))
    precondition(picture.bitrate > 0 && picture.leastBitrate > 0)
  }
  for layout in merge.layouts {
    precondition((layout.trackId == nil) != (layout.userId == nil))
    precondition(layout.gain.map { $0 >= 0 && $0 <= 4 } ?? true)
    precondition(
      layout.width.map { $0 > 0 && $0 <= 8192 && layout.x != nil && layout.y != nil && layout.height != nil } ?? true)
  }
}

/// A server without sockets.
private struct HTTPServer {
  let directory: RoomDirectory
  private let access: APIAccess
  private let router: Router
  private var location = "/"
  private var entityTag = "*"

  init() {
    var configuration = ServerConfiguration(keys: ["fuzz": fuzzSecret])
    configuration.autoCreateRooms = true
    configuration.relay = fuzzRelay
    let log = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }
    guard let ground = try? ServerGround(configuration, log: log) else { preconditionFailure("the configuration is valid") }
    directory = RoomDirectory(ground, plane: fuzzPlane)
    access = APIAccess(keys: fuzzTokens.keys)
    let entrance = Entrance(ground, directory)
    let documents = DocumentMemory()
    let records = LiveKitRecords(documents, StreamKeys(documents, log: log), keys: fuzzTokens.keys, log: log)
    Task { [directory] in
      await records.restored(directory, isAlone: true)
      await records.agents.run(directory)
    }
    let services = records.services(directory, configuration, calls: LiveKitCalls())
    router = Router(
      endpoints: RoomsAPI(directory: directory, limits: configuration.limits).endpoints + TokensAPI(access: access).endpoints
        + JobsAPI(directory: directory).endpoints + ImagesAPI(directory: directory).endpoints
        + WHIPAPI(entrance: entrance, keys: records.streamKeys, routing: ServesAll()).endpoints
        + LiveKitAPI(entrance: entrance, services: services).endpoints)
  }

  mutating func take(_ message: [UInt8]) async {
    let request = HTTPRequest(fuzz: message) { line in
      guard line.contains("$") else { return line }
      return line.replacing("$a", with: fuzzTokens.api).replacing("$t", with: fuzzTokens.liveKit)
        .replacing("$p", with: fuzzTokens.publisher).replacing("$s", with: fuzzTokens.subscriber)
        .replacing("$l", with: location).replacing("$e", with: entityTag)
    }
    _ = (request.contentType, request.acceptsGzip, HTTPExchange(request, stage: .answering).declaredBody)
    switch WebSocketHandshake.check(request) {
    case .accepted(let accept): precondition(accept.utf8.count == 28, "SHA-1 in Base64")
    case .refused(let response): precondition(response.status >= 400)
    }
    guard case .found(let endpoint, let parameters) = router.match(method: request.method, target: request.target),
      case .answer(let action) = endpoint.action
    else { return }
    precondition(parameters.count == endpoint.path.count { if case .any = $0 { true } else { false } })
    if endpoint.access == .api, access.refusal(of: request) != nil { return }
    let response = await action(request, parameters)
    precondition((200..<504).contains(response.status) && response.status != 500, "\(response.status)")
    for (name, value) in response.headers {
      precondition(!value.utf8.contains { $0 < 0x20 }, "no answer has a line of the client's making")
      if name == "Location" { location = value }
      if name == "ETag" { entityTag = value }
    }
  }
}

extension HTTPRequest {
  fileprivate init(fuzz bytes: [UInt8], line: (String) -> String) {
    var lines: [String] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let bytes = rest.prefix { $0 != UInt8(ascii: "\n") }
      rest = rest.dropFirst(bytes.count + 1)
      if bytes.isEmpty { break }
      lines.append(line(String(decoding: bytes, as: UTF8.self)))
    }
    let start = lines.first?.split(separator: " ", maxSplits: 1).map(String.init) ?? []
    self.init(
      method: start.first ?? "", target: start.count > 1 ? start[1] : "/",
      headers: lines.dropFirst().map { line in
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return (parts[0].lowercased(), parts.count > 1 ? String(parts[1].trimming()) : "")
      }, body: Array(rest))
    if contentType == "application/sdp" { body = Array(description(String(decoding: body, as: UTF8.self)).utf8) }
  }
}

private let fuzzSecret = "a secret of thirty-two bytes, it"

/// Tokens that do not expire during a run.
private let fuzzTokens: (keys: TokenKeys, api: String, liveKit: String, publisher: String, subscriber: String) = {
  let expires = Date(timeIntervalSince1970: 9e9)
  func token(_ user: UserID, _ grants: Grants) -> RoomToken {
    RoomToken(room: "demo", user: user, grants: grants, expires: expires)
  }
  var administrator = LiveKitToken(key: "fuzz", expires: expires)
  administrator.grants.room = ForeignName("demo")
  (administrator.grants.roomCreate, administrator.grants.roomList, administrator.grants.roomAdmin) = (true, true, true)
  (administrator.grants.roomRecord, administrator.grants.ingressAdmin) = (true, true)
  administrator.grants.destinationRoom = ForeignName("other")
  guard let keys = runToEnd({ try? TokenKeys(["fuzz": fuzzSecret]) }),
    let api = try? keys.sign(APIToken(key: "fuzz", expires: expires)),
    let liveKit = try? keys.sign(administrator),
    let publisher = try? keys.sign(token("ann", [.publish]), key: "fuzz"),
    let subscriber = try? keys.sign(token("bob", [.publish, .subscribe]), key: "fuzz")
  else { preconditionFailure("the secret is long enough") }
  return (keys, api, liveKit, publisher, subscriber)
}()
