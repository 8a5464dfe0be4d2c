import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomSFU

@Suite("forwarder: key frame requests")
struct KeyFrameRequestTests {
  @Test(
    "a subscription requests a key frame within 10 ms, again every 500 ms, ten times, then every 3 s, until one arrives")
  func repeated() throws {
    let network = try VirtualNetwork()
    let (alice, bob) = try network.videoFromAliceToBob()
    let start = network.now
    network.run(milliseconds: 14_900)
    let times = alice.pictureLosses.map { $0 - start }
    #expect(times.count == 13)
    #expect((10_000...20_000).contains(times[0]), "one tick and the network delay")
    let waits = zip(times.dropFirst(), times).map { $0 - $1 }
    #expect(waits[..<9].allSatisfy { (500_000...510_000).contains($0) })
    #expect(waits[9...].allSatisfy { (3_000_000...3_010_000).contains($0) })

    alice.sendFrame(1)
    alice.sendFrame(2, isKey: true)
    alice.sendFrame(3)
    network.run(milliseconds: 10_000)
    #expect(alice.pictureLosses.count == 13)
    #expect(bob.payloads(of: 9001) == [VP8Payload.key("2"), VP8Payload.delta("3")])
  }

  @Test("many subscribers' requests within an interval become one")
  func merged() throws {
    let network = try VirtualNetwork()
    let (alice, bob) = try network.videoFromAliceToBob()
    network.run(milliseconds: 600)
    alice.sendFrame(1, isKey: true)
    network.run(milliseconds: 1000)
    let before = alice.pictureLosses.count
    for _ in 0..<10 {
      bob.sendRTCP { $0.pictureLoss(sender: 1, media: 9001) }
      network.run(milliseconds: 30)
    }
    #expect(alice.pictureLosses.count == before + 1)
    alice.sendFrame(2, isKey: true)
    network.run(milliseconds: 2000)
    #expect(alice.pictureLosses.count == before + 1)
  }

  @Test("a muted track is not forwarded; unmuted, it requests a key frame and continues with it, without a gap in numbers")
  func mute() throws {
    let network = try VirtualNetwork()
    let (alice, bob) = try network.videoFromAliceToBob()
    alice.sendFrame(1, isKey: true)
    network.run(milliseconds: 1000)
    network.order(.mute(MediaTrackID(1), true))
    let asked = alice.pictureLosses.count
    for number in 2...20 as ClosedRange<UInt16> {
      alice.sendFrame(number, isKey: true)
      network.run(milliseconds: 33)
    }
    #expect(bob.packets.count == 1)
    #expect(alice.pictureLosses.count == asked)
    network.order(.mute(MediaTrackID(1), false))
    alice.sendFrame(21)
    network.run(milliseconds: 100)
    #expect(alice.pictureLosses.count == asked + 1)
    alice.sendFrame(22, isKey: true)
    alice.sendFrame(23)
    network.run(milliseconds: 100)
    #expect(bob.payloads(of: 9001) == [VP8Payload.key("1"), VP8Payload.key("22"), VP8Payload.delta("23")])
    #expect(bob.numbers(of: 9001) == [0, 1, 2])
  }

  @Test("a full socket loses video up to the next key frame, which is requested, and no audio")
  func fullSocket() throws {
    let network = try VirtualNetwork()
    let (alice, bob) = try network.videoFromAliceToBob()
    network.order(
      .publish(MediaTrackID(2), on: alice.id, Parameters.audio(ssrc: 2222)),
      .subscribe(
        SubscriptionID(2), to: MediaTrackID(2), on: bob.id, Parameters.audio(mid: "a", ssrc: 9003),
        continues: false))
    func sendBoth(_ number: UInt16, isKey: Bool = false) {
      alice.sendFrame(number, isKey: isKey)
      alice.sendRTP(
        payloadType: 111, sequence: number, timestamp: UInt32(number) * 960, ssrc: 2222, payload: [UInt8(number)])
    }
    sendBoth(1, isKey: true)
    network.run(milliseconds: 600)
    let asked = alice.pictureLosses.count
    network.isFull = true
    sendBoth(2)
    network.run(milliseconds: 20)
    network.isFull = false
    sendBoth(3)
    network.run(milliseconds: 100)
    #expect(alice.pictureLosses.count == asked + 1)
    sendBoth(4, isKey: true)
    network.run(milliseconds: 100)
    #expect(bob.payloads(of: 9001) == [VP8Payload.key("1"), VP8Payload.key("4")])
    #expect(bob.payloads(of: 9003) == [[1], [2], [3], [4]])
  }

  @Test("a new subscriber starts with a recent, complete key frame of the ring, without a request")
  func startsFromRing() throws {
    let network = try VirtualNetwork()
    let (alice, _) = try network.videoFromAliceToBob()
    let carol = try network.client(9)
    network.run(milliseconds: 300)
    for number in 1...4 as ClosedRange<UInt16> { alice.sendFrame(number, isKey: number == 2) }
    network.run(milliseconds: 400)
    var requests = alice.pictureLosses.count
    network.subscribe(carol, ssrc: 7001)
    network.run(milliseconds: 50)
    #expect(carol.payloads(of: 7001) == [VP8Payload.key("2"), VP8Payload.delta("3"), VP8Payload.delta("4")])
    alice.sendFrame(5)
    network.run(milliseconds: 50)
    #expect(carol.numbers(of: 7001) == [0, 1, 2, 3])
    #expect(alice.pictureLosses.count == requests)

    // Without frame 7 the frames since are not a picture.
    alice.sendFrame(6, isKey: true)
    alice.sendFrame(8)
    network.run(milliseconds: 50)
    requests = alice.pictureLosses.count
    network.subscribe(carol, ssrc: 7101)
    network.run(milliseconds: 600)
    #expect(carol.payloads(of: 7101).isEmpty)
    #expect(alice.pictureLosses.count > requests)

    // A key frame that is too old.
    alice.sendFrame(9, isKey: true)
    network.run(milliseconds: 1100)
    network.subscribe(carol, ssrc: 7201)
    network.run(milliseconds: 50)
    #expect(carol.payloads(of: 7201).isEmpty)
  }

  @Test("a subscriber whose handshake has begun finds a key frame when it is connected")
  func duringHandshake() throws {
    let network = try VirtualNetwork()
    let (alice, _) = try network.videoFromAliceToBob()
    alice.sendFrame(1, isKey: true)
    network.run(milliseconds: 2000)
    let requests = alice.pictureLosses.count
    let carol = try network.client(9)
    let start = network.now
    network.subscribe(carol, ssrc: 7001)
    network.run(milliseconds: 25)
    #expect(alice.pictureLosses.count == requests + 1)
    #expect(!carol.isConnected)
    alice.sendFrame(2, isKey: true)
    alice.sendFrame(3)
    network.run(milliseconds: 100)
    let connected = try #require(network.events.first { $0.event == .transportConnected(carol.id) }?.at)
    #expect(carol.payloads(of: 7001) == [VP8Payload.key("2"), VP8Payload.delta("3")])
    let first = try #require(carol.packets.first?.at)
    #expect(first - connected == VirtualNetwork.delay, "\(first - start) µs after the subscription")
    #expect(alice.pictureLosses.count == requests + 1)
  }

  @Test("fifty joins a second get a picture when they are connected, for less than two key frames a second")
  func manyJoins() throws {
    let network = try VirtualNetwork()
    let (alice, _) = try network.videoFromAliceToBob()
    var (frame, answered, keyFrames): (UInt16, Int, Int) = (0, 0, 0)
    var joins: [(client: VirtualClient, at: Instant, ssrc: SSRC)] = []
    // 25 frames a second; each request is answered by the next frame.
    for step in 0..<250 {
      if step % 2 == 0 {
        let isKey = alice.pictureLosses.count > answered || frame == 0
        answered = alice.pictureLosses.count
        keyFrames += isKey ? 1 : 0
        frame += 1
        alice.sendFrame(frame, isKey: isKey)
      }
      let client = try network.client(UInt32(10 + step))
      let ssrc = SSRC(20_000 + UInt32(step) * 2)
      joins.append((client, network.now, ssrc))
      network.subscribe(client, ssrc: ssrc)
      network.run(milliseconds: 20)
    }
    network.run(milliseconds: 200)
    let waits = try joins.map { join in
      let first = try #require(join.client.packets.first { $0.packet.header.ssrc == join.ssrc })
      #expect(VP8Payload.isKey(first.packet.payload))
      return first.at - join.at
    }.sorted()
    // Three round trips of 20 ms, and a frame's interval.
    #expect(waits[124] <= 80_000, "\(waits[124]) µs")
    #expect(waits[247] <= 100_000, "\(waits[247]) µs")
    #expect((5...10).contains(keyFrames), "\(keyFrames) key frames in 5 s")
  }
}
