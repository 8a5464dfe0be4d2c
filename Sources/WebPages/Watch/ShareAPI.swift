import Foundation
import RoomHTTPServer
import RoomLiveOrigin
import RoomProtocol
import RoomServer
import RoomToken

/// What an app shows to invite an audience: the link of the watch page, its QR code, and the code that embeds it.
struct ShareAPI: Sendable {
  let directory: RoomDirectory
  let access: APIAccess

  private static let defaultTTL: Int64 = 86_400

  var endpoints: [Endpoint] {
    [
      Endpoint("GET", "/v1/rooms/*/share", access: .api, action: .answer { request, names in await share(names, request) }),
      Endpoint("GET", "/v1/streams/*/*/share", access: .api, action: .answer { _, names in share(stream: names) }),
    ]
  }

  /// A room that is not public needs a token in its link.
  private func share(_ names: [String], _ request: HTTPRequest) async -> HTTPResponse {
    await directory.with(names) { room in
      do throws(RoomError) {
        let ttl = try request.queryNumber("ttl", 1...Int64(TokensAPI.maximumTTL)) ?? Self.defaultTTL
        let page = await room.playURLs.watch
        guard await !room.read(\.settings.watch.isPublic) else { return .json(API.ShareLinks(page)) }
        let viewer = "viewer-\(UInt64.random(in: .min ... .max))"
        let token = RoomToken(
          room: room.name, user: UserID(viewer), grants: [.subscribe, .hidden], expires: Date(timeIntervalSinceNow: Double(ttl))
        )
        let text = try access.sign(token, for: request)
        return .json(API.ShareLinks("\(page)?token=\(text)", expiresAt: Int64(token.expires.timeIntervalSince1970 * 1000)))
      } catch {
        return .error(400, error)
      }
    }
  }

  private func share(stream names: [String]) -> HTTPResponse {
    guard let path = StreamPath(app: names[0], stream: names[1]) else { return .error(404, HTTPError.noSuchPath) }
    let urls = directory.play.withLock { $0 }.urls(of: path, unixTime: Int64(Date().timeIntervalSince1970))
    return .json(API.ShareLinks(urls.watch, expiresAt: urls.expiresAt))
  }
}

extension API {
  struct ShareLinks: Encodable, Sendable {
    /// The watch page, with the token or the signature that it needs.
    var link: String
    /// HTML that shows the player in another page.
    var embed: String
    /// The link as a QR code, an SVG document; nil if the link has more than 666 bytes.
    var qr: String?
    /// When the link expires, in milliseconds since 1970; nil if it does not.
    var expiresAt: Int64?

    init(_ link: String, expiresAt: Int64? = nil) {
      self.link = link
      self.expiresAt = expiresAt
      let player = "\(link)\(link.contains("?") ? "&" : "?")embed".replacing("&", with: "&amp;")
      embed = """
        <iframe src="\(player)" width="640" height="360" allow="autoplay; fullscreen; picture-in-picture" frameborder="0"></iframe>
        """
      qr = QRCode(link)?.svg
    }
  }
}
