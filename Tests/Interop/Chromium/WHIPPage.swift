import RoomChromium
import Foundation

/// A page with `Browser/whip.js`: a WHIP publisher or a WHEP player in a browser.
final class WHIPPage: Sendable {
  /// The state of its session.
  struct Session: Decodable, Sendable {
    let connection: String
    let framesDecoded: Int
    let width: Int
    let height: Int
    /// The layers of a published simulcast of which packets were sent.
    let sent: [String]
    /// Number of responses to connectivity checks on the selected candidate pair.
    let answers: Int
    /// The ICE username fragment in use, and the one offered last.
    let fragment: String
    let offered: String
    /// Status of the last response, by method.
    let statuses: [String: Int]
  }

  private struct Endpoint: Encodable {
    let url: String
    let token: String
    var rids: [String]?
  }

  private let page: any WebPage

  /// Opens a new page in the shared Chromium.
  static func open() async throws -> WHIPPage { try await open(on: BrowserPage.open(in: .shared())) }

  /// Opens a publisher or player on an empty page.
  static func open(on page: any WebPage) async throws -> WHIPPage {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Browser/whip.html").standardized
    try await page.go(to: file.absoluteString)
    try await page.wait(until: "typeof http === 'object'")
    return WHIPPage(page: page)
  }

  private init(page: any WebPage) { self.page = page }

  /// Publishes the browser's test camera and microphone, with trickle ICE.
  /// - Parameter layers: the rids of a simulcast, the smallest layer first.
  func publish(to url: String, token: String, layers: [String]? = nil) async throws {
    try await begin("publish", Endpoint(url: url, token: token, rids: layers))
  }

  /// Plays with trickle ICE.
  func play(from url: String, token: String) async throws { try await begin("play", Endpoint(url: url, token: token)) }

  private func begin(_ method: String, _ endpoint: Endpoint) async throws {
    let json = String(decoding: try JSONEncoder().encode(endpoint), as: UTF8.self)
    let _: Bool = try await page.evaluate("http.\(method)(\(json))")
  }

  /// Selects a layer of the picture that is played; nil selects the best. Returns the status.
  func select(_ layer: String?) async throws -> Int {
    try await page.evaluate("http.select(\(layer.map { "'\($0)'" } ?? "null"))")
  }

  func restartICE() async throws { let _: Bool = try await page.evaluate("http.restart()") }

  func session() async throws -> Session { try await page.evaluate("http.state()") }

  /// Ends the session and closes the page. Returns the status of the DELETE.
  func end() async throws -> Int {
    let status: Int = try await page.evaluate("http.end()")
    try await page.close()
    return status
  }
}
