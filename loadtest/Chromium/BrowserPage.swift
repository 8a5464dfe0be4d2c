import Foundation
import Synchronization

/// A page in Chromium. It evaluates expressions and records errors.
package final class BrowserPage: Sendable {
  /// A log of the page since it was opened.
  package struct Record: Decodable, Sendable {
    /// Exceptions, console errors, and errors reported by the browser itself.
    package var errors: [String] = []
    /// The URLs of all requests, including WebSockets.
    package var requests: [String] = []
  }

  private let devTools: DevTools
  private let target: String
  private let session: String
  private let kept = Mutex(Record())
  /// The part of a heap snapshot that has arrived; nil while none is taken.
  private let heapSnapshot = Mutex<String?>(nil)

  package var record: Record { kept.withLock { $0 } }

  /// Opens an empty page. `script` runs before every document loaded afterwards. In a window of its own the page is always
  /// visible; in a tab only while it is in front.
  package static func open(in chromium: Chromium, script: String? = nil, ownWindow: Bool = false) async throws -> BrowserPage {
    let devTools = chromium.devTools
    struct Create: Encodable {
      let url: String
      let newWindow: Bool
    }
    struct Created: Decodable { let targetId: String }
    let created: Created = try await devTools.call("Target.createTarget", Create(url: "about:blank", newWindow: ownWindow))
    struct Attach: Encodable {
      let targetId: String
      let flatten = true
    }
    struct Attached: Decodable { let sessionId: String }
    let attached: Attached = try await devTools.call("Target.attachToTarget", Attach(targetId: created.targetId))
    let page = BrowserPage(devTools: devTools, target: created.targetId, session: attached.sessionId)
    devTools.listen(to: attached.sessionId) { [weak page] in page?.receive($0, $1) }
    for domain in ["Page", "Runtime", "Log", "Network"] { try await page.order("\(domain).enable", Nothing()) }
    struct Script: Encodable { let source: String }
    if let script { try await page.order("Page.addScriptToEvaluateOnNewDocument", Script(source: script)) }
    return page
  }

  private init(devTools: DevTools, target: String, session: String) {
    self.devTools = devTools
    self.target = target
    self.session = session
  }

  /// Accepts certificates without a trusted signature.
  package func trustAnyCertificate() async throws {
    struct Ignore: Encodable { let ignore = true }
    try await order("Security.setIgnoreCertificateErrors", Ignore())
  }

  /// Navigates to a URL without waiting for the page to load.
  /// - Throws: the browser's reason if it does not get the document.
  package func go(to url: String) async throws {
    struct Navigate: Encodable { let url: String }
    struct Navigated: Decodable { let errorText: String? }
    // The browser ends all requests when an interface of the machine appears or disappears, such as that of a namespace.
    for attempt in 1...5 {
      let answer: Navigated = try await devTools.call("Page.navigate", Navigate(url: url), session: session)
      // A download is no document.
      guard let reason = answer.errorText, reason != "net::ERR_ABORTED" else { return }
      guard reason == "net::ERR_NETWORK_CHANGED", attempt < 5 else {
        throw DevTools.Failure(description: "\(url): \(reason)")
      }
    }
  }

  /// Waits until a JavaScript expression is true.
  package func wait(until expression: String, within limit: Duration = .seconds(60)) async throws {
    let deadline = ContinuousClock.now + limit
    var pause = Duration.milliseconds(10)
    while try await evaluate("Boolean(\(expression))") != true {
      guard ContinuousClock.now < deadline else {
        let shown: String = (try? await evaluate("`${location.href}: ${document.body?.innerText}`")) ?? "no document"
        throw DevTools.Failure(
          description: "\(expression) is not true within \(limit); \(shown.prefix(300)); \(record.errors.suffix(3))")
      }
      // Short waits end early, and long ones leave the CPU to the media.
      try await Task.sleep(for: pause)
      pause = min(pause * 3 / 2, .milliseconds(80))
    }
  }

  /// Emulates a screen of this size.
  package func show(width: Int, height: Int, scale: Double = 1, mobile: Bool = false, dark: Bool = false) async throws {
    struct Metrics: Encodable {
      let width: Int
      let height: Int
      let deviceScaleFactor: Double
      let mobile: Bool
    }
    struct Media: Encodable {
      struct Feature: Encodable {
        let name: String
        let value: String
      }
      let features: [Feature]
    }
    try await order(
      "Emulation.setDeviceMetricsOverride",
      Metrics(width: width, height: height, deviceScaleFactor: scale, mobile: mobile))
    struct Scrollbars: Encodable { let hidden = true }
    try await order("Emulation.setScrollbarsHidden", Scrollbars())
    try await order(
      "Emulation.setEmulatedMedia",
      Media(features: [.init(name: "prefers-color-scheme", value: dark ? "dark" : "light")]))
  }

  /// Presses and releases a key, such as `Tab` or `Enter`.
  package func press(_ key: String) async throws {
    struct Press: Encodable {
      var type: String
      var key: String
      var code: String
      var windowsVirtualKeyCode: Int
      var text: String?
    }
    let code = ["Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "ArrowDown": 40][key] ?? 0
    let press = Press(
      type: "keyDown", key: key, code: key == " " ? "Space" : key, windowsVirtualKeyCode: code,
      text: key == "Enter" ? "\r" : key == " " ? " " : nil)
    try await order("Input.dispatchKeyEvent", press)
    var release = press
    (release.type, release.text) = ("keyUp", nil)
    try await order("Input.dispatchKeyEvent", release)
  }

  /// Types text into the focused element.
  package func insert(_ text: String) async throws {
    struct Insert: Encodable { var text: String }
    try await order("Input.insertText", Insert(text: text))
  }

  /// Saves the downloads of all pages of the browser in a directory.
  package func saveDownloads(in directory: String) async throws {
    struct Allow: Encodable {
      let behavior = "allow"
      let downloadPath: String
    }
    let _: Nothing = try await devTools.call("Browser.setDownloadBehavior", Allow(downloadPath: directory))
  }

  /// Lets all of the page's requests fail, or pass again.
  package func goOffline(_ offline: Bool) async throws {
    struct Conditions: Encodable {
      var offline: Bool
      let latency = 0
      /// -1 is without a limit.
      let downloadThroughput = -1
      let uploadThroughput = -1
    }
    try await order("Network.emulateNetworkConditions", Conditions(offline: offline))
  }

  /// Brings the page to the front of its browser.
  package func front() async throws { try await order("Page.bringToFront", Nothing()) }

  /// Returns a JPEG of the screen.
  package func picture(quality: Int = 88) async throws -> Data {
    struct Capture: Encodable {
      let format = "jpeg"
      let quality: Int
    }
    struct Captured: Decodable { let data: Data }
    let captured: Captured = try await devTools.call("Page.captureScreenshot", Capture(quality: quality), session: session)
    return captured.data
  }

  /// Closes the page, as a user closes a tab.
  package func close() async throws {
    struct Target: Encodable { let targetId: String }
    struct Closed: Decodable {}
    devTools.listen(to: session, nil)
    let _: Closed = try await devTools.call("Target.closeTarget", Target(targetId: target))
  }

  /// Kills the page's process, without a message to the server.
  package func crash() async throws {
    let _: Nothing? = try? await devTools.call("Page.crash", Nothing(), session: session, timeout: .seconds(1))
    try? await close()
  }

  /// Counts what the page's process holds, by the browser's own counters ("JSHeapUsedSize", "Nodes", "JSEventListeners").
  /// Garbage is collected before.
  package func counters() async throws -> [String: Double] {
    struct Metrics: Decodable {
      struct Metric: Decodable {
        let name: String
        let value: Double
      }
      let metrics: [Metric]
    }
    try await order("Performance.enable", Nothing())
    for _ in 0..<3 { try await order("HeapProfiler.collectGarbage", Nothing()) }
    let counted: Metrics = try await devTools.call("Performance.getMetrics", Nothing(), session: session)
    return Dictionary(counted.metrics.map { ($0.name, $0.value) }) { first, _ in first }
  }

  /// Returns the bytes of the page's JavaScript heap by type: `code`, `closure`, `object`, `array`, `string` and so on.
  package func heap() async throws -> [String: Int] {
    heapSnapshot.withLock { $0 = "" }
    try await order("HeapProfiler.enable", Nothing())
    for _ in 0..<3 { try await order("HeapProfiler.collectGarbage", Nothing()) }
    try await order("HeapProfiler.takeHeapSnapshot", Nothing())
    let text = heapSnapshot.withLock { text in
      defer { text = nil }
      return text ?? ""
    }
    return try JSONDecoder().decode(HeapSnapshot.self, from: Data(text.utf8)).bytesByType
  }

  /// Returns the value of a JavaScript expression, or of its promise.
  package func evaluate<Result: Decodable>(_ expression: String) async throws -> Result {
    try await evaluate(expression, asUser: true)
  }

  /// Returns the value of a JavaScript expression, or of its promise.
  /// - Parameter asUser: whether the expression runs as if a user had acted, which permits sound from then on.
  package func evaluate<Result: Decodable>(_ expression: String, asUser: Bool) async throws -> Result {
    let evaluate = Evaluate(expression: "(async () => JSON.stringify(await (\(expression))))()", userGesture: asUser)
    let evaluated: Evaluated = try await devTools.call("Runtime.evaluate", evaluate, session: session)
    if let exception = evaluated.exceptionDetails { throw DevTools.Failure(description: exception.text) }
    guard let json = evaluated.result.value else { throw DevTools.Failure(description: "\(expression) has no value") }
    return try JSONDecoder().decode(Result.self, from: Data(json.utf8))
  }

  private struct Nothing: Codable {}

  private func order(_ method: String, _ params: some Encodable) async throws {
    let _: Nothing = try await devTools.call(method, params, session: session)
  }

  private struct Evaluate: Encodable {
    let expression: String
    let awaitPromise = true
    let returnByValue = true
    /// Cameras and audio require a user gesture.
    let userGesture: Bool
  }

  private struct Evaluated: Decodable {
    struct Value: Decodable {
      private enum Keys: String, CodingKey { case value }
      /// Nil if the value is not a string, as with a thrown object.
      let value: String?

      init(from decoder: any Decoder) throws {
        value = try? decoder.container(keyedBy: Keys.self).decode(String.self, forKey: .value)
      }
    }
    let result: Value
    let exceptionDetails: Exception?
  }

  private struct Exception: Decodable {
    private enum Keys: String, CodingKey { case text, exception, description }
    let text: String

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: Keys.self)
      let thrown = try? values.nestedContainer(keyedBy: Keys.self, forKey: .exception).decode(String.self, forKey: .description)
      text = try thrown ?? values.decode(String.self, forKey: .text)
    }
  }

  // MARK: Record

  private struct Event<Params: Decodable>: Decodable { let params: Params }

  private static func params<Params: Decodable>(_: Params.Type, of message: Data) -> Params? {
    let event = try? JSONDecoder().decode(Event<Params>.self, from: message)
    return event?.params
  }

  private func receive(_ method: String, _ message: Data) {
    func params<Params: Decodable>(_ type: Params.Type) -> Params? { Self.params(type, of: message) }
    struct Chunk: Decodable { let chunk: String }
    if method == "HeapProfiler.addHeapSnapshotChunk" {
      if let chunk = params(Chunk.self)?.chunk { heapSnapshot.withLock { $0?.append(chunk) } }
      return
    }
    struct Requested: Decodable {
      struct Request: Decodable { let url: String }
      let request: Request
    }
    struct Opened: Decodable { let url: String }
    struct Thrown: Decodable { let exceptionDetails: Exception }
    struct Logged: Decodable {
      struct Entry: Decodable {
        let level: String
        let text: String
        let url: String?
      }
      let entry: Entry
    }
    struct Called: Decodable {
      struct Argument: Decodable { let description: String? }
      let type: String
      let args: [Argument]
    }
    kept.withLock { record in
      switch method {
      case "Network.requestWillBeSent":
        if let request = params(Requested.self)?.request { record.requests.append(request.url) }
      case "Network.webSocketCreated":
        if let socket = params(Opened.self) { record.requests.append(socket.url) }
      case "Runtime.exceptionThrown":
        if let thrown = params(Thrown.self) { record.errors.append(thrown.exceptionDetails.text) }
      case "Log.entryAdded":
        if let entry = params(Logged.self)?.entry, entry.level == "error" || entry.level == "warning" {
          record.errors.append("\(entry.text) \(entry.url ?? "")")
        }
      case "Runtime.consoleAPICalled":
        if let call = params(Called.self), ["error", "warning", "assert"].contains(call.type) {
          record.errors.append(call.args.compactMap(\.description).joined(separator: " "))
        }
      default: break
      }
    }
  }
}
