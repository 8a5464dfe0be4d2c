import Foundation
import RoomChromium
import RoomClient
import RoomLinkModel
import RoomLossyLink
import RoomProtocol
import RoomTestSupport
import RoomToken
import Testing

extension RealMedia {
  @Suite("LiveKit's SDKs: layers, and who may receive a track", .enabled(if: LiveKitPeer.isInstalled))
  struct LiveKitLayersTests {
    private static let (audio, video) = ("KIND_AUDIO", "KIND_VIDEO")

    private func join(_ server: TestServer, as identity: String, dynacast: Bool = false) async throws -> LiveKitPeer {
      let peer = try LiveKitPeer(
        server.http("").replacing("http:", with: "ws:"), token: try server.liveKitToken(identity, room: "demo"),
        dynacast: dynacast)
      try await peer.reaches("\(identity) is connected") { $0.connected }
      return peer
    }

    /// Waits until a number has not changed for a second.
    private func stops(_ what: String, _ number: () -> Int) async throws {
      var (last, since) = (number(), ContinuousClock.now)
      try await eventually(what) {
        let now = number()
        if now != last { (last, since) = (now, .now) }
        return ContinuousClock.now - since > .seconds(1)
      }
    }

    /// Waits until a layer sends nothing while the smallest sends 12 packets.
    private func ends(_ what: String, _ ann: LiveKitPeer, _ rid: String) async throws {
      func sent(_ rid: String) -> Int { ann.state?.layers[rid] ?? 0 }
      var (last, smallest) = (sent(rid), sent("q"))
      try await ann.reaches(what) { state in
        let now = state.layers[rid] ?? 0
        if now != last { (last, smallest) = (now, state.layers["q"] ?? 0) }
        return (state.layers["q"] ?? 0) >= smallest + 12
      }
    }

    @Test("a publisher chooses who receives its tracks; who loses one gets it back", .timeLimit(.minutes(3)))
    func permissions() async throws {
      try await withServer { server in
        let ann = try await join(server, as: "ann")
        try ann.tell("publish video")
        try ann.tell("publish audio")
        let bob = try await join(server, as: "bob")
        let carl = try await Participant.join(server, room: "demo", as: "carl")
        func track(_ kind: String) -> LiveKitPeer.Track? { bob.state?.others["ann"]?.track(kind) }
        func frames() -> Int { track(Self.video)?.frames ?? 0 }
        try await ann.reaches("both tracks are received") { state in
          ["video", "audio"].allSatisfy { state.events.contains("\($0) is received") }
        }
        try await bob.reaches("bob receives both") { _ in frames() > 5 && (track(Self.audio)?.energy ?? 0) > 1000 }
        try await eventually("carl receives both") {
          carl.pictures(of: "ann").decoded > 5 && carl.sound(of: "ann").hears(440)
        }

        let events = carl.room.events()
        let denied = Task {
          for await event in events {
            if case .subscribeFailed(_, let error) = event { return error.code == .noPermission }
          }
          return false
        }
        try ann.tell("permit bob:audio")
        #expect(await denied.value, "carl's app knows why")
        try await stops("bob's pictures end", frames)
        try await stops("carl's pictures end") { carl.pictures(of: "ann").decoded }
        #expect(track(Self.video) != nil, "the track is there")
        #expect((track(Self.audio)?.energy ?? 0) > 1000)
        let before = (bob: frames(), carl: carl.pictures(of: "ann").decoded)
        // A newcomer does not get them either.
        let dora = try await join(server, as: "dora")
        try await dora.reaches("dora knows of the tracks") { $0.others["ann"]?.tracks.count == 2 }

        try ann.tell("permit all")
        try await bob.reaches("bob's pictures continue") { _ in frames() > before.bob + 5 }
        try await eventually("carl's pictures continue") {
          carl.pictures(of: "ann").decoded > before.carl + 5
        }
        try await dora.reaches("dora receives the pictures too") { ($0.others["ann"]?.track(Self.video)?.frames ?? 0) > 5 }
        #expect(ann.state?.events.contains { $0.hasPrefix("failed") } == false)
        await carl.leave()
      }
    }

    @Test("all layers of the Python SDK arrive; one that nobody needs is not sent, and returns at once when it is needed")
    func dynacast() async throws {
      try await withServer { server in
        let bob = try await join(server, as: "bob")
        let ann = try await join(server, as: "ann", dynacast: true)
        try ann.tell("publish simulcast")
        func picture() -> LiveKitPeer.Track? { bob.state?.others["ann"]?.track(Self.video) }
        func sent(_ rid: String) -> Int { ann.state?.layers[rid] ?? 0 }
        try await bob.reaches("the full picture") { _ in picture()?.width == 1280 }
        #expect(picture()?.simulcast == true)
        try await ann.reaches("three layers") {
          Set($0.layers.keys) == ["q", "h", "f"] && $0.layers.values.allSatisfy { $0 > 0 }
        }
        let sid = try #require(bob.state?.others["ann"]?.tracks.keys.first)

        try bob.tell("quality \(sid) LOW")
        try await bob.reaches("the smallest picture") { _ in picture()?.width == 320 }
        try await ann.reaches("the others are paused") { $0.encoded == ["q"] }
        try await ends("the largest layer ends", ann, "f")
        let largest = sent("f")

        // A subscriber of another door needs it for as long as it is there.
        let carl = try await Participant.join(server, room: "demo", as: "carl")
        try await ann.reaches("the largest is sent for carl") { _ in sent("f") > largest + 10 }
        await carl.leave()
        try await ann.reaches("it is paused again") { $0.encoded == ["q"] }
        try await ends("the largest layer ends again", ann, "f")
        let second = sent("f")
        let asked = ContinuousClock.now
        try bob.tell("quality \(sid) HIGH")
        try await ann.reaches("the largest is encoded again") { $0.encoded.contains("f") }
        #expect(ContinuousClock.now - asked < .seconds(2))
        try await ann.reaches("the largest is sent again") { _ in sent("f") > second }
        print("The largest layer returned after \(ContinuousClock.now - asked).")
        try await bob.reaches("the full picture again") { _ in picture()?.width == 1280 }

        try bob.tell("size \(sid) 600 330")
        try await bob.reaches("a layer that is large enough") { _ in picture()?.width == 640 }
        try bob.tell("disable \(sid)")
        try await stops("a disabled track sends nothing") { picture()?.frames ?? 0 }
        let frames = picture()?.frames ?? 0
        try bob.tell("enable \(sid)")
        try await bob.reaches("it continues") { _ in (picture()?.frames ?? 0) > frames + 5 }
        #expect([ann, bob].allSatisfy { $0.state?.events.contains { $0.hasPrefix("failed") } == false })
      }
    }

    // MARK: JavaScript

    /// Finds the SDK's `Room` in the page, which React holds.
    private static let findRoom = """
      (() => {
        const button = document.querySelector('button[data-lk-source=microphone]')
        if (!button) return false
        let node = button[Object.keys(button).find(key => key.startsWith('__reactFiber'))]
        for (; node; node = node.return) {
          const value = node.memoizedProps?.value
          if (value?.localParticipant && value?.engine) { window.room = value; return value.state === 'connected' }
        }
        return false
      })()
      """

    @Test(
      "all layers of the JavaScript SDK arrive; it pauses those that nobody needs, receives what its element shows, and shows a pause",
      .timeLimit(.minutes(5)))
    func page() async throws {
      // The server announces an address at which the links are.
      try await withServer(
        adjust: {
          $0.media.announced = ["127.0.0.2"]
          $0.media.tcp = false
        }
      ) { server in
        let links = try server.mediaPorts.map { try LossyLink(to: $0, on: 0x7F00_0002, port: $0, seed: 1) }
        let bob = try await join(server, as: "bob")
        let page = try await LiveKitPage(
          server.http("").replacing("http:", with: "ws:"), token: try server.liveKitToken("page", room: "demo")
        ).page
        try await page.wait(until: Self.findRoom)
        let _: Bool = try await page.evaluate(
          """
          (async () => {
            room.options.dynacast = true
            await room.localParticipant.setCameraEnabled(true, { resolution: { width: 1280, height: 720, frameRate: 10 } })
            window.sent = {}
            setInterval(async () => {
              const camera = [...room.localParticipant.trackPublications.values()].find(track => track.source === 'camera')
              const sender = camera.track.sender
              window.encoded = sender.getParameters().encodings.filter(layer => layer.active).map(layer => layer.rid).join()
              const stats = await sender.getStats()
              stats.forEach(item => { if (item.type === 'outbound-rtp') window.sent[item.rid] = item.packetsSent })
            }, 200)
            return true
          })()
          """)
        func picture() -> LiveKitPeer.Track? { bob.state?.others["page"]?.track(Self.video) }
        try await page.wait(until: "['q', 'h', 'f'].every(rid => window.sent[rid] > 0)", within: .seconds(60))
        try await bob.reaches("the full picture of the page") { _ in
          (picture()?.width ?? 0) >= 640 && picture()?.simulcast == true
        }
        let sid = try #require(bob.state?.others["page"]?.tracks.first { $0.value.kind == Self.video }?.key)
        try bob.tell("quality \(sid) LOW")
        try await page.wait(until: "window.encoded === 'q'")
        let _: Bool = try await page.evaluate("(window.before = window.sent.f, true)")
        try bob.tell("quality \(sid) HIGH")
        try await page.wait(until: "window.encoded.includes('f')", within: .seconds(5))
        try await page.wait(until: "window.sent.f > window.before", within: .seconds(60))

        // Adaptive stream: the layer follows the size of the element that shows the picture.
        let _: Bool = try await page.evaluate("(room.options.adaptiveStream = true, true)")
        try bob.tell("publish simulcast")
        let publication = "room.remoteParticipants.get('bob')?.getTrackPublication('camera')"
        try await page.wait(until: "\(publication)?.track !== undefined")
        let isSimulcast: Bool = try await page.evaluate(
          """
          (() => {
            window.picture = \(publication).track.attach()
            window.picture.style = 'position: fixed; z-index: 9; left: 0; top: 0; width: 300px; height: 168px'
            document.body.append(window.picture)
            setInterval(async () => {
              const stats = await \(publication)?.track?.receiver.getStats()
              stats?.forEach(item => { if (item.type === 'inbound-rtp') window.received = item.framesReceived })
            }, 200)
            return \(publication).simulcasted
          })()
          """)
        #expect(isSimulcast)
        try await page.wait(until: "window.picture.videoWidth === 320")
        let _: Bool = try await page.evaluate(
          "(Object.assign(window.picture.style, { width: '1280px', height: '720px' }), true)")
        try await page.wait(until: "window.picture.videoWidth === 1280", within: .seconds(60))
        // A hidden element needs nothing.
        let _: Bool = try await page.evaluate("(window.picture.style.display = 'none', true)")
        try await page.wait(
          until: """
            (() => {
              if (window.last?.count !== window.received) window.last = { count: window.received, at: Date.now() }
              return Date.now() - window.last.at > 1500
            })()
            """)
        let _: Bool = try await page.evaluate("(window.picture.style.display = 'block', true)")
        try await page.wait(until: "window.received > window.last.count + 5")

        // A permission that it loses, and gets again.
        let _: Bool = try await page.evaluate(
          """
          (() => {
            window.states = []
            room.on('trackSubscriptionPermissionChanged', track => window.states.push(track.permissionStatus))
            return true
          })()
          """)
        try bob.tell("permit nobody")
        try await page.wait(until: "window.states.includes('not_allowed')")
        try await page.wait(until: "!\(publication).isSubscribed")
        try bob.tell("permit all")
        try await page.wait(until: "window.states.includes('allowed')")
        try await page.wait(until: "\(publication).isSubscribed")
        try await pause(page, links, server)
        try await page.close()
      }
    }

    /// Makes the page's connection thin for a while: a stream that does not fit is paused, and active again afterwards.
    private func pause(_ page: BrowserPage, _ links: [LossyLink], _ server: TestServer) async throws {
      // The links are also those of bob, who receives the page's camera.
      let _: Bool = try await page.evaluate("room.localParticipant.setCameraEnabled(false).then(() => true)")
      let carl = try await Participant.join(server, room: "demo", as: "carl")
      try await carl.publish(video: .vp8, tone: nil)
      let track = "[...(room.remoteParticipants.get('carl')?.trackPublications.values() ?? [])][0]?.track"
      try await page.wait(until: "\(track) !== undefined")
      let _: Bool = try await page.evaluate(
        """
        (() => {
          window.carl = \(track).attach()
          window.carl.style = 'position: fixed; z-index: 10; left: 0; top: 0; width: 320px; height: 180px'
          document.body.append(window.carl)
          window.pictures = () => window.carl.getVideoPlaybackQuality().totalVideoFrames
          window.streams = []
          room.on('trackStreamStateChanged', (_, state, user) => window.streams.push(user.identity + ' ' + state))
          return true
        })()
        """)
      try await page.wait(until: "window.pictures() > 5")
      func limit(_ rate: Int64) {
        var conditions = LinkConditions.perfect
        conditions.limit(rate: rate, queueing: 300)
        for link in links { link.set(.toClient, to: conditions) }
      }
      limit(80_000)
      let start = ContinuousClock.now
      try await page.wait(until: "window.streams.includes('carl paused')", within: .seconds(60))
      print("A stream was paused \(ContinuousClock.now - start) after the connection became thin.")
      let shown: Int = try await page.evaluate("window.pictures()")
      limit(5_000_000)
      let recovery = ContinuousClock.now
      try await page.wait(until: "window.streams.includes('carl active')", within: .seconds(120))
      try await page.wait(until: "window.pictures() > \(shown) + 10", within: .seconds(30))
      print("It was shown again \(ContinuousClock.now - recovery) after the connection recovered.")
      await carl.leave()
    }
  }
}
