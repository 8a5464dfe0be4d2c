import Foundation
import RoomProtocol

/// A page with `Browser/client.js`: a participant that is a browser.
final class BrowserClient: Sendable {
  /// A remote track as the page receives it.
  struct Received: Decodable, Sendable {
    let userId: UserID
    let trackId: TrackID
    let kind: TrackKind
    /// "video/H264", "audio/opus".
    let codec: String
    let packets: Int
    let framesDecoded: Int
    let width: Int
    let height: Int
    /// The publisher's time of what is played right now, in milliseconds; nil before it is known.
    let playing: Double?
    /// The loudest frequency heard right now, Hz, and how loud it is in dB.
    let frequency: Double
    let level: Double
  }

  struct State: Decodable, Sendable {
    let ended: EndedData?
    let failure: String?
    let events: [String]
    let users: [UserID]
    let publishing: String
    let subscribing: String
  }

  struct Video: Encodable, Sendable {
    /// "H264", "VP8", "VP9" or "AV1".
    var codec: String
    /// A scalability mode: "L2T2".
    var layers: String?
    var width = 320
    var height = 180
    var fps = 15
    var color = "#2060c0"
  }

  struct Tone: Encodable, Sendable { var frequency: Double }

  /// Which ways to the server a page may use.
  enum Way: String, Encodable { case any, tcp, relay }

  /// The way that media of one connection goes, by the browser's own account.
  struct Path: Decodable, Sendable {
    /// "host", "prflx", "relay".
    let localType: String
    /// "udp" or "tcp": to the server, or to its relay's far side.
    let localProtocol: String
    /// How a relay is reached: "udp", "tcp", "tls".
    let relayProtocol: String?
    let remoteProtocol: String
    let remoteAddress: String
  }

  private struct Request<Params: Encodable>: Encodable {
    let method: String
    let params: Params
  }

  private let page: BrowserPage

  /// Opens a page of its own in the shared browser.
  static func open() async throws -> BrowserClient {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Browser/client.html").standardized
    let page = try await BrowserPage.open(in: .shared())
    try await page.go(to: file.absoluteString)
    try await page.wait(until: "typeof client === 'object'")
    return BrowserClient(page: page)
  }

  private init(page: BrowserPage) { self.page = page }

  func join(url: String, token: String, way: Way = .any) async throws {
    struct Join: Encodable {
      let url: String
      let token: String
      let way: Way
    }
    let _: JoinResult = try await call("join", Join(url: url, token: token, way: way))
  }

  /// Any call of the protocol that gives nothing, or whose result does not matter.
  func request(_ method: String, _ params: some Encodable = Empty()) async throws {
    let _: Empty = try await call("request", Request(method: method, params: params))
  }

  /// The data of the last event of a name; nil before the first.
  func told<Event: Decodable>(_ name: String, as: Event.Type = Event.self) async throws -> Event? {
    try await page.evaluate("client.told['\(name)'] ?? null")
  }

  /// Of the publishing and the receiving connection, as far as they have chosen one.
  func paths() async throws -> [Path] { try await page.evaluate("client.paths()") }

  /// Gives the ids of the tracks, audio first. With `wrongFingerprint` the browser shows another certificate than its offer names.
  func publish(video: Video? = nil, audio: Tone? = nil, wrongFingerprint: Bool = false) async throws -> [String] {
    struct Publish: Encodable {
      let video: Video?
      let audio: Tone?
      let wrongFingerprint: Bool
    }
    return try await call("publish", Publish(video: video, audio: audio, wrongFingerprint: wrongFingerprint))
  }

  func received() async throws -> [Received] { try await page.evaluate("client.received()") }

  /// How old a user's pictures are when they appear, by the clock of the test pattern in them, in milliseconds.
  func ages(of userId: UserID, for milliseconds: Int) async throws -> [Int] {
    struct Wish: Encodable {
      let userId: UserID
      let milliseconds: Int
    }
    return try await call("ages", Wish(userId: userId, milliseconds: milliseconds))
  }

  func state() async throws -> State { try await page.evaluate("client.state()") }

  func leave() async throws {
    let _: Bool = try await page.evaluate("client.leave().then(() => true)")
  }

  /// Closes the page, as a user closes a tab.
  func close() async throws { try await page.close() }

  /// Kills the page's process; nobody is told.
  func crash() async throws { try await page.crash() }

  private func call<Result: Decodable>(_ method: String, _ argument: some Encodable) async throws -> Result {
    let json = String(decoding: try JSONEncoder().encode(argument), as: UTF8.self)
    return try await page.evaluate("client.\(method)(\(json))")
  }
}
