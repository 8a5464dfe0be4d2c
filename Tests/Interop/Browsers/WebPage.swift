import Foundation
import RoomChromium

/// A page in some browser, as scenarios that run in several browsers use it.
protocol WebPage: Sendable {
  /// Navigates to a URL.
  func go(to url: String) async throws
  /// Returns the value of a JavaScript expression, or of its promise.
  func evaluate<Result: Decodable>(_ expression: String) async throws -> Result
  func close() async throws
}

extension BrowserPage: WebPage {}

/// What a browser reports if a page or a command fails.
struct BrowserFailure: Error, CustomStringConvertible {
  let description: String
}

extension WebPage {
  /// Waits until a JavaScript expression is true.
  func waits(until expression: String, within limit: Duration = .seconds(60)) async throws {
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

/// The text that browsers' drivers return for an expression: JSON of its value, or an error.
enum PageScript {
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
