import Foundation
import RoomChromium
import RoomTestSupport
import Testing

extension RealMedia {
  /// The JavaScript SDK with one peer connection is in no package that the tests install: a page does in Chromium what it does.
  @Suite("A browser with a single peer connection, by LiveKit's signalling", .enabled(if: LiveKitPeer.isInstalled))
  struct SingleConnectionTests {
    private struct State: Decodable {
      struct Track: Decodable {
        var owner: String
        var kind: String
        var mid: String
      }
      /// By sid.
      var tracks: [String: Track]
      var mids: [String: String]
      var data: [String]
      var foreignChannels: Int
      var requests: [[Int]]
      var left: String?
      /// Decoded pictures by sid.
      var pictures: [String: Int]
    }

    private func state(_ page: BrowserPage) async throws -> State {
      try await page.evaluate(
        """
        (async () => {
          const {tracks, mids, data, foreignChannels, requests, left} = client
          return {tracks, mids, data, foreignChannels, requests, left, pictures: await client.pictures()}
        })()
        """)
    }

    private func reaches(_ what: String, _ page: BrowserPage, _ condition: (State) -> Bool) async throws {
      do {
        try await eventually(what) { condition(try await state(page)) }
      } catch {
        print("The page: \(try await state(page))")
        throw error
      }
    }

    @Test("it publishes with its first offer, receives more tracks than it had m-lines for, and data on its own channels")
    func page() async throws {
      try await withServer { server in
        let url = server.http("").replacing("http:", with: "ws:")
        let ann = try LiveKitPeer(url, token: try server.liveKitToken("ann", room: "demo"))
        try await ann.reaches("ann is connected") { $0.connected }
        try ann.tell("publish audio")
        try ann.tell("publish video")
        let page = try await BrowserPage.open(in: .shared(), ownWindow: true)
        let file = LiveKitPeer.root.appending(path: "Tests/Interop/LiveKit/single_connection.html")
        try await page.go(to: file.absoluteString)
        try await page.wait(until: "window.client?.join !== undefined")
        let token = try server.liveKitToken("page", room: "demo")
        let _: Bool = try await page.evaluate("client.join('\(url)', '\(token)')")
        try await reaches("the page sees ann", page) { $0.pictures.values.contains { $0 > 5 } && $0.tracks.count == 2 }
        try await ann.reaches("ann sees and hears the page") { state in
          guard let page = state.others["page"] else { return false }
          return (page.track("KIND_VIDEO")?.frames ?? 0) > 5 && (page.track("KIND_AUDIO")?.energy ?? 0) > 1000
        }
        let first = try await state(page)
        #expect(first.requests.isEmpty && first.left == nil, "ann's tracks came with the first answer")
        #expect(Set(first.mids.values) == Set(first.tracks.keys), "the answer names the tracks by m-line")

        for label in ["_reliable", "_lossy"] { let _: Bool = try await page.evaluate("client.send('\(label)', 'to ann')") }
        try await ann.reaches("ann gets data") { $0.data.map(\.text) == ["to ann", "to ann"] }
        for kind in ["reliable", "lossy"] { try ann.tell("data \(kind) all t to the page") }
        try await reaches("data arrives", page) { Set($0.data) == ["_reliable to the page", "_lossy to the page"] }

        // Each of these has a picture; the page has two free m-lines for them.
        let others = try ["bob", "carl", "dora"].map { try LiveKitPeer(url, token: try server.liveKitToken($0, room: "demo")) }
        for other in others {
          try await other.reaches("it is connected") { $0.connected }
          try other.tell("publish video")
        }
        try await reaches("the page sees all four", page) { $0.pictures.count == 4 && $0.pictures.values.allSatisfy { $0 > 5 } }
        let full = try await state(page)
        #expect(full.requests.contains([0, 1]) && full.requests.allSatisfy { $0[0] == 0 && $0[1] <= 1 }, "\(full.requests)")

        // Its m-line is inactive, and then has the next track.
        let gone = full.tracks.values.map(\.mid)
        try others[0].tell("unpublish video")
        try await reaches("bob's picture ends", page) { $0.tracks.count == 4 }
        try others[0].tell("publish video")
        try await reaches("the page sees bob again", page) { state in
          state.tracks.count == 5 && state.pictures.count == 4 && state.pictures.values.allSatisfy { $0 > 5 }
        }
        let last = try await state(page)
        #expect(Set(last.tracks.values.map(\.mid)) == Set(gone), "an m-line is used again")
        #expect(last.foreignChannels == 0 && last.left == nil)
        try await page.close()
      }
    }
  }
}
