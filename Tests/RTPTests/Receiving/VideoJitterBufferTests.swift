import RoomRTP
import RoomTestSupport
import Testing

/// A VP8 or H.264 stream as packets, with a frame every 33 ms and key frames on request.
private struct Camera {
  var sequence: UInt16
  var frameIndex = 0
  private var packetizer = VP8Packetizer(maximumPayloadSize: 100, pictureID: 0x7ff0)
  private let isH264: Bool

  init(sequence: UInt16 = 65_500, isH264: Bool = false) {
    self.sequence = sequence
    self.isH264 = isH264
  }

  static func timestamp(_ index: Int) -> UInt32 { UInt32(truncatingIfNeeded: 0xffff_0000 + 3000 * index) }

  mutating func frame(isKey: Bool, size: Int = 350) -> (data: [UInt8], packets: [(RTPHeader, [UInt8])]) {
    let data: [UInt8]
    let payloads: [[UInt8]]
    if isH264 {
      let slice = H264Tests.unit(isKey ? 0x65 : 0x41, size)
      data = H264Tests.annexB(isKey ? [H264Tests.sps, H264Tests.pps, slice] : [slice])
      payloads = (try? H264Packetizer(maximumPayloadSize: 100).packetize(data)) ?? []
    } else {
      data = [isKey ? 0x10 : 0x11, UInt8(truncatingIfNeeded: frameIndex)] + [UInt8](repeating: 7, count: size)
      payloads = packetizer.packetize(data)
    }
    var packets: [(RTPHeader, [UInt8])] = []
    for (index, payload) in payloads.enumerated() {
      packets.append((header(sequence, timestamp: Self.timestamp(frameIndex), marker: index == payloads.count - 1), payload))
      sequence &+= 1
    }
    frameIndex += 1
    return (data, packets)
  }
}

private func vp8Buffer() throws -> JitterBuffer { JitterBuffer(format: .vp8) }

@Suite struct VideoJitterBufferTests {
  @Test("frames arrive as they were sent, across the wraps", arguments: [false, true])
  func inOrder(isH264: Bool) throws {
    var camera = Camera(isH264: isH264)
    var buffer = JitterBuffer(format: isH264 ? .h264 : .vp8)
    for index in 0..<200 {
      let now = at(milliseconds: Int64(index) * 33)
      let (data, packets) = camera.frame(isKey: index % 50 == 0)
      var outputs: [JitterBuffer.Output] = []
      for (header, payload) in packets {
        buffer.insert(header, payload, now)
        outputs += buffer.drain(now)
      }
      #expect(outputs.count == 1)
      let frame = try #require(outputs.frames.first)
      #expect(frame.data == data)
      #expect(frame.timestamp == Camera.timestamp(index))
      #expect(frame.isKeyFrame == (index % 50 == 0))
      #expect(frame.completedAt == now)
    }
    #expect(buffer.deadline == nil)
  }

  @Test("packets in any order within a frame complete the frame", arguments: 0..<20 as Range<UInt64>)
  func shuffled(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var camera = Camera(isH264: seed % 2 == 0)
    var buffer = JitterBuffer(format: seed % 2 == 0 ? .h264 : .vp8)
    var frames: [EncodedFrame] = []
    var sent: [[UInt8]] = []
    for index in 0..<30 {
      let (data, packets) = camera.frame(isKey: index == 0)
      sent.append(data)
      for (header, payload) in packets.shuffled(using: &random) {
        buffer.insert(header, payload, at(milliseconds: Int64(index) * 33))
        frames += buffer.drain(at(milliseconds: Int64(index) * 33)).frames
      }
    }
    #expect(frames.map(\.data) == sent)
  }

  @Test("a stream joined midway requests a key frame and starts with it")
  func joined() throws {
    var camera = Camera()
    var buffer = try vp8Buffer()
    var asked: [Int64] = []
    for index in 0..<30 {
      let now = at(milliseconds: Int64(index) * 33)
      for (header, payload) in camera.frame(isKey: false).packets { buffer.insert(header, payload, now) }
      if buffer.drain(now).asksForKeyFrame { asked.append(Int64(index) * 33) }
    }
    #expect(asked == [0, 330, 660])
    let (data, packets) = camera.frame(isKey: true)
    for (header, payload) in packets { buffer.insert(header, payload, at(milliseconds: 1000)) }
    #expect(buffer.drain(at(milliseconds: 1000)).frames.map(\.data) == [data])
  }

  @Test("no further requests are sent to a stopped stream")
  func stopped() throws {
    var camera = Camera()
    var buffer = try vp8Buffer()
    for (header, payload) in camera.frame(isKey: false).packets { buffer.insert(header, payload, at(milliseconds: 0)) }
    #expect(buffer.drain(at(milliseconds: 0)).asksForKeyFrame)
    #expect(!buffer.drain(at(milliseconds: 1000)).asksForKeyFrame)
    #expect(buffer.deadline == nil)
  }

  @Test("the buffer waits for a lost packet and continues after its repair")
  func repaired() throws {
    var camera = Camera()
    var buffer = try vp8Buffer()
    let first = camera.frame(isKey: true)
    let second = camera.frame(isKey: false)
    let third = camera.frame(isKey: false)
    for (header, payload) in first.packets + second.packets.dropFirst() + third.packets {
      buffer.insert(header, payload, at(milliseconds: 0))
    }
    #expect(buffer.drain(at(milliseconds: 0)).frames.map(\.data) == [first.data])
    #expect(buffer.deadline == at(milliseconds: 500))
    #expect(buffer.drain(at(milliseconds: 400)).isEmpty)
    let (header, payload) = second.packets[0]
    buffer.insert(header, payload, at(milliseconds: 400))
    #expect(buffer.drain(at(milliseconds: 400)).frames.map(\.data) == [second.data, third.data])
    #expect(buffer.counters.breaks == 0 && buffer.counters.lostPackets == 0)
    #expect(buffer.deadline == nil)
  }

  @Test("after the wait the frame is dropped, and only a key frame continues", arguments: [false, true])
  func lost(isH264: Bool) throws {
    var camera = Camera(isH264: isH264)
    var buffer = JitterBuffer(format: isH264 ? .h264 : .vp8)
    let frames = [camera.frame(isKey: true), camera.frame(isKey: false), camera.frame(isKey: false)]
    for (header, payload) in frames[0].packets + frames[1].packets.dropLast() + frames[2].packets {
      buffer.insert(header, payload, at(milliseconds: 0))
    }
    #expect(buffer.drain(at(milliseconds: 0)).count == 1)
    #expect(buffer.drain(at(milliseconds: 500)) == [.keyFrameNeeded])
    #expect(buffer.counters.breaks == 1 && buffer.counters.lostPackets == 1)
    // The lost packet is now useless.
    if let (header, payload) = frames[1].packets.last { buffer.insert(header, payload, at(milliseconds: 510)) }
    #expect(buffer.counters.latePackets == 1)
    let next = camera.frame(isKey: false)
    for (header, payload) in next.packets { buffer.insert(header, payload, at(milliseconds: 520)) }
    #expect(buffer.drain(at(milliseconds: 520)).isEmpty)
    let key = camera.frame(isKey: true)
    for (header, payload) in key.packets { buffer.insert(header, payload, at(milliseconds: 600)) }
    #expect(buffer.drain(at(milliseconds: 600)).frames.map(\.data) == [key.data])
  }

  @Test("a key frame after the gap is used when the wait ends")
  func keyFrameBehindGap() throws {
    var camera = Camera()
    var buffer = try vp8Buffer()
    let frames = [camera.frame(isKey: true), camera.frame(isKey: false), camera.frame(isKey: true), camera.frame(isKey: false)]
    for (header, payload) in frames[0].packets + frames[1].packets.dropFirst(2) + frames[2].packets + frames[3].packets {
      buffer.insert(header, payload, at(milliseconds: 0))
    }
    #expect(buffer.drain(at(milliseconds: 0)).count == 1)
    let outputs = buffer.drain(at(milliseconds: 500))
    #expect(outputs.frames.map(\.data) == [frames[2].data, frames[3].data])
    #expect(!outputs.asksForKeyFrame)
  }

  @Test("padding packets between frames are not a gap")
  func padding() throws {
    var camera = Camera()
    var buffer = try vp8Buffer()
    let first = camera.frame(isKey: true)
    let filler = camera.sequence
    camera.sequence &+= 2
    let second = camera.frame(isKey: false)
    for (header, payload) in first.packets + second.packets { buffer.insert(header, payload, at(milliseconds: 0)) }
    #expect(buffer.drain(at(milliseconds: 0)).count == 1)
    for sequence in [filler, filler &+ 1] {
      buffer.insert(header(sequence, timestamp: Camera.timestamp(0)), [], at(milliseconds: 1))
    }
    #expect(buffer.drain(at(milliseconds: 1)).frames.map(\.data) == [second.data])
  }

  @Test("frames of a sender without markers end with the next timestamp")
  func noMarkers() throws {
    var camera = Camera()
    var buffer = try vp8Buffer()
    var sent: [[UInt8]] = []
    var got: [[UInt8]] = []
    for index in 0..<5 {
      let (data, packets) = camera.frame(isKey: index == 0)
      sent.append(data)
      for (header, payload) in packets {
        var header = header
        header.marker = false
        buffer.insert(header, payload, at(milliseconds: 0))
        got += buffer.drain(at(milliseconds: 0)).frames.map(\.data)
      }
    }
    #expect(got == sent.dropLast())
  }

  @Test("a frame that is cut off by the next one is dropped, and its key frame follows at once", arguments: [false, true])
  func cutOff(isH264: Bool) throws {
    var camera = Camera(isH264: isH264)
    var buffer = JitterBuffer(format: isH264 ? .h264 : .vp8)
    var got: [[UInt8]] = []
    func send(_ packets: some Sequence<(RTPHeader, [UInt8])>) {
      for (header, payload) in packets {
        buffer.insert(header, payload, at(milliseconds: 0))
        got += buffer.drain(at(milliseconds: 0)).frames.map(\.data)
      }
    }
    let whole = camera.frame(isKey: true)
    send(whole.packets)
    // The layer is left before the last packet; the next layer's numbers continue.
    let cut = camera.frame(isKey: false)
    send(cut.packets.dropLast())
    camera.sequence &-= 1
    let next = [camera.frame(isKey: true), camera.frame(isKey: false)]
    for frame in next { send(frame.packets) }
    #expect(got == [whole.data] + next.map(\.data))
    #expect(buffer.counters.breaks == 1)
  }

  @Test("an IDR picture without parameter sets is not a start until they have arrived")
  func parameterSets() throws {
    var buffer = JitterBuffer(format: .h264)
    func send(_ sequence: UInt16, _ payload: [UInt8], _ time: Int64) -> [JitterBuffer.Output] {
      buffer.insert(header(sequence, timestamp: UInt32(time) * 90, marker: true), payload, at(milliseconds: time))
      return buffer.drain(at(milliseconds: time))
    }
    let bare = send(1, [0x65, 1, 2], 0)
    #expect(bare == [.keyFrameNeeded])
    let whole = send(2, [0x78, 0, 2, 0x67, 1, 0, 2, 0x68, 1, 0, 2, 0x65, 9], 33)
    #expect(whole.frames.count == 1)
    let later = send(3, [0x65, 1, 2], 66)
    #expect(later.frames.first?.isKeyFrame == true)
  }

  @Test("a parameter set that arrives after its picture still precedes it")
  func lateParameterSets() throws {
    var buffer = JitterBuffer(format: .h264)
    func send(_ sequence: UInt16, _ payload: [UInt8], marker: Bool) -> [JitterBuffer.Output] {
      buffer.insert(header(sequence, timestamp: 9, marker: marker), payload, at(milliseconds: 0))
      return buffer.drain(at(milliseconds: 0))
    }
    let outputs = [
      send(12, [0x7c, 0x45, 3], marker: true), send(10, [0x68, 1], marker: false), send(9, [0x67, 1], marker: false),
      send(11, [0x7c, 0x85, 2], marker: false),
    ]
    #expect(outputs.flatMap { $0 }.frames.map(\.data) == [H264Tests.annexB([[0x67, 1], [0x68, 1], [0x65, 2, 3]])])
  }

  @Test("a jump of the sender, forward or back, is a restart")
  func jump() throws {
    var camera = Camera(sequence: 100)
    var buffer = try vp8Buffer()
    var time: Int64 = 0
    func show(_ isKey: Bool) -> [JitterBuffer.Output] {
      time += 33
      for (header, payload) in camera.frame(isKey: isKey).packets { buffer.insert(header, payload, at(milliseconds: time)) }
      return buffer.drain(at(milliseconds: time))
    }
    let first = show(true)
    #expect(first.frames.count == 1)
    camera.sequence = 30_000
    let forth = [show(true), show(false)].flatMap { $0 }
    #expect(forth.frames.count == 2)
    camera.sequence = 20_000
    let back = (0..<40).flatMap { _ in show(true) }
    #expect(back.frames.count >= 20)
  }

  @Test("an undrained buffer stays bounded and continues with a key frame")
  func undrained() throws {
    var camera = Camera()
    var buffer = try vp8Buffer()
    for index in 0..<2000 {
      for (header, payload) in camera.frame(isKey: index % 100 == 0).packets {
        buffer.insert(header, payload, at(milliseconds: 0))
      }
    }
    let frames = buffer.drain(at(milliseconds: 0)).frames
    #expect(frames.first?.isKeyFrame == true)
    #expect(frames.count > 50 && frames.count < 300)
  }

  @Test("the wait adapts to the duration of repairs")
  func adapts() throws {
    var camera = Camera()
    var buffer = try vp8Buffer()
    let start = buffer.currentWait
    var time: Int64 = 0
    for index in 0..<400 {
      time += 33
      let packets = camera.frame(isKey: index == 0).packets
      for (position, item) in packets.enumerated() where position != 1 { buffer.insert(item.0, item.1, at(milliseconds: time)) }
      _ = buffer.drain(at(milliseconds: time))
      buffer.insert(packets[1].0, packets[1].1, at(milliseconds: time + 20))
      _ = buffer.drain(at(milliseconds: time + 20))
    }
    #expect(start == 500_000)
    #expect(buffer.currentWait == 200_000)
    #expect(buffer.counters.breaks == 0)
    let packets = camera.frame(isKey: false).packets
    for (position, item) in packets.enumerated() where position != 1 {
      buffer.insert(item.0, item.1, at(milliseconds: time + 33))
    }
    buffer.insert(packets[1].0, packets[1].1, at(milliseconds: time + 193))
    #expect(buffer.currentWait == 450_000)
  }

  @Test("with 5 % loss each way and NACK nearly every frame arrives, in order and soon", arguments: 0..<6 as Range<UInt64>)
  func lossyLink(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var camera = Camera(isH264: seed % 2 == 1)
    var buffer = JitterBuffer(format: seed % 2 == 1 ? .h264 : .vp8)
    var tracker = LossTracker()
    var link: [(time: Int64, header: RTPHeader, payload: [UInt8])] = []
    var sent: [UInt16: (RTPHeader, [UInt8])] = [:]
    var sentAt: [UInt32: Int64] = [:]
    var wantsKey = true
    var got: [EncodedFrame] = []
    var worst: Int64 = 0
    let delay: Int64 = 40
    func transmit(_ item: (RTPHeader, [UInt8]), _ now: Int64) {
      if !random.chance(0.05) { link.append((now + delay + Int64.random(in: 0...15, using: &random), item.0, item.1)) }
    }
    let total = 1500
    for now in 0..<Int64(total * 33 + 1000) {
      if now % 33 == 0, camera.frameIndex < total {
        sentAt[Camera.timestamp(camera.frameIndex)] = now
        for item in camera.frame(isKey: wantsKey).packets {
          sent[item.0.sequenceNumber] = item
          transmit(item, now)
        }
        wantsKey = false
      }
      for item in link where item.time <= now {
        _ = tracker.receive(item.header.sequenceNumber, now: at(milliseconds: now))
        buffer.insert(item.header, item.payload, at(milliseconds: now))
      }
      link.removeAll { $0.time <= now }
      let outputs = buffer.drain(at(milliseconds: now))
      for frame in outputs.frames {
        got.append(frame)
        worst = max(worst, now - (sentAt[frame.timestamp] ?? 0))
      }
      if outputs.asksForKeyFrame, !random.chance(0.05) { wantsKey = true }
      withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 64) { numbers in
        let count = tracker.requests(now: at(milliseconds: now), roundTrip: 2 * delay * 1000, into: numbers)
        guard count > 0, !random.chance(0.05) else { return }
        for number in numbers[..<count] {
          if let item = sent[number] { transmit(item, now + delay) }
        }
      }
    }
    #expect(got.count >= total * 97 / 100)
    #expect(worst < 1000)
    #expect(zip(got, got.dropFirst()).allSatisfy { Int32(bitPattern: $1.timestamp &- $0.timestamp) > 0 })
  }

  @Test("random packets never break the buffer", arguments: PayloadFormat.allCases)
  func fuzzed(format: PayloadFormat) throws {
    var random = SeededGenerator(seed: 11)
    var buffer = JitterBuffer(
      format: format, configuration: .init(capacity: 32, initialWait: 50_000, wait: 10_000...100_000))
    var sequence: UInt16 = 0
    for time in 0..<60_000 {
      sequence =
        random.chance(0.002)
        ? UInt16.random(in: 0 ... .max, using: &random) : sequence &+ UInt16.random(in: 0...2, using: &random)
      var header = header(sequence &- UInt16.random(in: 0...3, using: &random), timestamp: UInt32(time / 5) &* 3000)
      header.marker = random.chance(0.3)
      var payload = random.bytes(Int.random(in: 0...6, using: &random))
      if random.chance(0.5) { payload = format == .vp8 ? [0x10, 0x10, 1] : [0x67, 1, 2] }
      buffer.insert(header, payload, at(milliseconds: Int64(time)))
      _ = buffer.drain(at(milliseconds: Int64(time)))
      if let deadline = buffer.deadline { #expect(deadline > at(milliseconds: Int64(time))) }
    }
    #expect(buffer.counters.frames > 0)
  }
}
