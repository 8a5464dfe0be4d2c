import RoomChromium
import Foundation
import RoomProtocol

/// A page with `Browser/client.js`: a participant by the web client of the server under test.
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
    /// The seconds in which the picture stood still (W3C's totalFreezesDuration).
    let frozen: Double
    let keyFrames: Int
    /// The key frames that the browser asked for: also when it can't decode.
    let keyFrameRequests: Int
    /// Frames that were received and not decoded or not shown.
    let dropped: Int
    /// The publisher's timestamp of what is being played, in milliseconds; nil before it is known.
    let playing: Double?
    /// The loudest frequency being played in Hz, and its level in dB.
    let frequency: Double
    let level: Double
  }

  struct State: Decodable, Sendable {
    let ended: EndedData?
    /// The first error without a request.
    let failure: String?
    let users: [UserID]
    /// The state of the connection that publishes: "connected".
    let publishing: String
    /// The number of connections that have failed.
    let failed: Int
  }

  struct Video: Encodable, Sendable {
    /// "H264", "VP8", "VP9" or "AV1".
    var codec: String
    /// A scalability mode: "L2T2".
    var layers: String?
    /// Whether the picture is a camera's, of which the web client sends a simulcast.
    var simulcast = false
    var width = 320
    var height = 180
    var fps = 15
    var color = "#2060c0"
  }

  struct Tone: Encodable, Sendable { var frequency: Double }

  /// The paths to the server that a page may use.
  enum Way: String, Encodable { case any, tcp, relay }

  /// The path of one connection's media, as reported by the browser.
  struct Path: Decodable, Sendable {
    /// "host", "prflx" or "relay".
    let localType: String
    /// "udp" or "tcp": to the server, or to the far side of its relay.
    let localProtocol: String
    /// The protocol used to the relay: "udp", "tcp" or "tls".
    let relayProtocol: String?
    let remoteProtocol: String
    let remoteAddress: String
  }

  private struct Request<Params: Encodable>: Encodable {
    let method: String
    let params: Params
  }

  private let page: any WebPage

  /// Opens a new page in the shared Chromium.
  static func open() async throws -> BrowserClient { try await open(on: BrowserPage.open(in: .shared())) }

  /// Opens the client on an empty page.
  static func open(on page: any WebPage) async throws -> BrowserClient {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Browser/client.html").standardized
    try await page.go(to: file.absoluteString)
    try await page.wait(until: "typeof client === 'object'")
    return BrowserClient(page: page)
  }

  private init(page: any WebPage) { self.page = page }

  /// Joins a room. `detours` are UDP ports to use in place of the server's.
  func join(
    url: String, token: String, way: Way = .any, detours: [String: UInt16] = [:]
  ) async throws {
    struct Join: Encodable {
      let url: String
      let token: String
      let way: Way
      let detours: [String: UInt16]
    }
    let _: Empty = try await call("join", Join(url: url, token: token, way: way, detours: detours))
  }

  /// Calls a method of the protocol and ignores its result.
  func request(_ method: String, _ params: some Encodable = Empty()) async throws {
    let _: Empty = try await call("request", Request(method: method, params: params))
  }

  /// Returns the data of the last event with a name, or nil before the first one.
  func told<Event: Decodable>(_ name: String, as: Event.Type = Event.self) async throws -> Event? {
    try await page.evaluate("client.told['\(name)'] ?? null")
  }

  /// Returns the selected paths of the publishing and the receiving connection.
  func paths() async throws -> [Path] { try await page.evaluate("client.paths()") }

  /// Publishes and returns the tracks' ids, audio first. With `wrongFingerprint`, the browser's certificate does not match its
  /// offer.
  func publish(video: Video? = nil, audio: Tone? = nil, wrongFingerprint: Bool = false) async throws -> [String] {
    struct Publish: Encodable {
      let video: Video?
      let audio: Tone?
      let wrongFingerprint: Bool
    }
    return try await call("publish", Publish(video: video, audio: audio, wrongFingerprint: wrongFingerprint))
  }

  /// A layer of the published simulcast.
  struct SentLayer: Decodable, Sendable, Hashable {
    let rid: String
    let height: Int
    /// The scalability mode, such as "L2T2"; empty for the codec's default.
    let mode: String
  }

  /// Returns the layers that the browser sent within a second from now.
  func sending() async throws -> [SentLayer] { try await page.evaluate("client.sending()") }

  /// The sound that the page sends and receives.
  struct Sound: Decodable, Sendable {
    /// The codecs that the page may send, by preference: "audio/opus", "audio/red".
    let codecs: [String]
    /// Whether the page's last answer contains RED.
    let answered: Bool
    /// Samples played, those among them that were made up, and packets lost, of the first received track.
    let samples: Double
    let concealed: Double
    let lost: Int
    /// The time that samples waited in the jitter buffer, in seconds and summed, and their number.
    let delay: Double
    let emitted: Double
  }

  func sound() async throws -> Sound { try await page.evaluate("client.sound()") }

  func received() async throws -> [Received] { try await page.evaluate("client.received()") }

  /// Returns the ages of a user's pictures when they appear, by the clock in the test pattern, in milliseconds.
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

  /// Kills the page's process, without a message to the server.
  func crash() async throws { try await (page as? BrowserPage)?.crash() }

  private func call<Result: Decodable>(_ method: String, _ argument: some Encodable) async throws -> Result {
    let json = String(decoding: try JSONEncoder().encode(argument), as: UTF8.self)
    return try await page.evaluate("client.\(method)(\(json))")
  }
}
