import RoomRTP
import RoomTestSupport
import Testing

@Suite(.needsRecordedStreams) struct RecordedStreamTests {
  private func load(_ name: String) throws -> [(time: Instant, header: RTPHeader, payload: [UInt8])] {
    try #require(RecordedStream(name)).packets.map { packet in
      let header = try #require(packet.bytes.parsedHeader)
      return (packet.time, header, packet.bytes.read { Array(header.payload(of: $0)) })
    }
  }

  @Test("every packet is parsed, belongs to one stream, and has extensions", arguments: ["h264", "vp8", "vp9", "av1"])
  func headers(name: String) throws {
    let stream = try #require(RecordedStream(name))
    #expect(stream.packets.count > 50)
    var sources = Set<SSRC>()
    var extended = 0
    for packet in stream.packets {
      let header = try #require(packet.bytes.parsedHeader)
      sources.insert(header.ssrc)
      #expect(header.headerLength + header.payloadLength + header.paddingLength == packet.bytes.count)
      extended += packet.bytes.read { Array(RTPExtensions(packet: $0, header: header)) }.isEmpty ? 0 : 1
    }
    #expect(sources.count == 1)
    #expect(extended > 0)
  }

  @Test("the first packet of each recording begins a key frame, and few others do", arguments: ["h264", "vp8", "vp9", "av1"])
  func keyFrames(name: String) throws {
    let format = try #require(PayloadFormat(name: name))
    let packets = try load(name)
    let starts = packets.filter { packet in packet.payload.read { format.startsKeyFrame($0) } }
    #expect(starts.first?.header.sequenceNumber == packets.first?.header.sequenceNumber)
    #expect(Set(starts.map(\.header.timestamp)).count <= 10)
  }

  @Test("all frames are returned in the codec's own format", arguments: [PayloadFormat.h264, .vp8, .vp9, .av1])
  func frames(format: PayloadFormat) throws {
    let packets = try load("\(format)")
    var buffer = JitterBuffer(format: format)
    var frames: [EncodedFrame] = []
    for packet in packets {
      buffer.insert(packet.header, packet.payload, packet.time)
      frames += buffer.drain(packet.time).frames
    }
    let end = try #require(packets.last).time.advanced(milliseconds: 2000)
    frames += buffer.drain(end).frames
    // If the recording itself lost packets, everything up to the next key frame is useless.
    let gaps = zip(packets, packets.dropFirst()).filter { $1.header.sequenceNumber != $0.header.sequenceNumber &+ 1 }.count
    let timestamps = Set(packets.filter { !$0.payload.isEmpty }.map(\.header.timestamp))
    if format == .vp9 {
      // This recording lost every other packet from its second second on.
      #expect(frames.count >= 16)
    } else if gaps == 0 {
      // The recording may end within a frame.
      #expect(frames.count >= timestamps.count - 1)
    } else {
      #expect(frames.count > timestamps.count / 3)
    }
    // One STAP-A of the H.264 recording was cut short by its sender.
    if format != .vp9 { #expect(buffer.counters.breaks == UInt64(gaps + (format == .h264 ? 1 : 0))) }
    let first = try #require(frames.first)
    #expect(first.isKeyFrame)
    switch format {
    case .h264:
      #expect(frames.allSatisfy { $0.data.starts(with: [0, 0, 0, 1]) })
      let types = first.data.read { bytes in AnnexB(bytes).map { bytes[$0.lowerBound] & 0x1f } }
      #expect(types.prefix(2) == [7, 8] && types.contains(5))
      #expect(frames.allSatisfy { $0.isKeyFrame == AnnexB.isKeyFrame($0.data) })
    case .vp9:
      // frame_marker, profile 0, a key frame; then the sync code (VP9 bitstream specification §6.2).
      #expect(frames.allSatisfy { $0.data[0] >> 6 == 0b10 })
      #expect(frames.filter(\.isKeyFrame).allSatisfy { Array($0.data[1...3]) == [0x49, 0x83, 0x42] })
    case .av1:
      // A temporal delimiter, and in key frames a sequence header, each with its size.
      #expect(frames.allSatisfy { $0.data.starts(with: [0x12, 0x00]) })
      #expect(frames.filter(\.isKeyFrame).allSatisfy { $0.data[2] == 0x0a })
    default:
      #expect(Array(first.data[3...5]) == [0x9d, 0x01, 0x2a])
      #expect(frames.filter(\.isKeyFrame).allSatisfy { Array($0.data[3...5]) == [0x9d, 0x01, 0x2a] })
    }
  }

  @Test("frames of real encoders survive splitting and joining", arguments: [PayloadFormat.h264, .vp8])
  func repacketized(format: PayloadFormat) throws {
    var source = JitterBuffer(format: format)
    var target = JitterBuffer(format: format)
    var vp8 = VP8Packetizer(maximumPayloadSize: 500)
    let h264 = H264Packetizer(maximumPayloadSize: 500)
    var sequence: UInt16 = 65_000
    for packet in try load(format == .h264 ? "h264" : "vp8") {
      source.insert(packet.header, packet.payload, packet.time)
      for frame in source.drain(packet.time).frames {
        let payloads = format == .h264 ? try h264.packetize(frame.data) : vp8.packetize(frame.data)
        for (index, payload) in payloads.enumerated() {
          #expect(payload.count <= 500)
          target.insert(header(sequence, timestamp: frame.timestamp, marker: index == payloads.count - 1), payload, packet.time)
          sequence &+= 1
        }
        let copy = try #require(target.drain(packet.time).frames.first)
        #expect(copy.timestamp == frame.timestamp && copy.isKeyFrame == frame.isKeyFrame)
        #expect(format == .vp8 ? copy.data == frame.data : units(copy.data) == units(frame.data))
      }
    }
  }

  /// Returns the NAL units that a decoder uses.
  private func units(_ data: [UInt8]) -> [[UInt8]] {
    data.read { bytes in AnnexB(bytes).map { Array(data[$0]) } }.filter { !(9...12).contains($0[0] & 0x1f) }
  }

  @Test(
    "with unrepaired losses, only whole frames are returned, restarting with key frames",
    arguments: [PayloadFormat.h264, .vp8])
  func losses(format: PayloadFormat) throws {
    let packets = try load(format == .h264 ? "h264" : "vp8")
    var whole = JitterBuffer(format: format)
    var known: [UInt32: EncodedFrame] = [:]
    for packet in packets {
      whole.insert(packet.header, packet.payload, packet.time)
      for frame in whole.drain(packet.time).frames { known[frame.timestamp] = frame }
    }
    var random = SeededGenerator(seed: 4)
    for _ in 0..<20 {
      var buffer = JitterBuffer(format: format)
      var broken = true
      for packet in packets where !random.chance(0.02) {
        buffer.insert(packet.header, packet.payload, packet.time)
        while let output = buffer.next(now: packet.time) {
          switch output {
          case .keyFrameNeeded: broken = true
          case .frame(let frame):
            #expect(!broken || frame.isKeyFrame)
            broken = false
            #expect(frame.data == known[frame.timestamp]?.data)
          }
        }
      }
    }
  }
}
