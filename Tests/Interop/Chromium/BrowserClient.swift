import Foundation
import RoomProtocol

/// A page with `Browser/client.js`: a participant that is a browser.
final class BrowserClient: Sendable {
  /// A remote track as the page receives it.
  struct Received: Decodable, Sendable {
    let userId: String
    let trackId: String
    let kind: TrackKind
    /// "video/H264", "audio/opus".
    let codec: String
    let packets: Int
    let framesDecoded: Int
    let width: Int
    let height: Int
    /// The loudest frequency heard right now, Hz, and how loud it is in dB.
    let frequency: Double
    let level: Double
  }

  struct State: Decodable, Sendable {
    let ended: EndedData?
    let failure: String?
    let events: [String]
    let users: [String]
    let publishing: String
    let subscribing: String
  }

  struct Video: Encodable, Sendable {
    /// "H264" or "VP8".
    var codec: String
    var width = 320
    var height = 180
    var fps = 15
    var color = "#2060c0"
  }

  struct Tone: Encodable, Sendable { var frequency: Double }

  private let devTools: DevTools
  private let target: String
  private let session: String

  /// Opens a page of its own in the shared browser.
  static func open() async throws -> BrowserClient {
    let devTools = try Chromium.shared().devTools
    let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Browser/client.html").standardized
    struct Create: Encodable { let url: String }
    struct Created: Decodable { let targetId: String }
    let created: Created = try await devTools.call("Target.createTarget", Create(url: page.absoluteString))
    struct Attach: Encodable {
      let targetId: String
      let flatten = true
    }
    struct Attached: Decodable { let sessionId: String }
    let attached: Attached = try await devTools.call("Target.attachToTarget", Attach(targetId: created.targetId))
    let client = BrowserClient(devTools: devTools, target: created.targetId, session: attached.sessionId)
    let deadline = ContinuousClock.now + .seconds(30)
    while try await client.evaluate("typeof client === 'object'") != true {
      guard ContinuousClock.now < deadline else { throw DevTools.Failure(description: "the page did not load") }
      try await Task.sleep(for: .milliseconds(20))
    }
    return client
  }

  private init(devTools: DevTools, target: String, session: String) {
    self.devTools = devTools
    self.target = target
    self.session = session
  }

  func join(url: String, token: String) async throws {
    struct Join: Encodable {
      let url: String
      let token: String
    }
    let _: JoinResult = try await call("join", Join(url: url, token: token))
  }

  /// Gives the ids of the tracks, audio first. With `wrongFingerprint` the browser shows another certificate than its offer names.
  func publish(video: Video? = nil, audio: Tone? = nil, wrongFingerprint: Bool = false) async throws -> [String] {
    struct Publish: Encodable {
      let video: Video?
      let audio: Tone?
      let wrongFingerprint: Bool
    }
    return try await call("publish", Publish(video: video, audio: audio, wrongFingerprint: wrongFingerprint))
  }

  func received() async throws -> [Received] { try await evaluate("client.received()") }

  func state() async throws -> State { try await evaluate("client.state()") }

  func leave() async throws {
    let _: Bool = try await evaluate("client.leave().then(() => true)")
  }

  /// Closes the page, as a user closes a tab.
  func close() async throws {
    struct Target: Encodable { let targetId: String }
    struct Closed: Decodable {}
    let _: Closed = try await devTools.call("Target.closeTarget", Target(targetId: target))
  }

  /// Kills the page's process; nobody is told.
  func crash() async throws {
    struct Nothing: Codable {}
    let _: Nothing? = try? await devTools.call("Page.crash", Nothing(), session: session, timeout: .seconds(1))
    try? await close()
  }

  private func call<Result: Decodable>(_ method: String, _ argument: some Encodable) async throws -> Result {
    let json = String(decoding: try JSONEncoder().encode(argument), as: UTF8.self)
    return try await evaluate("client.\(method)(\(json))")
  }

  private struct Evaluate: Encodable {
    let expression: String
    let awaitPromise = true
    let returnByValue = true
  }

  private struct Evaluated: Decodable {
    struct Value: Decodable {
      private enum Keys: String, CodingKey { case value }
      /// Nil where it is no string, as with what was thrown.
      let value: String?

      init(from decoder: any Decoder) throws {
        value = try? decoder.container(keyedBy: Keys.self).decode(String.self, forKey: .value)
      }
    }
    struct Exception: Decodable {
      struct Thrown: Decodable { let description: String? }
      let text: String
      let exception: Thrown?
    }
    let result: Value
    let exceptionDetails: Exception?
  }

  /// The value of a JavaScript expression, or what its promise becomes.
  private func evaluate<Result: Decodable>(_ expression: String) async throws -> Result {
    let evaluated: Evaluated = try await devTools.call(
      "Runtime.evaluate", Evaluate(expression: "(async () => JSON.stringify(await (\(expression))))()"), session: session)
    if let exception = evaluated.exceptionDetails {
      throw DevTools.Failure(description: exception.exception?.description ?? exception.text)
    }
    guard let json = evaluated.result.value else { throw DevTools.Failure(description: "\(expression) has no value") }
    return try JSONDecoder().decode(Result.self, from: Data(json.utf8))
  }
}
