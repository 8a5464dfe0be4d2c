import RoomRTP
import RoomTestSupport
import RoomWebRTC
import Testing

@testable import RoomSFU

@Suite("forwarder: audio restored from a publisher's copies")
struct RestoredAudioTests {
  private func setUp() throws -> (network: VirtualNetwork, speaker: VirtualSpeaker, listener: VirtualListener, tap: TrackTap) {
    let network = try VirtualNetwork()
    let clients = try network.connectedClients(2)
    let speaker = VirtualSpeaker(clients[0], on: network, sendsRED: true)
    let listener = VirtualListener(clients[1], on: network, red: nil)
    let tap = TrackTap(capacity: TrackTap.audioBytes)
    network.order(.tap(VirtualNetwork.room, VirtualSpeaker.track, tap))
    return (network, speaker, listener, tap)
  }

  private func read(_ tap: TrackTap) -> [(sequence: Int64, timestamp: UInt32, payload: [UInt8])] {
    var packets: [(sequence: Int64, timestamp: UInt32, payload: [UInt8])] = []
    while tap.read({ record, payload in
      if case .packet(let sequence, let timestamp, _, .opus, _, _) = record {
        packets.append((sequence, timestamp, Array(payload)))
      }
    }) {}
    return packets
  }

  @Test(
    "of a publisher that loses 10 %, taps and plain subscribers miss less than 1 %", arguments: 1...3 as ClosedRange<UInt64>)
  func lossy(seed: UInt64) throws {
    let (network, speaker, listener, tap) = try setUp()
    speaker.speak(5)
    var random = SeededGenerator(seed: seed)
    network.loses = { who, isToServer in isToServer && who === speaker.client && Int.random(in: 0..<10, using: &random) == 0 }
    var heard = read(tap)
    for _ in 0..<40 {
      speaker.speak(50)
      heard += read(tap)
    }
    network.loses = { _, _ in false }
    speaker.speak(2)
    network.run(milliseconds: 100)
    heard += read(tap)
    #expect(heard.count >= 1987, "99 % of 2007")
    for packet in heard {
      let number = VirtualSpeaker.number(of: packet.payload)
      #expect(packet.payload == speaker.payload(number))
      #expect(packet.timestamp &- heard[0].timestamp == UInt32(number) * 960)
      #expect(packet.sequence - heard[0].sequence == Int64(number))
    }
    #expect(zip(heard, heard.dropFirst()).allSatisfy { $0.sequence < $1.sequence }, "in order, each number once")
    #expect(try listener.packets().map(\.payload) == heard.map(\.payload))
    #expect(network.counters.audioRestored > 150)
    // Reports state the losses of the link, so that the publisher keeps its copies.
    let blocks = speaker.client.feedback.compactMap { if case .reportBlock(let block) = $0.feedback { block } else { nil } }
    #expect(blocks.map(\.cumulativeLost).max() ?? 0 > 150)
  }

  @Test("a copy of a packet that arrives later is not stored twice")
  func reordered() throws {
    let (network, speaker, listener, tap) = try setUp()
    speaker.speak(5)
    // 6 arrives before 5, with a copy of it.
    let red = try copy([4, 5], before: 6, of: speaker)
    speaker.send(red, as: 63, number: 6)
    network.run(milliseconds: 20)
    speaker.send(speaker.payload(5), as: 111, number: 5)
    network.run(milliseconds: 50)
    #expect(read(tap).map { VirtualSpeaker.number(of: $0.payload) } == [0, 1, 2, 3, 4, 5, 6])
    #expect(listener.client.numbers(of: 9001) == [0, 1, 2, 3, 4, 5, 6])
    #expect(network.counters[.duplicate] == 1)
  }

  /// Returns RED with copies of these packets; `step` is the packets' length in ticks.
  private func copy(
    _ numbers: [Int], before number: Int, of speaker: VirtualSpeaker, type: UInt8 = 111, primary: UInt8 = 111, step: Int = 960
  ) throws -> [UInt8] {
    var headers: [UInt8] = []
    var data: [UInt8] = []
    for copied in numbers {
      let payload = speaker.payload(copied)
      let fields = UInt32((number - copied) * step) << 10 | UInt32(payload.count)
      headers += [0x80 | type, UInt8(fields >> 16), UInt8(fields >> 8 & 0xFF), UInt8(fields & 0xFF)]
      data += payload
    }
    return headers + [primary] + data + speaker.payload(number)
  }

  @Test("the first packet's copies are ignored: the stream starts with it")
  func start() throws {
    let (network, speaker, listener, tap) = try setUp()
    speaker.send(try copy([3, 4], before: 5, of: speaker), as: 63, number: 5)
    speaker.send(try copy([4, 5], before: 6, of: speaker), as: 63, number: 6)
    network.run(milliseconds: 50)
    #expect(read(tap).map { VirtualSpeaker.number(of: $0.payload) } == [5, 6])
    #expect(listener.client.numbers(of: 9001) == [0, 1])
  }

  @Test("copies whose timestamps contradict the numbers, or of another codec, are ignored; the packet itself is stored")
  func doubtful() throws {
    let (network, speaker, _, tap) = try setUp()
    speaker.speak(5)
    // A copy of 4 in the position of 5: 5 was left out.
    speaker.send(try copy([4], before: 6, of: speaker), as: 63, number: 6)
    // A copy in the future, one without a distance in time, and one within RED.
    speaker.send(try copy([7], before: 8, of: speaker, step: 0), as: 63, number: 8)
    speaker.send(try copy([9], before: 10, of: speaker, type: 63), as: 63, number: 10)
    speaker.send(try copy([11], before: 12, of: speaker, type: 0), as: 63, number: 12)
    network.run(milliseconds: 50)
    #expect(read(tap).map { VirtualSpeaker.number(of: $0.payload) } == [0, 1, 2, 3, 4, 6, 8, 10, 12])
    #expect(network.counters.audioRestored == 0)
  }

  @Test("malformed RED is dropped and counted, and the stream continues")
  func malformed() throws {
    let (network, speaker, _, tap) = try setUp()
    speaker.speak(5)
    let hostile: [[UInt8]] = [
      [0x80 | 111], [0x80 | 111, 0, 0, 5],
      // More bytes than there are.
      [0x80 | 111, 0x0F, 0x03, 0xFF, 111, 1, 2, 3],
      // 127 blocks.
      [UInt8](Array(repeatElement([0x80 | 111, 0, 4, 1], count: 126).joined())) + [111] + [UInt8](repeating: 1, count: 300),
    ]
    for (index, payload) in hostile.enumerated() { speaker.send(payload, as: 63, number: 6 + index) }
    // RED within RED, and another codec, as the packet itself.
    speaker.send(try copy([5], before: 10, of: speaker, primary: 63), as: 63, number: 10)
    speaker.send(try copy([5], before: 12, of: speaker, primary: 0), as: 63, number: 12)
    network.run(milliseconds: 50)
    let counters = network.counters
    #expect(counters[.malformedRTP] == 4 && counters[.unknownPayloadType] == 2)
    #expect(read(tap).count == 5)
    // Thirty-two blocks of one byte are correct, but restore only the last four packets.
    let headers = (0..<31).map { block -> [UInt8] in [0x80 | 111, 0, UInt8(4 * (31 - block)), 1] }
    let blocks = Array(headers.joined()) + [111] + [UInt8](repeating: 9, count: 31)
    speaker.send(blocks + speaker.payload(13), as: 63, number: 13)
    network.run(milliseconds: 50)
    speaker.skip(to: 14)
    speaker.speak(3)
    network.run(milliseconds: 50)
    #expect(read(tap).map(\.payload) == [[9], [9], [9], [9]] + (13..<17).map(speaker.payload))
  }

  /// Sends packets of sound with padding between, as libwebrtc does when it probes: 2n has sound, 2n + 1 none.
  private func speakWithPadding(_ network: VirtualNetwork, _ speaker: VirtualSpeaker, turns: Range<Int>, skips: Set<Int> = []) {
    var writer = RedundantAudioWriter()
    for turn in turns {
      let timestamp = UInt32(turn) * 960
      let payload = speaker.payload(turn)
      let red = writer.payload(of: payload, timestamp: timestamp, payloadType: 111, distance: 2)
      writer.append(payload, timestamp: timestamp, level: 20)
      for (number, payload, type) in [(2 * turn, red ?? payload, red == nil ? 111 : 63), (2 * turn + 1, [], 63)] {
        guard !skips.contains(number) else { continue }
        speaker.client.sendRTP(
          payloadType: UInt8(type), sequence: UInt16(number), timestamp: timestamp, ssrc: 2222, payload: payload, level: 20)
      }
      network.run(milliseconds: 20)
    }
  }

  @Test("padding between packets confuses neither what is restored nor what is repeated")
  func padding() throws {
    let (network, speaker, listener, tap) = try setUp()
    let third = try network.client(9)
    network.run(milliseconds: 300)
    let other = VirtualListener(third, on: network)
    network.run(milliseconds: 50)
    other.report(loss: 0.2)
    // Sound, padding, and both.
    speakWithPadding(network, speaker, turns: 0..<100, skips: [20, 41, 60, 61, 80, 82])
    network.run(milliseconds: 100)
    let heard = read(tap).filter { !$0.payload.isEmpty }
    #expect(heard.map(\.payload) == (0..<100).map(speaker.payload))
    #expect(heard.allSatisfy { $0.timestamp &- heard[0].timestamp == UInt32(VirtualSpeaker.number(of: $0.payload)) * 960 })
    #expect(network.counters.audioRestored == 4)
    #expect(network.counters[.malformedRTP] == 0)
    let numbers = listener.client.numbers(of: 9001)
    #expect(Set(numbers).count == numbers.count)
    let sound = try other.packets().filter { !$0.payload.isEmpty }
    #expect(sound.count == 100 && sound.filter { $0.copies.count == 2 }.count > 85)
    let afterLostPadding = try #require(sound.first { $0.payload == speaker.payload(21) })
    #expect(afterLostPadding.copies.count == 2, "the timestamps prove that the lost packet had no sound")
    for packet in sound {
      let number = VirtualSpeaker.number(of: packet.payload)
      #expect(packet.copies == ((number - packet.copies.count)..<number).map(speaker.payload))
    }
  }

  @Test("random RED never stores a number twice, and never harms the ring", arguments: 1...4 as ClosedRange<UInt64>)
  func random(seed: UInt64) throws {
    let (network, speaker, listener, tap) = try setUp()
    let other = VirtualListener(listener.client, on: network)
    _ = other
    speaker.speak(2)
    var random = SeededGenerator(seed: seed)
    var seen: Set<Int64> = []
    for turn in 2..<1500 {
      let number = max(0, turn + Int.random(in: -3...3, using: &random))
      var payload = try copy([max(0, number - 2), max(0, number - 1)].filter { $0 < number }, before: number, of: speaker)
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        payload[Int.random(in: 0..<min(12, payload.count), using: &random)] = .random(in: 0...255, using: &random)
      }
      speaker.send(Array(payload.prefix(.random(in: 0...payload.count, using: &random))), as: 63, number: number)
      network.run(milliseconds: 10)
      for packet in read(tap) { #expect(seen.insert(packet.sequence).inserted) }
    }
    #expect(seen.count > 300)
    let numbers = listener.client.numbers(of: 9001)
    #expect(Set(numbers).count == numbers.count)
  }

  @Test("what was spoken while muted is not restored after it")
  func muted() throws {
    let (network, speaker, listener, tap) = try setUp()
    speaker.speak(5)
    network.order(.mute(VirtualSpeaker.track, true))
    speaker.skip(to: 8)
    speaker.send(speaker.payload(8), as: 111, number: 8)
    network.run(milliseconds: 50)
    network.order(.mute(VirtualSpeaker.track, false))
    speaker.send(try copy([7, 8], before: 9, of: speaker), as: 63, number: 9)
    network.run(milliseconds: 50)
    #expect(read(tap).map { VirtualSpeaker.number(of: $0.payload) } == [0, 1, 2, 3, 4, 9])
    #expect(try listener.heard() == [0, 1, 2, 3, 4, 9])
  }
}
