import Foundation
import RoomChromium

/// A page with LiveKit's JavaScript SDK: the one that LiveKit's Python package has for notebooks. The page shows no pictures, so
/// tests use the room object of the SDK inside.
final class LiveKitPage: Sendable {
  struct Track: Decodable, Sendable {
    var kind: String
    var muted: Bool
    /// Decoded so far.
    var frames: Int
    var width: Int
    /// The layers that it sends itself.
    var layers: [String]
  }

  struct State: Decodable, Sendable {
    /// "connected", "reconnecting", "signalReconnecting", "disconnected".
    var state: String
    var sid: String
    /// By identity; the own ones are those of "".
    var tracks: [String: [Track]]
    var attributes: [String: [String: String]]
    var events: [String]
    var data: [String]

    func frames(of identity: String) -> Int { tracks[identity]?.filter { $0.kind == "video" }.map(\.frames).max() ?? 0 }
  }

  let page: BrowserPage

  /// Opens the page, which joins.
  /// - Parameter url: the server's WebSocket URL.
  init(_ url: String, token: String) async throws {
    let text = try LiveKitPeer.notebookPage.replacing("##livekit-url-placeholder##", with: url)
      .replacing("##livekit-token-placeholder##", with: token)
    let file = FileManager.default.temporaryDirectory.appending(path: "livekit-\(UUID().uuidString).html")
    try text.write(to: file, atomically: true, encoding: .utf8)
    page = try await BrowserPage.open(in: .shared(), ownWindow: true)
    try await page.go(to: file.absoluteString)
  }

  /// Waits for the room object, and observes it.
  func connect() async throws {
    try await page.wait(until: Self.observe)
    try await page.wait(until: "test.room.state === 'connected'")
  }

  /// Finds the room among what React keeps for the elements of the page. True once it is there.
  private static let observe = """
    (() => {
      if (window.test) return true
      const isRoom = value => value && typeof value === 'object' && value.localParticipant && value.remoteParticipants
      let found
      for (const element of document.querySelectorAll('*')) {
        const key = Object.keys(element).find(key => key.startsWith('__reactFiber$'))
        for (let fiber = key && element[key]; fiber && !found; fiber = fiber.return) {
          const props = fiber.memoizedProps ?? {}
          found = [props.value, props.room].find(isRoom)
        }
        if (found) break
      }
      if (!found) return false
      const test = window.test = {room: found, events: [], data: [], videos: new Map()}
      for (const name of ['reconnecting', 'signalReconnecting', 'reconnected', 'disconnected'])
        found.on(name, () => test.events.push(name))
      found.on('participantDisconnected', other => test.events.push('left ' + other.identity))
      found.on('participantConnected', other => test.events.push('joined ' + other.identity))
      found.on('dataReceived', (bytes, _, __, topic) => test.data.push(`${topic} ${new TextDecoder().decode(bytes)}`))
      return true
    })()
    """

  /// Does something with the room object `room`.
  func run(_ script: String) async throws {
    let _: Bool = try await page.evaluate("(async room => { \(script); return true })(test.room)")
  }

  /// Publishes a moving picture of one colour as the camera.
  /// - Parameter options: further options of the SDK, as members of a JavaScript object.
  func publish(
    colour: String, width: Int = 320, height: Int = 180, simulcast: Bool = false, options: String = ""
  ) async throws {
    try await run(
      """
      const canvas = Object.assign(document.createElement('canvas'), {width: \(width), height: \(height)})
      const context = canvas.getContext('2d')
      let count = 0
      const draw = () => {
        context.fillStyle = '\(colour)'
        context.fillRect(0, 0, canvas.width, canvas.height)
        context.fillStyle = 'grey'
        context.fillRect(count++ * 4 % canvas.width, 0, 4, 8)
      }
      draw()
      setInterval(draw, 66)
      await room.localParticipant.publishTrack(
        canvas.captureStream(15).getVideoTracks()[0], {source: 'camera', simulcast: \(simulcast), \(options)})
      """)
  }

  func state() async throws -> State {
    try await page.evaluate(
      """
      (async () => {
        const room = test.room, tracks = {}, attributes = {}
        for (const participant of [room.localParticipant, ...room.remoteParticipants.values()]) {
          const identity = participant === room.localParticipant ? '' : participant.identity
          attributes[identity] = participant.attributes ?? {}
          tracks[identity] = []
          for (const publication of participant.trackPublications.values()) {
            const track = publication.track, shown = {kind: publication.kind, muted: publication.isMuted, frames: 0, width: 0, layers: []}
            const rtc = identity === '' ? track?.sender : track?.receiver
            // Pictures are decoded while an element shows them.
            if (identity !== '' && publication.kind === 'video' && track && track.attachedElements.length === 0) {
              const video = document.body.appendChild(track.attach())
              video.style = 'position: fixed; left: 0; top: 0; width: 640px; height: 360px'
            }
            for (const report of (await rtc?.getStats())?.values() ?? []) {
              if (report.type === 'inbound-rtp') [shown.frames, shown.width] = [report.framesDecoded ?? 0, report.frameWidth ?? 0]
              if (report.type === 'outbound-rtp' && report.packetsSent > 0) shown.layers.push(`${report.rid ?? ''} ${report.frameWidth ?? 0}`)
            }
            tracks[identity].push(shown)
          }
        }
        return {state: room.state, sid: room.localParticipant.sid, tracks, attributes, events: test.events, data: test.data}
      })()
      """)
  }

  func close() async throws { try await page.close() }
}
