import Foundation
import RoomChromium
import RoomLinkModel
import RoomPeers
import RoomRTP
import RoomTestSupport
import RoomWebRTC
import Testing

private let hasBrowser =
  ProcessInfo.processInfo.environment["CHROMIUM"] != nil || FileManager.default.isExecutableFile(atPath: "/usr/bin/chromium")

@Suite("Data channels with Chromium", .enabled(if: hasBrowser), .serialized)
struct ChromiumChannelTests {
  /// A page with a connection to our peer.
  private struct Call {
    let page: BrowserPage
    let peer: PeerSocket

    /// - Parameters:
    ///   - offersPage: whether the page makes the offer; otherwise our side does.
    ///   - conditions: those of both directions of the link between both; nil for none.
    static func begin(offersPage: Bool, over conditions: LinkConditions? = nil) async throws -> Call {
      let page = try await BrowserPage.open(in: .shared())
      let peer = try PeerSocket(conditions)
      Thread { try? peer.run() }.start()
      let _: Bool = try await page.evaluate(
        """
        (() => {
          window.pc = new RTCPeerConnection();
          window.channels = {}; window.log = [];
          window.push = async (channel, total, size) => {
            channel.bufferedAmountLowThreshold = 1 << 18;
            const message = new Uint8Array(size).fill(7);
            for (let sent = 0; sent < total; sent += size) {
              if (channel.bufferedAmount > 1 << 20) await new Promise(go => { channel.onbufferedamountlow = go; });
              channel.send(message);
            }
          };
          window.follow = channel => {
            channels[channel.label] = channel;
            channel.binaryType = 'arraybuffer';
            channel.bytes = 0;
            channel.onmessage = ({data}) => {
              channel.bytes += data.byteLength ?? new TextEncoder().encode(data).length;
              if (typeof data === 'string') log.push(`${channel.label}: ${data}`);
            };
            channel.onclose = () => log.push(`${channel.label} closed`);
          };
          pc.ondatachannel = ({channel}) => follow(channel);
          return true;
        })()
        """)
      if offersPage {
        let offer: String = try await page.evaluate(
          """
          (async () => {
            follow(pc.createDataChannel('chat', {protocol: 'json'}));
            follow(pc.createDataChannel('lossy', {ordered: false, maxRetransmits: 0}));
            await pc.setLocalDescription();
            return pc.localDescription.sdp;
          })()
          """)
        var negotiation = PublishNegotiation(local: peer.local, data: DataParameters())
        let answer = try negotiation.answer(offer)
        try enable(peer, answer.remote, answer.data)
        let _: Bool = try await page.evaluate(
          "pc.setRemoteDescription({type: 'answer', sdp: \(quoted(answer.sdp))}).then(() => true)")
      } else {
        var negotiation = SubscribeNegotiation(local: peer.local)
        try negotiation.addDataChannels()
        let answer: String = try await page.evaluate(
          """
          (async () => {
            await pc.setRemoteDescription({type: 'offer', sdp: \(quoted(negotiation.makeOffer()))});
            await pc.setLocalDescription();
            return pc.localDescription.sdp;
          })()
          """)
        let accepted = try negotiation.accept(answer: answer)
        try enable(peer, try #require(accepted.remote), accepted.data)
      }
      return Call(page: page, peer: peer)
    }

    private static func enable(_ peer: PeerSocket, _ remote: TransportParameters, _ data: DataParameters?) throws {
      let data = try #require(data)
      #expect(data == DataParameters(port: 5000, maximumMessage: 262_144))
      peer.perform { peer, now in
        peer.setRemote(remote, now: now)
        peer.enableChannels(data, now: now)
      }
    }

    private static func quoted(_ text: String) throws -> String {
      String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
    }

    func end() async throws {
      peer.stop()
      try await page.close()
    }
  }

  @Test("a page opens channels, exchanges messages, and closes them")
  func page() async throws {
    let call = try await Call.begin(offersPage: true)
    let (peer, page) = (call.peer, call.page)
    try await eventually("both channels are open") { peer.events.opened.count == 2 }
    let ids = peer.events.reduce(into: [String: DataChannelID]()) {
      if case .opened(let id, let channel) = $1 { $0[channel.label] = id }
    }
    let chat = try #require(ids["chat"])
    #expect(peer.events.contains(.opened(chat, DataChannel(label: "chat", subprotocol: "json"))))
    let lossy = try #require(ids["lossy"])
    #expect(
      peer.events.contains(
        .opened(lossy, DataChannel(label: "lossy", isOrdered: false, reliability: .retransmissions(0)))))

    let _: Bool = try await page.evaluate(
      "(channels.chat.send('grüße'), channels.chat.send(''), channels.chat.send(new Uint8Array([1, 2, 3])), true)")
    try await eventually("the page's messages arrive") {
      peer.events.messages(on: chat) == [DataChannelMessage("grüße"), DataChannelMessage(""), DataChannelMessage([1, 2, 3])]
    }
    for id in [chat, lossy] { peer.perform { try? $0.send(DataChannelMessage("welcome"), on: id, now: $1) } }
    try await eventually("the answers arrive") {
      let log: [String] = try await page.evaluate("log")
      return Set(log) == ["chat: welcome", "lossy: welcome"]
    }
    // The page closes one, this side the other.
    let _: Bool = try await page.evaluate("(channels.chat.close(), true)")
    peer.perform { $0.closeChannel(lossy, now: $1) }
    try await eventually("both are closed on both sides") {
      let log: [String] = try await page.evaluate("log")
      return log.contains("chat closed") && log.contains("lossy closed") && peer.events.contains(.closed(chat))
        && peer.events.contains(.closed(lossy))
    }
    // Its number opens again.
    let _: Bool = try await page.evaluate("(follow(pc.createDataChannel('again')), true)")
    try await eventually("a new channel opens") { peer.events.opened.count == 3 }
    #expect(peer.events.opened.last.map { $0 == chat || $0 == lossy } == true)
    try await call.end()
  }

  @Test("this side offers, opens a channel, and both transfer 4 MB")
  func server() async throws {
    let call = try await Call.begin(offersPage: false)
    let (peer, page) = (call.peer, call.page)
    peer.perform { peer, now in _ = try? peer.openChannel(DataChannel(label: "bulk"), now: now) }
    try await eventually("the channel is open on the page") {
      try await page.evaluate("channels.bulk?.readyState === 'open'")
    }
    let id = try #require(peer.events.opened.first)
    #expect(id.rawValue % 2 == 1, "the DTLS server uses odd numbers")
    let _: Bool = try await page.evaluate(
      "(() => { for (let i = 0; i < 64; i++) channels.bulk.send(new Uint8Array(65536).fill(i)); return true; })()")
    for number in 0..<64 as Range<UInt8> {
      let message = DataChannelMessage([UInt8](repeating: number, count: 65_536))
      // 32 fit into the send buffer at a time.
      try await eventually("the buffer accepts message \(number)") {
        let result = Shared<Bool?>(nil)
        peer.perform { peer, now in
          result.value = (try? peer.send(message, on: id, now: now)) != nil
        }
        try await eventually("the call returns") { result.value != nil }
        return result.value == true
      }
    }
    try await eventually("all messages arrive here") { peer.events.messages(on: id).count == 64 }
    #expect(peer.events.messages(on: id).map { $0.payload.first } == (0..<64).map { Optional($0) })
    #expect(peer.events.messages(on: id).allSatisfy { $0.payload.count == 65_536 })
    try await eventually("all bytes arrive at the page") {
      try await page.evaluate("channels.bulk.bytes === 64 * 65536")
    }
    try await call.end()
  }

  /// Prints the rates and the CPU: the figures of docs/data-channels.md.
  @Test("a transfer each way arrives over a link with losses and overtaking", arguments: [0, 0.01, 0.05])
  func transfer(loss: Double) async throws {
    let (total, size) = (TestLength.pick(1, long: 100) * 1_000_000, 16_384)
    let messages = (total + size - 1) / size
    let conditions = LinkConditions(loss: loss, delay: 5000, reorder: loss, reorderDelay: 5000)
    let call = try await Call.begin(offersPage: false, over: loss > 0 ? conditions : nil)
    let (peer, page) = (call.peer, call.page)
    peer.perform { peer, now in _ = try? peer.openChannel(DataChannel(label: "bulk"), now: now) }
    try await eventually("the channel is open on the page") { try await page.evaluate("channels.bulk?.readyState === 'open'") }
    let id = try #require(peer.events.opened.first)
    let limit = Duration.seconds(TestLength.pick(60, long: 1800))

    var before = try await Costs(of: peer)
    let left = Shared(messages)
    let message = DataChannelMessage([UInt8](repeating: 7, count: size))
    peer.setPump { peer, now in
      while left.value > 0, (try? peer.send(message, on: id, now: now)) != nil { left.withLock { $0 -= 1 } }
    }
    try await eventually("all bytes arrive at the page", within: limit) {
      try await page.evaluate("channels.bulk.bytes === \(messages * size)")
    }
    peer.setPump(nil)
    print("loss \(loss): to Chromium \(try await Costs(of: peer).since(before, bytes: messages * size))")

    before = try await Costs(of: peer)
    let _: Bool = try await page.evaluate("(push(channels.bulk, \(messages * size), \(size)), true)")
    try await eventually("all bytes arrive here", within: limit) { peer.bytesReceived == messages * size }
    print("loss \(loss): from Chromium \(try await Costs(of: peer).since(before, bytes: messages * size))")
    try await call.end()
  }

  /// The time, the CPU of a peer's thread and that of Chromium, whose processes are all that this one has started.
  private struct Costs {
    private let time = ContinuousClock.now
    private let own: Double
    private let browser = ProcessTree.cpu(under: getpid())

    init(of peer: PeerSocket) async throws {
      let used = Shared<Double?>(nil)
      peer.perform { _, _ in
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        used.value = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
      }
      own = try await eventually("the thread's CPU") { used.value }
    }

    func since(_ begin: Costs, bytes: Int) -> String {
      let (megabytes, seconds) = (Double(bytes) / 1e6, (time - begin.time) / .seconds(1))
      let own = 1000 * (own - begin.own) / megabytes
      let browser = 1000 * (browser - begin.browser) / megabytes
      return String(format: "%.2f MB/s, for 1 MB %.1f ms here and %.1f ms of Chromium", megabytes / seconds, own, browser)
    }
  }
}
