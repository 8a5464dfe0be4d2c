import Foundation
import RoomChromium

/// A page in Firefox, in a window of its own.
struct FirefoxPage: UserPage {
  let marionette: Marionette
  let handle: String

  func go(to url: String) async throws {
    try await marionette.call("WebDriver:Navigate", ["url": url], in: handle)
  }

  private struct Executed: Decodable { let value: PageScript.Answer }

  func evaluate<Result: Decodable>(_ expression: String) async throws -> Result {
    // Without a sandbox, so that the script sees what the page's own scripts have set.
    let executed = try await marionette.call(
      "WebDriver:ExecuteAsyncScript",
      ["script": PageScript.text(expression), "args": [String](), "sandbox": NSNull(), "newSandbox": false], in: handle)
    return try JSONDecoder().decode(Executed.self, from: executed).value.decoded(expression)
  }

  func close() async throws { try await marionette.call("WebDriver:CloseWindow", [:], in: handle) }

  // MARK: Keys

  func front() async throws {
    try await marionette.call("WebDriver:SwitchToWindow", ["handle": handle, "focus": true], in: handle)
    try await focus()
  }

  /// Gives the focus to the document: without it, keys press no button.
  private func focus() async throws {
    try await marionette.script("window.gBrowser.selectedBrowser.focus()", in: handle)
  }

  func press(_ key: String) async throws {
    // The code points of WebDriver (W3C), 17.4.2.
    let codes = ["Tab": "\u{E004}", "Enter": "\u{E007}", "Escape": "\u{E00C}", "ArrowDown": "\u{E015}"]
    try await type([codes[key] ?? key])
    // The Tab key also leads to the browser's own controls. The page's follow them.
    if try await !evaluate("document.hasFocus()") { try await focus() }
  }

  func insert(_ text: String) async throws { try await type(text.map(String.init)) }

  private func type(_ keys: [String]) async throws {
    let actions = keys.flatMap { key in ["keyDown", "keyUp"].map { ["type": $0, "value": key] } }
    let keyboard: [String: Any] = ["type": "key", "id": "keyboard", "actions": actions]
    try await marionette.call("WebDriver:PerformActions", ["actions": [keyboard]], in: handle)
  }

  // MARK: Record

  /// A log of the current document: exceptions, console errors, refusals of the page's policy, and requests.
  var record: BrowserPage.Record {
    get async throws { try await evaluate("window.pageRecord") }
  }

  /// The script that keeps the record.
  static let recording = """
    {
      const record = window.pageRecord = { errors: [], requests: [] }
      addEventListener('error', event => event.message && record.errors.push(event.message))
      addEventListener('unhandledrejection', event => record.errors.push(String(event.reason)))
      addEventListener('securitypolicyviolation', event => record.errors.push(`${event.violatedDirective} ${event.blockedURI}`))
      for (const kind of ['error', 'warn']) {
        const say = console[kind].bind(console)
        console[kind] = (...words) => (record.errors.push(words.join(' ')), say(...words))
      }
      // The fragment of an address is not sent.
      new PerformanceObserver(list => record.requests.push(...list.getEntries().map(each => each.name.replace(/#.*/, ''))))
        .observe({ entryTypes: ['navigation', 'resource'] })
      window.WebSocket = class extends WebSocket {
        constructor(...given) {
          super(...given)
          record.requests.push(this.url)
        }
      }
    }
    """

  /// Runs a script before every document that is loaded afterwards.
  func runFirst(_ script: String) async throws {
    // The window's message manager hands the listener to each process in which the page's documents are.
    let listener = """
      addEventListener('DOMWindowCreated', event => {
        const page = event.target.defaultView
        Cu.evalInSandbox(\(Self.quoted(script)), Cu.Sandbox(page, { sandboxPrototype: page, wantXrays: false }))
      }, true)
      """
    let load = "window.messageManager.loadFrameScript('data:,' + encodeURIComponent(\(Self.quoted(listener))), true)"
    try await marionette.script(load, in: handle)
  }

  private static func quoted(_ text: String) -> String {
    String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
  }
}
