import Foundation
import RoomChromium
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  /// The page that LiveKit's Python package has for notebooks, with LiveKit's JavaScript SDK inside.
  @Suite("LiveKit's JavaScript SDK in Chromium, unmodified", .enabled(if: LiveKitPeer.isInstalled))
  struct LiveKitPageTests {
    private func pressMicrophone(in page: BrowserPage) async throws {
      let button = "document.querySelector('button[data-lk-source=microphone]')"
      try await page.wait(until: "\(button) !== null")
      let _: Bool = try await page.evaluate("(\(button).click(), true)")
    }

    @Test("a page joins, receives, publishes, mutes and leaves") func page() async throws {
      try await withServer { server in
        let bob = try LiveKitPeer(
          server.http("").replacing("http:", with: "ws:"), token: try server.liveKitToken("bob", room: "demo"))
        try await bob.reaches("bob is connected") { $0.connected }
        try bob.tell("publish audio")
        let client = try await LiveKitPage(
          server.http("").replacing("http:", with: "ws:"), token: try server.liveKitToken("page", room: "demo"))
        let page = client.page
        // The page shows no pictures.
        try await page.wait(until: "[...document.querySelectorAll('audio')].some(audio => audio.currentTime > 1)")
        try await pressMicrophone(in: page)
        func track(_ state: LiveKitPeer.State) -> LiveKitPeer.Track? { state.others["page"]?.track("KIND_AUDIO") }
        try await bob.reaches("bob hears the page") { track($0)?.subscribed == true && (track($0)?.energy ?? 0) > 0 }
        #expect(bob.state.flatMap(track)?.source == "SOURCE_MICROPHONE")
        // Pressed again, the button mutes.
        try await pressMicrophone(in: page)
        try await bob.reaches("bob sees the mute") { track($0)?.muted == true }
        let _: Bool = try await page.evaluate("(document.querySelector('.lk-disconnect-button').click(), true)")
        try await bob.reaches("bob is alone") { $0.others.isEmpty }
        try await page.close()
      }
    }

    @Test("a page exchanges attributes, data, texts, files and RPC; its permissions and room change, and it is removed")
    func participant() async throws {
      try await withServer { server in
        let url = server.http("").replacing("http:", with: "ws:")
        let admin = LiveKitAdmin(server: server)
        let bob = try LiveKitPeer(url, token: try server.liveKitToken("bob", room: "demo"))
        try await bob.reaches("bob is connected") { $0.connected }
        let page = try await LiveKitPage(
          url, token: try server.liveKitToken("page", room: "demo") { $0.grants.canUpdateOwnMetadata = true })
        try await page.connect()
        try await page.run(
          """
          room.localParticipant.registerRpcMethod('echo', async call => call.callerIdentity + ' ' + call.payload)
          room.registerTextStreamHandler('text', async reader => test.data.push('text ' + (await reader.readAll()).length))
          room.registerByteStreamHandler('file', async reader => {
            const bytes = new Blob(await reader.readAll())
            const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await bytes.arrayBuffer()))
            test.data.push('file ' + bytes.size + ' ' + [...digest].map(byte => byte.toString(16).padStart(2, '0')).join(''))
          })
          await room.localParticipant.setAttributes({hand: 'up'})
          await room.localParticipant.publishData(new TextEncoder().encode('hello'), {reliable: true, topic: 'chat'})
          await room.localParticipant.sendText('long '.repeat(6000), {topic: 'text'})
          await room.localParticipant.sendFile(new File([new Uint8Array(1e6).fill(7)], 'f'), {topic: 'file'})
          """)
        try await bob.reaches("bob has all of it") { state in
          state.others["page"]?.attributes == ["hand": "up"]
            && state.data.contains { $0.text == "hello" && $0.sender == "page" }
            && state.texts.first?.text.count == 30_000 && state.files["page"]?.size == 1_000_000
        }
        for command in [
          "data reliable all chat back", "data lossy page pose 1", "text short", "file 1000000", "rpc page echo hi",
        ] {
          try bob.tell(command)
        }
        try await bob.reaches("the page answers") { $0.answers.last?.payload == "bob hi" && $0.files["me"] != nil }
        let file = "file 1000000 \(bob.state?.files["me"]?.sha256 ?? "")"
        try await eventually("the page has all of it") {
          let data = try await page.state().data
          return Set(["chat back", "pose 1", "text 5", file]).isSubset(of: data)
        }
        try await page.run(
          """
          const call = (destinationIdentity, method, payload) =>
            room.localParticipant.performRpc({destinationIdentity, method, payload})
          test.data.push(await call('bob', 'echo', 'x'), await call('@room', 'takeSeat', '{"index": 1}'))
          """)
        let answers = try await page.state().data
        #expect(answers.contains("page x") && answers.contains(#"{"index":1}"#), "\(answers.suffix(4))")
        try await bob.reaches("bob sees the seat") { $0.others["page"]?.attributes["seat"] == "1" }
        // On a seat it may publish in any case.
        try await page.run(
          "await room.localParticipant.performRpc({destinationIdentity: '@room', method: 'leaveSeat', payload: ''})")

        try await page.publish(colour: "#20c020")
        try await bob.reaches("bob sees the page") { ($0.others["page"]?.track("KIND_VIDEO")?.frames ?? 0) > 5 }
        let permission = #"{"can_publish": false, "can_subscribe": true, "can_publish_data": true}"#
        try await admin.call(
          "update_participant", #"{"room": "demo", "identity": "page", "permission": \#(permission)}"#)
        try await bob.reaches("its track ends") { $0.others["page"]?.tracks.isEmpty == true }
        try await page.page.wait(until: "test.room.localParticipant.permissions.canPublish === false")
        try await admin.call(
          "update_participant",
          #"{"room": "demo", "identity": "page", "permission": {"can_publish": true, "can_subscribe": true}}"#)
        try await page.page.wait(until: "test.room.localParticipant.permissions.canPublish")
        try await page.publish(colour: "#20c020")
        let other = try LiveKitPeer(url, token: try server.liveKitToken("other", room: "two"))
        try await other.reaches("the other is connected") { $0.connected }
        let there = #"{"room": "demo", "identity": "page", "destination_room": "two"}"#
        try await admin.call("forward_participant", there)
        try await other.reaches("the page is forwarded") { ($0.others["page"]?.track("KIND_VIDEO")?.frames ?? 0) > 5 }
        try await admin.call("remove_participant", #"{"room": "two", "identity": "page"}"#)
        try await other.reaches("it is no longer") { $0.others.isEmpty }
        try await admin.call("move_participant", there)
        try await other.reaches("the page has moved") { ($0.others["page"]?.track("KIND_VIDEO")?.frames ?? 0) > 5 }
        try await page.page.wait(until: "test.room.remoteParticipants.has('other')")
        try await admin.call("remove_participant", #"{"room": "two", "identity": "page"}"#)
        try await eventually("the page is removed") {
          try await page.state().events.last == "disconnected"
        }
        try await page.close()
      }
    }

    @Test(
      "all layers of a simulcast arrive from both SDKs, and each receives the other's pictures", .timeLimit(.minutes(3)))
    func simulcast() async throws {
      try await withServer { server in
        let url = server.http("").replacing("http:", with: "ws:")
        let ann = try LiveKitPeer(url, token: try server.liveKitToken("ann", room: "demo"))
        try await ann.reaches("ann is connected") { $0.connected }
        let page = try await LiveKitPage(url, token: try server.liveKitToken("page", room: "demo"))
        try await page.connect()
        let bob = try await Participant.join(server, as: "bob")

        /// Receives each layer of a publisher's video in turn.
        func receiveLayers(of user: UserID, _ widths: [Int]) async throws {
          try await eventually("bob receives \(user)") { bob.pictures(of: user).decoded > 5 }
          let track = try #require(bob.remoteTracks(of: user).first { $0.kind == .video })
          // The largest layer comes last, as the publisher's estimate grows.
          for width in widths {
            try await track.setReception(maxWidth: width)
            try await eventually("\(user) is \(width) pixels wide") {
              bob.pictures(of: user).size?.width == width
            }
          }
        }

        try ann.tell("publish video 960 540")
        try await receiveLayers(of: "ann", [320, 640, 960])
        try await eventually("the page receives ann") { try await page.state().frames(of: "ann") > 10 }
        try ann.tell("unpublish video")
        // Chromium's test camera.
        try await page.run(
          """
          await room.localParticipant.setCameraEnabled(
            true, {resolution: {width: 960, height: 540, frameRate: 15}}, {simulcast: true})
          """)
        try await receiveLayers(of: "page", [320, 640, 960])
        try await ann.reaches("ann receives the page") { ($0.others["page"]?.track("KIND_VIDEO")?.frames ?? 0) > 10 }
        let layers = try await page.state().tracks[""]?.first { $0.kind == "video" }?.layers.sorted()
        #expect(layers == ["f 960", "h 640", "q 320"])
        try await page.run("await room.localParticipant.setCameraEnabled(false)")
        try await ann.reaches("ann sees the mute") { $0.others["page"]?.track("KIND_VIDEO")?.muted == true }
        await bob.leave()
        try await page.close()
      }
    }
  }
}
