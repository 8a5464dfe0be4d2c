import Foundation
import RoomChromium
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("Media of the web client", .timeLimit(.minutes(3)))
  struct WebClientMediaTests {
    @Test("a page receives the users and tracks that it subscribes to, and a new session is asked for the same")
    func subscriptions() async throws {
      try await withServer { server in
        let ann = try await Participant.join(server, as: "ann")
        try await ann.publish(video: nil, tone: 440)
        let page = try await ClientPage(of: server.http(""))
        let token = try await server.token(user: "page")
        #expect(try await page.join(server.http(""), token, "{ autoSubscribe: false }") == "joined")
        try await page.run("await room.subscribe({ userIds: ['ann'] }); return true")
        try await page.page.wait(until: "room.remoteTracks.size === 1 && has('trackSubscribed')")
        try await page.run("await room.unsubscribe({ trackIds: [...room.remoteTracks.keys()] }); return true")
        try await page.page.wait(until: "room.remoteTracks.size === 0 && has('trackUnsubscribed')")
        let repeated = try await page.run(
          """
          const { Choices } = await import('\(server.http("/sdk/choices.js"))')
          const choices = new Choices()
          choices.select({ userIds: ['ann', 'gone'], trackIds: ['old'] }, true)
          choices.select({ trackIds: ['t'] }, false)
          choices.receptions.set('t', { trackId: 't', maxHeight: 90 })
          return JSON.stringify(choices.repeated([{ userId: 'ann', tracks: [{ trackId: 't' }] }]).map(({ method, params }) => [method, params]))
          """, as: String.self)
        #expect(
          repeated
            == #"[["subscribe",{"trackIds":[],"userIds":["ann"]}],["unsubscribe",{"trackIds":["t"],"userIds":[]}],"#
            + #"["setReception",{"tracks":[{"trackId":"t","maxHeight":90}]}]]"#)
        try await page.page.close()
        await ann.leave()
      }
    }

    @Test("a codec and scalable layers are used if the browser offers them; else it is a simulcast, in the browser's codec")
    func codecs() async throws {
      struct Sent: Decodable {
        var codec, scalability, used, mode, degradation: String?
        var rids: Int
      }
      try await withServer { server in
        let page = try await ClientPage(of: server.http(""))
        #expect(try await page.join(server.http(""), try await server.token(user: "page")) == "joined")
        let ann = try await Participant.join(server, as: "ann")
        func send(_ sending: String) async throws -> Sent {
          try await page.run("if (room.localTracks.size) await room.unpublish('camera'); return true")
          return try await page.run(
            """
            await room.publish({ tag: 'camera', track: painted(1280, 720), \(sending) })
            const { trackId, codec, scalability, transceiver } = room.localTracks.get('camera')
            const second = () => new Promise(resolve => room.addEventListener('statistics', resolve, { once: true }))
            while (!(room.statistics.get(trackId)?.frames > 0)) await second()
            const { codec: used, scalability: mode } = room.statistics.get(trackId)
            const { encodings, degradationPreference: degradation } = transceiver.sender.getParameters()
            return { codec, scalability, used, mode, degradation, rids: encodings.filter(({ rid }) => rid).length }
            """, as: Sent.self)
        }
        let scalable = try await send(
          "codec: 'VP9', scalability: 'L3T3_KEY', degradation: 'maintain-framerate', priority: 'high'")
        #expect(scalable.codec == "VP9" && scalable.used == "VP9" && scalable.scalability == "L3T3_KEY" && scalable.rids == 0)
        #expect(scalable.mode?.hasPrefix("L") == true && scalable.degradation == "maintain-framerate")
        try await eventually("ann sees it", within: .seconds(30)) {
          ann.pictures(of: "page").decoded > 5 && ann.codecs(of: "page") == ["vp9"]
        }
        let simulcast = try await send("codec: 'VP9'")
        #expect(simulcast.used == "VP9" && simulcast.scalability == nil && simulcast.rids == 3)
        let plain = try await send("codec: 'none', scalability: 'L9T9'")
        #expect(plain.codec == nil && plain.scalability == nil && plain.used == "VP8" && plain.rids == 3)
        #expect(page.page.record.errors.isEmpty, "\(page.page.record.errors)")
        await ann.leave()
        try await page.page.close()
      }
    }

    @Test("an app's function changes pictures, and a background replaces what its mask leaves out, in a worker or on the page")
    func pictures() async throws {
      try await withServer { server in
        // The second page's CSP permits no policy of Trusted Types, hence no worker.
        for (path, composer) in [("/healthz", "worker"), ("/sdk/audience.html", "page")] {
          let page = try await BrowserPage.open(in: .shared(), ownWindow: true)
          try await page.go(to: server.http(path))
          let seen: [String] = try await page.evaluate(
            """
            (async () => {
              const { process } = await import('/sdk/process.js')
              const { withBackground } = await import('/sdk/background.js')
              \(Self.pictures)
            })()
            """)
          // Left and right half: blue and red, nothing after a failure, red and green, red and red.
          #expect(seen == ["blue red", "failed once", "red green \(composer)", "red red \(composer)"], "\(path)")
          try await page.close()
        }
      }
    }

    @Test("a page records the room's sound and a picture until it stops, or a limit ends it")
    func recording() async throws {
      struct Recorded: Decodable {
        var type: String
        var width, limited: Int
        var loudness: Double
        var failure: String
      }
      try await withServer { server in
        let ann = try await Participant.join(server, as: "ann")
        try await ann.publish(video: nil, tone: 440)
        let page = try await ClientPage(of: server.http(""))
        #expect(try await page.join(server.http(""), try await server.token(user: "page")) == "joined")
        try await page.page.wait(until: "room.remoteTracks.size === 1")
        let recorded = try await page.run(
          """
          const { record } = await import('\(server.http("/sdk/record.js"))')
          const failure = (() => { try { record(room, { type: 'video/none' }) } catch (error) { return error.name } })()
          // Chromium gives pieces of MP4 at key frames only, which takes longer.
          const type = 'video/webm;codecs=vp8,opus'
          const recording = record(room, { picture: painted(), type })
          while (!recording.bytes) await new Promise(resolve => setTimeout(resolve, 100))
          const blob = await recording.stop()
          const video = Object.assign(document.createElement('video'), { muted: true, src: URL.createObjectURL(blob) })
          await new Promise(resolve => { video.onloadedmetadata = resolve })
          const sound = await new OfflineAudioContext(1, 48_000, 48_000).decodeAudioData(await blob.arrayBuffer())
          const loudness = sound.getChannelData(0).reduce((most, each) => Math.max(most, each), 0)
          const limited = await record([painted()], { maxBytes: 1000, type }).finished
          return { type: blob.type, width: video.videoWidth, loudness, limited: limited.size, failure }
          """, as: Recorded.self)
        #expect(recorded.type == "video/webm;codecs=vp8,opus" && recorded.width == 320 && recorded.failure == "unsupported")
        #expect(recorded.loudness > 0.05 && recorded.limited >= 1000 && recorded.limited < 1_000_000)
        #expect(page.page.record.errors.isEmpty, "\(page.page.record.errors)")
        await ann.leave()
        try await page.page.close()
      }
    }

    @Test(
      "in Firefox too: pictures that an app changes, a recording of a room, messages over data channels",
      .enabled(if: Firefox.program != nil))
    func firefox() async throws {
      try await BrowserKind.firefox.withServer { server, browser in
        let ann = try await Participant.join(server, as: "ann")
        try await ann.publish(video: nil, tone: 440)
        let file = try ClientPage.file(
          """
          <!doctype html><meta charset="utf-8"><script type="module">
            for (const name of ['roomclient', 'process', 'background', 'record']) Object.assign(window, await import(`\(server.http("/sdk"))/${name}.js`))
            window.isReady = true
          </script>
          """)
        defer { try? FileManager.default.removeItem(at: file) }
        let page = try await browser.open(script: "", ownWindow: true)
        try await page.go(to: file.absoluteString)
        try await page.wait(until: "window.isReady")
        // A page of another origin has no worker of the library.
        let seen: [String] = try await page.evaluate("(async () => { \(Self.pictures) })()")
        // Without a display a Firefox may have no WebGL 2.
        let none = "The browser has no WebGL 2."
        #expect(seen.prefix(2) == ["blue red", "failed once"])
        #expect([["red green page", "red red page"], [none, none]].contains(Array(seen.suffix(2))), "\(seen)")
        let recorded: [Int] = try await page.evaluate(
          """
          (async () => {
            const room = await Room.connect('\(server.http(""))', '\(try await server.token(user: "page"))', { data: true })
            while (!room.remoteTracks.size) await new Promise(resolve => setTimeout(resolve, 50))
            const recording = record(room)
            while (!recording.bytes) await new Promise(resolve => setTimeout(resolve, 100))
            const blob = await recording.stop()
            const sound = await new OfflineAudioContext(1, 48_000, 48_000).decodeAudioData(await blob.arrayBuffer())
            const loudest = sound.getChannelData(0).reduce((most, each) => Math.max(most, each), 0)
            await room.data.send('hello', { topic: 'firefox' })
            await room.leave()
            return [blob.size, Math.round(loudest * 1000)]
          })()
          """)
        #expect(recorded[0] > 500 && recorded[1] > 50, "\(recorded)")
        await ann.leave()
        try await page.close()
      }
    }

    private static let pictures = """
      const red = () => {
        const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 180 }), pen = canvas.getContext('2d')
        let count = 0
        setInterval(() => {
          pen.fillStyle = 'red'
          pen.fillRect(0, 0, 320, 180)
          pen.fillRect(0, 0, count++ % 4, 1)
        }, 50)
        return canvas.captureStream(20).getVideoTracks()[0]
      }
      const look = async track => {
        const video = Object.assign(document.createElement('video'), { muted: true, srcObject: new MediaStream([track]) })
        await video.play()
        while (!video.videoWidth) await new Promise(resolve => setTimeout(resolve, 50))
        const pen = new OffscreenCanvas(320, 180).getContext('2d')
        pen.drawImage(video, 0, 0)
        track.stop()
        const name = ([r, g, b]) => r > 128 ? 'red' : g > 128 ? 'green' : b > 128 ? 'blue' : 'black'
        return [80, 240].map(x => name(pen.getImageData(x, 90, 1, 1).data)).join(' ') + (track.composer ? ' ' + track.composer : '')
      }
      const left = colour => {
        const canvas = new OffscreenCanvas(320, 180), pen = canvas.getContext('2d')
        pen.fillStyle = colour
        pen.fillRect(0, 0, 160, 180)
        return canvas
      }
      const mask = () => left('white').transferToImageBitmap()
      const green = new OffscreenCanvas(10, 10), pen = green.getContext('2d')
      pen.fillStyle = 'lime'
      pen.fillRect(0, 0, 10, 10)
      const canvas = new OffscreenCanvas(320, 180), whole = canvas.getContext('2d')
      const halved = frame => {
        whole.drawImage(frame, 0, 0)
        whole.drawImage(left('blue'), 0, 0)
        return canvas
      }
      let failures = 0
      const source = red()
      const broken = process(source, () => { throw new Error('no') }, { failed: () => { failures += 1 } })
      const muted = Object.assign(document.createElement('video'), { muted: true, srcObject: new MediaStream([broken]) })
      muted.play().catch(() => {})
      const first = await look(process(red(), halved))
      const isBlack = failures === 1 && !muted.videoWidth
      broken.stop()
      return [
        first, isBlack && source.readyState === 'ended' ? 'failed once' : `${failures} failures`,
        await withBackground(red(), { mask, picture: green.transferToImageBitmap() }).then(look, error => error.message),
        await withBackground(red(), { mask, blur: 5 }).then(look, error => error.message),
      ]
      """
  }
}
