import Foundation
import RoomChromium
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("What the web client leaves in a page", .timeLimit(.minutes(150)))
  struct WebClientHeapTests {
    /// What must not grow, by the browser's counters.
    private static let counted = [
      "JSEventListeners", "Nodes", "Documents", "RTCPeerConnections", "AudioHandlers", "ContextLifecycleStateObservers",
    ]

    /// Joins, shows the room in elements, waits for its tracks in every 25th round, and leaves, as each of some users at a time.
    private static let script = """
      sockets.push = () => 0 // the page keeps no socket of a room that has ended
      // One picture and one tone, made once: they are the page's own. A room stops the tracks that it published, so it gets clones.
      window.publish = async () => {
        window.picture ??= painted()
        window.tone ??= (() => {
          const context = new AudioContext(), tone = new OscillatorNode(context), sink = new MediaStreamAudioDestinationNode(context)
          tone.connect(sink)
          tone.start()
          return sink.stream.getTracks()[0]
        })()
        await room.publish([{ tag: 'picture', track: picture.clone() }, { tag: 'microphone', track: tone.clone() }])
        return true
      }
      window.visit = async (url, token, round) => {
        const room = await client.Room.connect(url, token)
        const elements = ['room-stage', 'room-chat', 'room-seats'].map(name => document.body.appendChild(document.createElement(name)))
        for (const element of elements) element.room = room
        const read = async () => { for await (const { event } of room.events()) if (event === 'ended') return }
        const reading = read()
        if (round % 25 === 0) {
          const video = document.createElement('video')
          await new Promise(resolve => room.addEventListener('trackSubscribed', ({ detail: { kind, trackId } }) => {
            if (kind === 'video') resolve(room.attach(trackId, video))
          }))
          await new Promise(resolve => { video.onplaying = resolve })
        }
        await room.leave()
        await reading
        for (const element of elements) element.remove()
      }
      window.visits = async (url, tokens, count) => {
        let round = 0
        await Promise.all(tokens.map(async token => { while (round < count) await visit(url, token, round++) }))
        return true
      }
      """

    @Test("joins with tracks and elements, and a room of four, leave heap, listeners, nodes and connections as they were")
    func nothing() async throws {
      try await withServer { server in
        let host = try await Participant.join(server, as: "host")
        try await host.publish(video: .vp8, tone: 440)
        // A browser of its own: others' pages share no process with it.
        let page = try await ClientPage(of: server.http(""), in: Chromium())
        try await page.run("await import('\(server.http("/sdk/room-elements.js"))'); \(Self.script); return true")
        var tokens: [String] = []
        // A page that joins again after a lost connection needs a token that is valid.
        for user in 0..<4 { tokens.append(try await server.token(user: UserID("user\(user)"), expiresIn: 14_400)) }
        func visits(_ count: Int) async throws {
          // One command of the browser lasts at most a minute.
          for start in stride(from: 0, to: count, by: 50) {
            try await page.run("return visits('\(server.url)', \(tokens), \(min(50, count - start)))")
          }
          // The timers of those who have left.
          try await Task.sleep(for: .seconds(6))
        }
        // A snapshot takes half a minute: the counters alone decide in a short run.
        func heap() async throws -> [String: Int] { TestLength.isLong ? try await page.page.heap() : [:] }
        // V8 compiles code of a page again for about a thousand joins; nothing else in the heap changes in them.
        try await visits(TestLength.pick(30, long: 1_000))
        let heapBefore = try await heap()
        let before = try await page.page.counters()
        let begin = ContinuousClock.now
        let count = TestLength.pick(30, long: 500)
        try await visits(count)
        let joins = ContinuousClock.now - begin
        let after = try await page.page.counters()
        print("\(count) joins in \(joins): \(Self.text(before, after))")
        print("By type, before: \(Self.text(heapBefore)); after: \(Self.text(try await heap()))")
        Self.compare(before, after)

        // A room of four, of which this page is one.
        var others: [Participant] = []
        for user in ["ann", "ben"] {
          let other = try await Participant.join(server, as: UserID(user))
          try await other.publish(video: .vp8, tone: 600)
          others.append(other)
        }
        // The first visit makes what the page keeps: its canvas, its tone and compiled code, to which V8 adds for some minutes.
        _ = try await Self.roomOfFour(page, server.url, tokens[0], minutes: TestLength.pick(0, long: 15))
        let first = try await Self.countersAfterLeaving(page)
        let heapAtFirst = try await heap()
        let (early, late) = try await Self.roomOfFour(page, server.url, tokens[0], minutes: TestLength.pick(0, long: 120))
        let second = try await Self.countersAfterLeaving(page)
        print("A room of four: \(Self.text(early, late))")
        for name in Self.counted { #expect(late[name] ?? .infinity <= early[name] ?? -1, "\(name) in the room") }
        let heapAtSecond = try await heap()
        print("After the room of four: \(Self.text(first, second))")
        print("By type, before: \(Self.text(heapAtFirst)); after: \(Self.text(heapAtSecond))")
        Self.compare(first, second)
        func withoutCode(_ heap: [String: Int]) -> Int { heap.reduce(0) { $0 + ($1.key == "code" ? 0 : $1.value) } }
        #expect(withoutCode(heapAtSecond) <= withoutCode(heapAtFirst) * 105 / 100, "all but compiled code")
        try await page.page.close()
        for participant in others + [host] { await participant.leave() }
      }
    }

    /// Joins, publishes, and shows the other three in a stage.
    ///
    /// - Returns: the counters at the beginning and at the end of that time.
    private static func roomOfFour(_ page: ClientPage, _ url: String, _ token: String, minutes: Int) async throws
      -> (early: [String: Double], late: [String: Double])
    {
      #expect(try await page.join(url, token) == "joined")
      try await page.run(
        """
        window.stage = document.body.appendChild(document.createElement('room-stage'))
        stage.room = room
        events.push = () => 0
        window.states = []
        room.addEventListener('stateChanged', ({ detail }) => states.push(detail))
        return publish()
        """)
      try await page.page.wait(until: "[...room.statistics.tracks.values()].filter(({ frames }) => frames > 20).length === 4")
      try await Task.sleep(for: .seconds(minutes > 0 ? 60 : 2))
      let early = try await page.page.counters()
      for minute in stride(from: 5, through: minutes, by: 5) {
        try await Task.sleep(for: .seconds(300))
        print("After \(minute) minutes: \(text(early, try await page.page.counters()))")
        if TestLength.isLong, minute % 20 == 0 { print("By type: \(text(try await page.page.heap()))") }
      }
      let late = try await page.page.counters()
      let states: [String] = try await page.page.evaluate(
        "[...states, ...errors, `${room.ending?.error ?? ''}`].filter(Boolean)")
      #expect(try await page.page.evaluate("room.state === 'joined' && errors.length === 0"), "\(states)")
      return (early, late)
    }

    private static func countersAfterLeaving(_ page: ClientPage) async throws -> [String: Double] {
      try await page.run("await room.leave(); stage.remove(); stage = null; return true")
      try await Task.sleep(for: .seconds(6))
      return try await page.page.counters()
    }

    private static func text(_ before: [String: Double], _ after: [String: Double]) -> String {
      (["JSHeapUsedSize"] + counted).map { "\($0) \(Int(before[$0] ?? -1)) → \(Int(after[$0] ?? -1))" }
        .joined(separator: ", ")
    }

    private static func text(_ heap: [String: Int]) -> String {
      heap.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    private static func compare(_ before: [String: Double], _ after: [String: Double]) {
      let (heap, heapAfter) = (before["JSHeapUsedSize"] ?? 0, after["JSHeapUsedSize"] ?? .infinity)
      // The compiled code of fewer joins still grows.
      if TestLength.isLong { #expect(heapAfter < heap * 1.05, "the heap") }
      for name in counted { #expect(after[name] ?? .infinity <= before[name] ?? -1, "\(name)") }
    }
  }
}
