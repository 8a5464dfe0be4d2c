import Foundation
import RoomChromium

/// A page in some browser, as scenarios that run in several browsers use it.
protocol WebPage: Sendable {
  /// Navigates to a URL.
  func go(to url: String) async throws
  /// Returns the value of a JavaScript expression, or of its promise.
  func evaluate<Result: Decodable>(_ expression: String) async throws -> Result
  /// Waits until a JavaScript expression is true.
  func wait(until expression: String, within limit: Duration) async throws
  func close() async throws
}

/// A page with a user's keys, and a record of what goes wrong.
protocol UserPage: WebPage {
  /// Brings the page to the front of its browser, where keys reach the page.
  func front() async throws
  /// Presses and releases a key, such as `Tab` or `Enter`.
  func press(_ key: String) async throws
  /// Types text into the focused element.
  func insert(_ text: String) async throws
  /// The errors and requests since the page was opened, at least those of the current document.
  var record: BrowserPage.Record { get async throws }
}

extension BrowserPage: UserPage {}

/// What a browser reports if a page or a command fails.
struct BrowserFailure: Error, CustomStringConvertible {
  let description: String
}

extension WebPage {
  /// Waits for a minute until a JavaScript expression is true.
  func wait(until expression: String) async throws { try await wait(until: expression, within: .seconds(60)) }

  func wait(until expression: String, within limit: Duration) async throws {
    let deadline = ContinuousClock.now + limit
    while try await evaluate("Boolean(\(expression))") != true {
      guard ContinuousClock.now < deadline else {
        let shown: String = (try? await evaluate("`${location.href}: ${document.body?.innerText}`")) ?? "no document"
        throw BrowserFailure(description: "\(expression) is not true within \(limit); \(shown.prefix(300))")
      }
      try await Task.sleep(for: .milliseconds(50))
    }
  }
}

/// Expressions that all browsers understand, and the text that drivers return for one: JSON of its value, or an error.
enum PageScript {
  /// Returns an expression for an element; `a >> b` is b in the shadow root of a.
  static func find(_ selector: String) -> String {
    let path = selector.components(separatedBy: " >> ").map { "querySelector(\(quoted($0)))" }
    return "document." + path.joined(separator: "?.shadowRoot?.")
  }

  static func quoted(_ text: String) -> String {
    String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
  }

  /// Returns an expression for the number of pictures that a video element has shown; 0 without the element.
  static func pictures(of video: String) -> String {
    // Firefox does not count the pictures of a MediaStream in the element's quality.
    """
    (video => !video ? 0 : video.srcObject && 'mozPaintedFrames' in video ? video.mozPaintedFrames
      : video.getVideoPlaybackQuality().totalVideoFrames)(\(video))
    """
  }

  /// Returns a script whose last argument is the callback of the driver.
  static func text(_ expression: String) -> String {
    """
    const done = arguments[arguments.length - 1];
    (async () => JSON.stringify(await (\(expression))))().then(
      value => done({ value: value === undefined ? null : value }), error => done({ error: String(error) }))
    """
  }

  struct Answer: Decodable {
    var value: String?
    var error: String?

    func decoded<Result: Decodable>(_ expression: String) throws -> Result {
      if let error { throw BrowserFailure(description: "\(expression): \(error)") }
      guard let value else { throw BrowserFailure(description: "\(expression) has no value") }
      return try JSONDecoder().decode(Result.self, from: Data(value.utf8))
    }
  }
}
