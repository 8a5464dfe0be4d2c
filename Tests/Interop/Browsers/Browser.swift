import RoomChromium
import RoomServer
import Testing

/// A running browser, in which a scenario opens pages.
protocol Browser: Sendable {
  /// Opens an empty page.
  /// - Parameters:
  ///   - script: a script that runs before every document loaded afterwards.
  ///   - ownWindow: whether the page has a window, in which the page is always visible. Firefox opens windows only.
  func open(script: String, ownWindow: Bool) async throws -> any UserPage
}

extension Chromium: Browser {
  func open(script: String, ownWindow: Bool) async throws -> any UserPage {
    try await BrowserPage.open(in: self, script: script, ownWindow: ownWindow)
  }
}

extension Firefox: Browser {
  func open(script: String, ownWindow: Bool) async throws -> any UserPage { try await page(script: script) }
}

extension Browser where Self == Chromium {
  /// The Chromium that all tests share.
  static func shared() throws -> Chromium { try Chromium.shared() }
}

/// The browsers that a scenario runs in.
enum BrowserKind: String, CaseIterable, Sendable {
  case chromium, firefox

  static let installed = allCases.filter { $0 != .firefox || Firefox.program != nil }

  /// Runs a scenario with a server that the browser reaches.
  func withServer(
    adjust: (inout ServerConfiguration) -> Void = { _ in }, _ scenario: (TestServer, any Browser) async throws -> Void
  ) async throws {
    func settings(_ configuration: inout ServerConfiguration) {
      Firefox.reach(&configuration)
      adjust(&configuration)
    }
    try await Interop.withServer(adjust: settings) { server in try await run { try await scenario(server, $0) } }
  }

  /// Runs a scenario in a browser, which ends with the scenario if nobody shares the browser.
  func run(_ scenario: (any Browser) async throws -> Void) async throws {
    switch self {
    case .chromium: try await scenario(Chromium.shared())
    case .firefox: try await Firefox.run { try await scenario($0) }
    }
  }
}
