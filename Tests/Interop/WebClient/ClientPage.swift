import Foundation
import RoomChromium
import RoomProtocol

/// A page of another origin than the server's, which imports the web client from the server.
final class ClientPage: Sendable {
  let page: BrowserPage

  /// The library is in `client`, the room in `room`, its events by the iterator in `events`. `sockets` are those of the page.
  private static let text = """
    <!doctype html><meta charset="utf-8"><title>A page with the web client</title>
    <video id="first" muted playsinline style="width: 320px; height: 180px"></video>
    <script>
      window.sockets = []
      window.WebSocket = class extends WebSocket {
        constructor(...address) { super(...address); sockets.push(this) }
      }
    </script>
    <script type="module">
      import * as client from 'SERVER/sdk/roomclient.js'
      Object.assign(window, { client, events: [], errors: [] })
      window.join = async (url, token, options) => {
        window.room = await client.Room.connect(url, token, options)
        room.addEventListener('error', event => errors.push(event.detail.message))
        const read = async () => { for await (const each of room.events()) events.push(each) }
        read().then(() => events.push({ event: 'over' }))
        room.addEventListener('trackSubscribed', ({ detail: { kind, trackId } }) => kind === 'video' && room.attach(trackId, first))
        return room.state
      }
      window.painted = (width = 320, height = 180) => {
        const canvas = Object.assign(document.createElement('canvas'), { width, height })
        const pen = canvas.getContext('2d')
        let count = 0
        const draw = () => {
          pen.fillStyle = '#2060c0'
          pen.fillRect(0, 0, canvas.width, canvas.height)
          pen.fillStyle = 'grey'
          pen.fillRect(count++ * 4 % canvas.width, 0, 4, 8)
        }
        draw()
        setInterval(draw, 66)
        return canvas.captureStream(15).getVideoTracks()[0]
      }
      window.publish = async ({ tag = 'picture', width, height } = {}) => {
        const context = new AudioContext(), tone = new OscillatorNode(context, { frequency: 1000 })
        const sound = new MediaStreamAudioDestinationNode(context)
        tone.connect(sound)
        tone.start()
        await room.publish([
          { tag, track: painted(width, height) }, { tag: 'microphone', track: sound.stream.getTracks()[0] },
        ])
        return [...room.localTracks.values()].every(({ trackId }) => trackId)
      }
      window.received = user => Object.fromEntries([...room.remoteTracks.values()].filter(each => each.userId === user)
        .map(({ kind, trackId }) => [kind, { frames: room.statistics.get(trackId)?.frames ?? 0, level: room.levels.get(trackId) ?? -127 }]))
      window.has = (name, fits = () => true) => events.some(({ event, data }) => event === name && fits(data))
      // The tracks and elements of now are old from now on; whether the first element shows pictures of a track that came later.
      window.age = () => { window.old = new Set(room.remoteTracks.keys()) }
      window.isFresh = () => [...room.remoteTracks.values()].some(each => each.kind === 'video' && !old.has(each.trackId) && each.stream === first.srcObject)
        && first.readyState >= 2
    </script>
    """

  /// - Parameters:
  ///   - server: the server's address: `http://127.0.0.1:8080`.
  ///   - chromium: nil for the shared one.
  ///   - ownWindow: whether the page is visible at all times.
  init(of server: String, in chromium: Chromium? = nil, ownWindow: Bool = true) async throws {
    let file = try Self.file(Self.text.replacing("SERVER", with: server))
    page = try await BrowserPage.open(in: chromium ?? .shared(), ownWindow: ownWindow)
    try await page.go(to: file.absoluteString)
    while try await !page.evaluate("typeof join === 'function'", asUser: false) { try await Task.sleep(for: .milliseconds(20)) }
  }

  /// Saves a page, which has no origin then, and returns its location.
  static func file(_ text: String) throws -> URL {
    let file = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID().uuidString).html")
    try text.write(to: file, atomically: true, encoding: .utf8)
    return file
  }

  /// Evaluates statements of an asynchronous function, which return a value.
  @discardableResult func run<Value: Decodable>(_ statements: String, as: Value.Type = Bool.self) async throws -> Value {
    try await page.evaluate("(async () => { \(statements) })()")
  }

  /// - Parameter options: those of `Room.connect`, as JavaScript.
  func join(_ server: String, _ token: String, _ options: String = "{}") async throws -> String {
    try await run("return join('\(server)', '\(token)', \(options))", as: String.self)
  }

  struct Received: Decodable {
    struct Track: Decodable {
      var frames: Int
      var level: Double
    }
    var video: Track?
    var audio: Track?
  }

  func received(of user: UserID) async throws -> Received { try await page.evaluate("received('\(user)')") }
}
