import Foundation
import RoomChromium
import RoomLossyLink

/// A browser that receives, in one of the networks.
final class ChromiumSubscriber: Sendable {
  private let browser: Chromium
  private let page: BrowserPage

  /// - Parameter network: the browser's network; nil is that of this process.
  static func open(in network: NetworkNamespace?) async throws -> ChromiumSubscriber {
    let browser = try Chromium(prefix: network?.prefix ?? [])
    let page = try await BrowserPage.open(in: browser)
    let _: Bool = try await page.evaluate("(() => { \(SubscriberPage.script); return true })()")
    return ChromiumSubscriber(browser, page)
  }

  private init(_ browser: Chromium, _ page: BrowserPage) {
    self.browser = browser
    self.page = page
  }

  /// Joins a room: calls the method of the page for this kind of server.
  func join(_ method: String, _ arguments: some Encodable) async throws {
    let json = String(decoding: try JSONEncoder().encode(arguments), as: UTF8.self)
    let _: Bool = try await page.evaluate("subscriber.\(method)(\(json))")
  }

  /// Waits for the first picture.
  func firstPicture(within limit: Duration = .seconds(20)) async throws {
    do {
      try await page.wait(until: "subscriber.failure || subscriber.samples.at(-1)?.video.framesDecoded", within: limit)
    } catch { throw LoadtestError.noMedia("the browser received no picture within \(limit)") }
    if let failure: String = try await page.evaluate("subscriber.failure") as String? {
      throw LoadtestError.refused("the browser's page failed: \(failure)")
    }
  }

  func samples() async throws -> [PageSample] { try await page.evaluate("subscriber.samples") }

  /// Lets the page change layers by this plan.
  func begin(_ plan: LayerChangePlan) async throws {
    let json = String(decoding: try JSONEncoder().encode(plan), as: UTF8.self)
    let _: Bool = try await page.evaluate(
      "(subscriber.changeLayers(\(json)).catch(error => subscriber.failure ??= String(error)), true)")
  }

  /// Returns whether the page has made all changes, or failed.
  func hasChanged() async throws -> Bool { try await page.evaluate("subscriber.hasChanged || subscriber.failure !== null") }

  func changes() async throws -> LayerChanges {
    if let failure: String = try await page.evaluate("subscriber.failure") as String? {
      throw LoadtestError.refused("the browser's page failed: \(failure)")
    }
    return try await page.evaluate("({ changes: subscriber.changes, pictures: subscriber.pictures })")
  }

  func close() async { try? await page.close() }
}
