import RoomChromium
import Foundation
import RoomProtocol
import Testing

/// A user of the console: clicks visible elements, types, and checks what is shown.
final class ConsoleUser: Sendable {
  let page: any UserPage
  /// The URL at which the console was opened.
  private let home: String

  /// The page in Chromium, for what no other browser does.
  var chromium: BrowserPage { get throws { try #require(page as? BrowserPage) } }

  private init(page: any UserPage, home: String) {
    self.page = page
    self.home = home
  }

  /// Gives access to the page's sockets, and refuses new ones while `socketsAreRefused`, to simulate a lost network.
  private static let script = """
    window.sockets = []
    window.socketsAreRefused = false
    window.WebSocket = class extends WebSocket {
      constructor(...address) {
        if (window.socketsAreRefused) throw new Error('no network')
        super(...address)
        window.sockets.push(this)
      }
    }
    """

  /// A browser without a camera and a microphone.
  static let withoutDevices = """
    navigator.mediaDevices.enumerateDevices = async () => []
    navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('none', 'NotFoundError') }
    """

  /// A browser whose user reads Chinese.
  static let inChinese = "Object.defineProperty(navigator, 'languages', { get: () => ['zh-CN', 'en'] })"

  /// With a name, a person from `Browser/scene.js` is in front of the camera.
  private static func open(
    _ home: String, in browser: some Browser, as name: String? = nil, ownWindow: Bool = false, with more: String = ""
  ) async throws -> ConsoleUser {
    var script = script + "\n" + more
    if let name {
      let scene = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Browser/scene.js").standardized
      script += "\nwindow.name = \(quoted(name))\n" + (try String(contentsOf: scene, encoding: .utf8))
    }
    let page = try await browser.open(script: script, ownWindow: ownWindow)
    try await (page as? BrowserPage)?.show(width: 1280, height: 800)
    return ConsoleUser(page: page, home: home)
  }

  /// Opens the console, signed in by a link with the token.
  /// - Parameters:
  ///   - home: the console's URL; nil for the server's without TLS. If set, any certificate is accepted.
  ///   - script: a script that runs before the page's own.
  static func signIn(
    _ server: TestServer, token: String, in browser: some Browser, as name: String? = nil, ownWindow: Bool = false,
    at home: String? = nil, with script: String = ""
  ) async throws -> ConsoleUser {
    let user = try await open(home ?? server.page, in: browser, as: name, ownWindow: ownWindow, with: script)
    if home != nil { try await user.chromium.trustAnyCertificate() }
    try await user.page.go(to: "\(user.home)#token=\(token)")
    try await user.sees(".shell")
    return user
  }

  /// Opens the console and types the token into its form.
  static func signIn(_ server: TestServer, typing token: String, in browser: some Browser) async throws -> ConsoleUser {
    let user = try await open(server.page, in: browser)
    try await user.page.go(to: server.page)
    try await user.sees(".gate")
    try await user.type(token, into: "#token")
    try await user.click("[data-action=sign-in]")
    try await user.sees(".shell")
    return user
  }

  /// Opens the console without a token: its sign-in.
  static func atSignIn(
    _ server: TestServer, in browser: some Browser, ownWindow: Bool = false, with script: String = ""
  ) async throws -> ConsoleUser {
    let user = try await open(server.page, in: browser, ownWindow: ownWindow, with: script)
    try await user.page.go(to: server.page)
    try await user.sees(".gate")
    return user
  }

  /// Opens a link to the console in a new tab of the same browser, without a token.
  static func openTab(_ server: TestServer, at route: String, in browser: some Browser) async throws -> ConsoleUser {
    let user = try await open(server.page, in: browser)
    try await user.page.go(to: "\(user.home)#/\(route)")
    try await user.sees(".shell")
    return user
  }

  // MARK: The keyboard

  /// Moves the focus with the Tab key to the element of a selector.
  func tabs(to selector: String) async throws {
    try await sees(selector)
    for _ in 0..<200 {
      if try await page.evaluate("document.activeElement?.matches(\(Self.quoted(selector))) === true") { return }
      try await page.press("Tab")
    }
    Issue.record("the Tab key does not reach \(selector)")
  }

  /// Moves the focus to a control with the Tab key, and presses a key there.
  func presses(_ key: String = "Enter", on selector: String) async throws {
    try await tabs(to: selector)
    try await page.press(key)
  }

  /// Moves the focus to a field with the Tab key, which selects its text, and types another one.
  func writes(_ text: String, into selector: String) async throws {
    try await tabs(to: selector)
    try await page.insert(text)
  }

  // MARK: Doing

  /// Acts on the element of a selector once it is visible. The check and the action are one step, since the page may redraw it
  /// at any time.
  private func act(on selector: String, once isReady: String = "true", _ doing: String) async throws {
    try await page.wait(until: "(node => node?.checkVisibility() && \(isReady) && (\(doing), true))(\(Self.find(selector)))")
  }

  /// Clicks the element of a selector once it is visible and enabled.
  func click(_ selector: String) async throws { try await act(on: selector, once: "!node.disabled", "node.click()") }

  func type(_ text: String, into selector: String) async throws {
    try await act(on: selector, "node.value = \(Self.quoted(text))")
  }

  /// Types or chooses, and notifies the page.
  func choose(_ text: String, in selector: String) async throws {
    try await act(
      on: selector,
      "node.value = \(Self.quoted(text)), node.dispatchEvent(new Event('input')), node.dispatchEvent(new Event('change'))")
  }

  /// Opens a view, and waits until it replaces the current one, whose elements must not be clicked any more.
  func go(_ route: String) async throws {
    let leave = """
      (hash => {
        document.querySelector('main').firstElementChild.dataset.isLeft = location.hash !== hash
        location.hash = hash
        return true
      })(\(Self.quoted("#/" + route)))
      """
    let _: Bool = try await page.evaluate(leave)
    try await page.wait(until: "document.querySelector('main > :not([data-is-left=true])')")
  }

  /// Joins the current room with camera and microphone.
  func join(as name: String) async throws {
    try await click(".stage [data-action=join]")
    try await page.wait(until: "document.querySelector('dialog video')?.videoWidth > 0")
    try await type(name, into: "#join-name")
    try await click("dialog[open] [data-action=confirm]")
    try await sees(".controls [data-action=leave]")
  }

  /// Goes live as the host of a room of one's own, broadcast to `url`; an empty URL starts no broadcast.
  /// - Parameters:
  ///   - audience: what the audience receives: mixed, voice or separate.
  ///   - camera: the id of a camera in the page's list; nil selects the first one, "off" none, and the default is the small
  ///     test picture.
  func goLive(
    as name: String, room: RoomName, url: String, audience: String = "mixed", camera: String? = "test"
  ) async throws {
    try await click(".side [data-action=begin-live]")
    try await page.wait(until: "document.querySelector('dialog video')?.videoWidth > 0")
    if camera == "off" {
      try await click("dialog[open] .controls [aria-label=Camera]")
    } else if let camera {
      try await page.wait(until: "document.querySelector('#device-camera option[value=\(camera)]')")
      try await choose(camera, in: "#device-camera")
    }
    try await type(name, into: "#join-name")
    try await choose(room.rawValue, in: "#live-room")
    try await click("dialog[open] summary")
    try await choose(url, in: "#live-url")
    try await choose(audience, in: "#live-audience")
    try await click("dialog[open] [data-action=confirm]")
    try await sees(".controls [data-action=leave]")
    try await reads("/\(room)/", in: "h1")
  }

  /// Joins the current room as a listener.
  func listen(as name: String) async throws {
    try await click(".stage [data-action=join]")
    try await click("dialog[open] [data-role=audience]")
    try await type(name, into: "#join-name")
    try await click("dialog[open] [data-action=confirm]")
    try await sees(".controls [data-action=leave]")
  }

  /// Closes the sockets and keeps them closed until `reconnect`.
  func disconnect() async throws {
    let _: Bool = try await page.evaluate("(socketsAreRefused = true, sockets.forEach(each => each.close()), true)")
  }

  func reconnect() async throws {
    let _: Bool = try await page.evaluate("(socketsAreRefused = false, true)")
  }

  // MARK: Looking

  /// Waits until an element of a selector is visible.
  func sees(_ selector: String, within limit: Duration = .seconds(60)) async throws {
    try await page.wait(until: "\(Self.find(selector))?.checkVisibility()", within: limit)
  }

  /// Waits until no element of a selector is visible.
  func seesNo(_ selector: String, within limit: Duration = .seconds(60)) async throws {
    try await page.wait(until: "!\(Self.find(selector))?.checkVisibility()", within: limit)
  }

  /// Waits until the text of a selector's element matches a JavaScript pattern.
  func reads(_ pattern: String, in selector: String) async throws {
    try await page.wait(until: "\(pattern).test(\(Self.find(selector))?.textContent ?? '')")
  }

  /// Waits until a user's tile shows decoded pictures that differ from each other.
  func watches(_ user: UserID, frames: Int = 20) async throws {
    try await sees(".tile[data-user='\(user)']:not(.without) video")
    let video = "document.querySelector(\".tile[data-user='\(user)'] video\")"
    try await page.wait(until: "\(video).videoWidth > 0")
    let before: Int = try await page.evaluate(PageScript.pictures(of: video))
    let first: String = try await page.evaluate(Self.look(at: video))
    try await page.wait(until: "\(PageScript.pictures(of: video)) >= \(before + frames)")
    try await page.wait(until: "\(Self.look(at: video)) !== \(Self.quoted(first))")
  }

  /// Waits until a video plays: its time and its pictures advance.
  func plays(_ selector: String) async throws {
    let video = Self.find(selector)
    try await page.wait(until: "\(video)?.videoWidth > 0")
    let before: Int = try await page.evaluate(PageScript.pictures(of: video))
    try await page.wait(until: "\(PageScript.pictures(of: video)) >= \(before + 15)")
  }

  /// Waits until both halves of a video show a picture: neither is the black of a background.
  func seesBothHalves(of selector: String, width: Int) async throws {
    let look = """
      (video => {
        if (video?.videoWidth !== \(width)) return false
        const canvas = Object.assign(document.createElement('canvas'), { width: 32, height: 18 })
        const pen = canvas.getContext('2d', { willReadFrequently: true })
        pen.drawImage(video, 0, 0, 32, 18)
        const light = left => {
          const { data } = pen.getImageData(left, 4, 12, 10)
          return data.reduce((sum, value, index) => sum + (index % 4 === 3 ? 0 : value), 0) / (data.length * 0.75)
        }
        return light(2) > 40 && light(18) > 40
      })(\(Self.find(selector)))
      """
    try await page.wait(until: look)
  }

  /// Waits until the others' audio is audible; the fake microphone beeps once a second. Analyses the last two thirds of a
  /// second, so that infrequent polling on a busy machine detects it too.
  func hears() async throws {
    let listen = """
      (() => {
        window.ear ??= new AudioContext()
        const stream = document.querySelector('#sounds audio')?.srcObject
        if (!stream) return false
        if (window.heard !== stream) {
          window.heard = stream
          window.analyser = new AnalyserNode(ear, { fftSize: 32768 })
          new MediaStreamAudioSourceNode(ear, { mediaStream: stream }).connect(analyser)
        }
        const samples = new Float32Array(analyser.fftSize)
        analyser.getFloatTimeDomainData(samples)
        return samples.some(sample => Math.abs(sample) > 0.02)
      })()
      """
    try await page.wait(until: listen)
  }

  /// Records an issue for each error in the page, and for each request that went to another server or contained a token.
  func reportsNoErrors(
    except known: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    for error in try await errors where known.map({ !error.contains($0) }) ?? true {
      Issue.record("the console reports: \(error)", sourceLocation: sourceLocation)
    }
  }

  private var errors: [String] {
    get async throws {
      let record = try await page.record
      let own = [home, home.replacing(/^http/, with: "ws")]
      // The browser draws a video's controls from data URLs of its own.
      let foreign = record.requests.filter { request in
        !request.hasPrefix("data:") && !request.hasPrefix("blob:") && !own.contains { request.hasPrefix($0) }
      }
      // Lists are searched, and cut. Players ask for the messages after a number, and for the next part of a playlist.
      let telling = record.requests.filter { request in
        // A signed URL reads one recording, and is made for players.
        guard !request.contains(/\/v1\/recordings\/[^\/?]+\/file\?token=/) else { return false }
        let names = request.matches(of: /[?&]([^=&]*)/).map { String($0.1) }
        return request.contains("eyJ")
          || !Set(names).isSubset(of: ["q", "state", "sort", "limit", "after", "room", "_HLS_msn", "_HLS_part"])
      }
      return record.errors + foreign.map { "request to \($0)" } + telling.map { "token in \($0)" }
    }
  }

  private static func find(_ selector: String) -> String { PageScript.find(selector) }

  private static func quoted(_ text: String) -> String { PageScript.quoted(text) }

  /// A JavaScript expression that returns a few pixels of a video as text.
  private static func look(at video: String) -> String {
    """
    (video => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 32, height: 18 })
      const pen = canvas.getContext('2d', { willReadFrequently: true })
      pen.drawImage(video, 0, 0, 32, 18)
      return pen.getImageData(0, 0, 32, 18).data.join()
    })(\(video))
    """
  }
}
