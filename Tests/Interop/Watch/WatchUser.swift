import Foundation
import RoomChromium
import Testing

/// A viewer with the watch page.
final class WatchUser: Sendable {
  /// What the viewer's browser lacks.
  enum Lack: String, Sendable, CaseIterable {
    case nothing = ""
    case webRTC = "delete window.RTCPeerConnection"
    /// WebRTC is there, but no packet passes.
    case udp = "RTCPeerConnection.prototype.setRemoteDescription = () => new Promise(() => {})"
    case playlists = """
      delete window.RTCPeerConnection
      const load = window.fetch
      window.fetch = (url, ...more) => String(url).includes('.m3u8') ? Promise.reject(new Error('blocked')) : load(url, ...more)
      HTMLMediaElement.prototype.canPlayType = () => ''
      """
    case mediaSource = "for (const name of ['RTCPeerConnection', 'MediaSource', 'ManagedMediaSource']) delete window[name]"
    /// The browser prefers Chinese.
    case textsInEnglish = "Object.defineProperty(navigator, 'languages', { get: () => ['zh-CN'] })"
    case everything = """
      for (const name of ['RTCPeerConnection', 'MediaSource', 'ManagedMediaSource']) delete window[name]
      HTMLMediaElement.prototype.canPlayType = () => ''
      """
  }

  let page: any UserPage

  /// The page in Chromium, for what no other browser does.
  var chromium: BrowserPage { get throws { try #require(page as? BrowserPage) } }

  private init(page: any UserPage) { self.page = page }

  /// Opens a page in the Chromium that all tests share.
  static func open(_ url: String, without lack: Lack = .nothing) async throws -> WatchUser {
    try await open(url, without: lack, in: Chromium.shared())
  }

  static func open(_ url: String, without lack: Lack = .nothing, in browser: some Browser) async throws -> WatchUser {
    // The age of what is shown, by the clock in the pictures.
    let client = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Browser/client.js").standardized
    let code = try String(contentsOf: client, encoding: .utf8)
    let clock = try #require(code.firstMatch(of: /\nfunction readClock[\s\S]*?\n}\n/)).0
    let page = try await browser.open(
      script: "\(lack.rawValue)\n\(clock)\nwindow.readClock = readClock\n\(Self.timing)", ownWindow: false)
    try await (page as? BrowserPage)?.show(width: 1000, height: 700)
    try await page.go(to: url)
    return WatchUser(page: page)
  }

  /// Begins to measure how long a picture stands still.
  func measureStill() async throws {
    let measuring = """
      (video => {
        let last = performance.now()
        let longest = 0
        const show = () => {
          const now = performance.now()
          longest = Math.max(longest, now - last)
          last = now
          video.requestVideoFrameCallback(show)
        }
        video.requestVideoFrameCallback(show)
        window.longestStill = () => {
          const value = Math.max(longest, performance.now() - last)
          longest = 0
          return value
        }
        return true
      })(\(Self.video))
      """
    let _: Bool = try await page.evaluate(measuring)
  }

  /// The longest time between two presented pictures since the last call, in milliseconds.
  func longestStill() async throws -> Double { try await page.evaluate("window.longestStill()") }

  /// Waits until the page plays, and its pictures advance.
  /// - Parameter sources: one or several of whep, hls, flv and native.
  func plays(by sources: String..., within limit: Duration = .seconds(60)) async throws {
    let method = "document.querySelector('room-player')?.getAttribute('method')"
    try await page.wait(until: "\(sources).includes(\(method))", within: limit)
    // Another stream counts its frames anew.
    let _: Bool = try await page.evaluate("(window.framesBefore = Infinity, true)")
    let grows = """
      (frames => {
        window.framesBefore = Math.min(window.framesBefore, frames)
        return frames >= window.framesBefore + 15
      })(\(PageScript.pictures(of: Self.video)))
      """
    try await page.wait(until: grows, within: limit)
  }

  /// Waits until the page has asked for the state of what it shows once more.
  func asksAgain() async throws {
    let asked = "performance.getEntriesByType('resource').filter(each => each.name.includes('/v1/watch/')).length"
    let before: Int = try await page.evaluate(asked)
    // The first answer may be of a request that was made before.
    try await page.wait(until: "\(asked) >= \(before + 2)")
  }

  /// Waits until the player is in a state: connecting, offline, playing, reconnecting, unplayable, refused or lost.
  func sees(_ state: String, within limit: Duration = .seconds(60)) async throws {
    try await page.wait(until: "document.querySelector('room-player')?.getAttribute('state') === '\(state)'", within: limit)
  }

  /// Waits until the text of an element matches a JavaScript pattern.
  func reads(_ pattern: String, in selector: String) async throws {
    try await page.wait(until: "\(pattern).test(\(PageScript.find(selector))?.textContent ?? '')")
  }

  func click(_ selector: String) async throws {
    try await page.wait(
      until: "(node => node?.checkVisibility() && (node.click(), true))(\(PageScript.find(selector)))")
  }

  /// Returns the milliseconds from opening the page until its video showed a picture.
  /// - Parameter query: the query of the page's address, which distinguishes it from an earlier page.
  func firstPicture(of query: String = "", within limit: Duration = .seconds(60)) async throws -> Int {
    try await page.wait(until: "location.search === '\(query)' && window.firstPicture > 0", within: limit)
    return try await page.evaluate("window.firstPicture")
  }

  /// Notes when the first picture is there, by the page's own clock: the test asks too late.
  private static let timing = """
    const looking = setInterval(() => {
      if (!(\(PageScript.pictures(of: video)) > 0)) return
      clearInterval(looking)
      window.firstPicture = Math.ceil(performance.now())
    }, 10)
    """

  /// How old the pictures on the screen are, from the clock in them, in milliseconds.
  struct Delays: Decodable, CustomStringConvertible {
    /// The age of the picture on the screen, 20 times a second: a picture that stands still gets older.
    var ages: [Int]
    /// How often the clock was not legible.
    var illegible: Int

    var p50: Int { percentile(50) }
    var p95: Int { percentile(95) }

    private func percentile(_ percent: Int) -> Int {
      ages.isEmpty ? .max : ages.sorted()[min(ages.count - 1, ages.count * percent / 100)]
    }

    var description: String { "delay p50 \(p50) ms, p95 \(p95) ms of \(ages.count) looks, \(illegible) illegible" }
  }

  /// Looks at the pictures for a while.
  func delays(for time: Duration) async throws -> Delays {
    try await page.evaluate(
      """
      (async () => {
        const video = \(Self.video)
        const [width, height] = [video.videoWidth, video.videoHeight]
        const pen = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })
        const ages = []
        let illegible = 0
        for (const end = performance.now() + \(time.components.seconds * 1000); performance.now() < end;) {
          pen.drawImage(video, 0, 0)
          const now = Date.now() % 2 ** 40
          const clock = readClock(pen.getImageData(0, 0, width, Math.ceil(height / 8)).data, width, height)
          if (clock) ages.push(now - clock.milliseconds)
          else illegible += 1
          await new Promise(resolve => setTimeout(resolve, 50))
        }
        return { ages, illegible }
      })()
      """)
  }

  static let video = PageScript.find("room-player >> video")
  static let quality = PageScript.find("room-player >> .quality")
}
