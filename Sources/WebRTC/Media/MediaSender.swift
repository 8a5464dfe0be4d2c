import RoomRTP

/// Identifies a sent stream: its m-line, and its layer in a simulcast.
struct SentStream: Hashable {
  var mid: Mid
  var rid: Rid?
}

/// One sent stream, or one layer of a simulcast: splits frames into numbered packets, stores them for NACKs, counts for its
/// reports. Audio repeats earlier packets (RED) as the far end's losses require.
final class MediaSender {
  /// The payload size in bytes that leaves room for header, extensions, RTX prefix and tag in a datagram of 1200.
  static let payloadSize = 1100

  /// The padding of a packet in bytes, the most that its last byte can say.
  private static let paddingSize = 255

  let mid: Mid
  /// The layer of a simulcast; nil without.
  let rid: Rid?
  let ssrc: SSRC
  let kind: RTPParameters.Kind
  private let rtxSSRC: SSRC?
  private let codec: RTPCodec
  private let parameters: RTPParameters
  private let encoding: RTPEncoding
  private let ids: RTPExtensionIDs
  private var packetizer: Packetizer
  private var sequence = UInt16.random(in: 0...0x7fff)
  private var rtxSequence = UInt16.random(in: 0...0x7fff)
  /// The random offset added to frame timestamps, so that the wire does not reveal them (RFC 3550 §5.1).
  private let timestampOffset = UInt32.random(in: 0...UInt32.max)
  private var history: PacketHistory
  private var counts: SendStatistics
  private var firSequence: UInt8?
  private var lastTimestamp: UInt32 = 0
  /// The copies for RED, and how many each packet gets.
  private var copies = RedundantAudioWriter()
  private var redundancy = RedundancyLevel()
  private(set) var statistics = SenderStatistics()

  /// The supported packetizers; frames of other formats are sent whole, one packet per frame.
  private enum Packetizer {
    case h264(H264Packetizer)
    case vp8(VP8Packetizer)
    case vp9(VP9Packetizer)
    case av1(AV1Packetizer)
    case whole

    mutating func payloads(of frame: EncodedFrame) -> [[UInt8]] {
      switch self {
      case .h264(let packetizer): return (try? packetizer.packetize(frame.data)) ?? []
      case .vp8(var packetizer):
        defer { self = .vp8(packetizer) }
        return packetizer.packetize(frame.data, layer: frame.temporalLayer)
      case .vp9(var packetizer):
        defer { self = .vp9(packetizer) }
        return packetizer.packetize(frame.data, isKeyFrame: frame.isKeyFrame)
      case .av1(let packetizer): return packetizer.packetize(frame.data)
      case .whole: return frame.data.isEmpty || frame.data.count > MediaSender.payloadSize ? [] : [frame.data]
      }
    }
  }

  /// Creates a sender for one of the encodings. Returns nil for a stream without codec or SSRC.
  init?(_ parameters: RTPParameters, _ encoding: RTPEncoding) {
    guard let codec = parameters.codecs.first, let ssrc = encoding.ssrc else { return nil }
    mid = parameters.mid
    rid = encoding.rid
    self.encoding = encoding
    kind = parameters.kind
    self.ssrc = ssrc
    self.codec = codec
    self.parameters = parameters
    counts = SendStatistics(ssrc: ssrc, clockRate: codec.clockRate)
    rtxSSRC = codec.rtxPayloadType == nil ? nil : encoding.rtxSSRC
    ids = RTPExtensionIDs(parameters.headerExtensions)
    // Two seconds at 5 Mbit/s are 1000 packets; of Opus 100.
    history = PacketHistory(
      parameters.kind == .video ? PacketHistory.Limits(capacity: 1024, packetSize: 1280) : PacketHistory.Limits(capacity: 128))
    switch PayloadFormat(name: codec.name) {
    case .h264:
      let mode = codec.parameters["packetization-mode"] == "1" ? H264Packetizer.Mode.nonInterleaved : .singleUnit
      packetizer = .h264(H264Packetizer(maximumPayloadSize: Self.payloadSize, mode: mode))
    case .vp8:
      packetizer = .vp8(VP8Packetizer(maximumPayloadSize: Self.payloadSize, pictureID: .random(in: 0...0x7fff)))
    case .vp9:
      packetizer = .vp9(VP9Packetizer(maximumPayloadSize: Self.payloadSize, pictureID: .random(in: 0...0x7fff)))
    case .av1: packetizer = .av1(AV1Packetizer(maximumPayloadSize: Self.payloadSize))
    default: packetizer = .whole
    }
  }

  /// Returns whether these parameters describe the stream as it is already sent.
  func continues(_ other: RTPParameters, _ encoding: RTPEncoding) -> Bool {
    other.codecs.first == codec && encoding == self.encoding && other.headerExtensions == parameters.headerExtensions
  }

  var stream: SentStream { SentStream(mid: mid, rid: rid) }

  /// The SSRC of the stream and that of its retransmissions.
  var ssrcs: [SSRC] { [ssrc] + (rtxSSRC.map { [$0] } ?? []) }

  func packets(for frame: EncodedFrame, level: AudioLevel?, now: Instant) -> [OutgoingPacket] {
    let payloads = packetizer.payloads(of: frame)
    let timestamp = frame.timestamp &+ timestampOffset
    var packets: [OutgoingPacket] = []
    packets.reserveCapacity(payloads.count)
    for (index, payload) in payloads.enumerated() {
      // Video marks the last packet of a frame; Opus the first of a talk spurt, which is unknown here.
      let marker = kind == .video && index == payloads.count - 1
      let number = sequence
      let packet = packet(payload, timestamp: timestamp, marker: marker, level: level, now: now)
      // RTX repeats the payload alone, under numbers of its own.
      packet.bytes.withUnsafeBytes { bytes in
        history.store(UnsafeRawBufferPointer(rebasing: bytes[..<packet.length]), sequenceNumber: number, now: now)
      }
      packets.append(withCopies(of: payload, number: number, timestamp: timestamp, level: level) ?? packet)
    }
    guard !packets.isEmpty else { return [] }
    statistics.frames += 1
    return packets
  }

  /// Returns the packet with copies of the ones before; nil if it has none.
  private func withCopies(of payload: [UInt8], number: UInt16, timestamp: UInt32, level: AudioLevel?) -> OutgoingPacket? {
    guard let red = codec.redPayloadType else { return nil }
    defer { copies.append(payload, timestamp: timestamp, level: level?.level) }
    guard redundancy.distance > 0,
      let redundant = copies.payload(
        of: payload, timestamp: timestamp, payloadType: codec.payloadType, distance: Int(redundancy.distance))
    else { return nil }
    statistics.redundant += 1
    return write(
      payloadType: red, number: number, timestamp: timestamp, marker: false, level: level, payload: redundant)
  }

  private func packet(_ payload: [UInt8], timestamp: UInt32, marker: Bool, level: AudioLevel?, now: Instant) -> OutgoingPacket {
    defer { sequence &+= 1 }
    statistics.packets += 1
    statistics.bytes += UInt64(payload.count)
    counts.send(timestamp: timestamp, payloadLength: payload.count, now: now)
    lastTimestamp = timestamp
    return write(
      payloadType: codec.payloadType, number: sequence, timestamp: timestamp, marker: marker, level: level, payload: payload)
  }

  /// Writes a packet of the stream.
  private func write(
    payloadType: UInt8, number: UInt16, timestamp: UInt32, marker: Bool, level: AudioLevel?, payload: [UInt8]
  ) -> OutgoingPacket {
    write(
      payloadType: payloadType, ssrc: ssrc, number: number, timestamp: timestamp, marker: marker, level: level,
      room: payload.count
    ) { buffer, header in
      payload.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[header...]).copyMemory(from: $0) }
      return header + payload.count
    }
  }

  /// Writes a packet with the stream's extensions. `body` writes up to `room` bytes after the header, whose length it gets, and
  /// returns the length of the packet.
  private func write(
    payloadType: UInt8, ssrc: SSRC, number: UInt16, timestamp: UInt32, marker: Bool, level: AudioLevel?, room: Int,
    body: (UnsafeMutableRawBufferPointer, Int) -> Int
  ) -> OutgoingPacket {
    var absSendTime = 0
    var transportSequence = 0
    var length = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: 80 + room + OutgoingPacket.tagRoom) { memory, count in
      let buffer = UnsafeMutableRawBufferPointer(memory)
      var writer = RTPHeaderWriter(
        buffer, payloadType: payloadType, sequenceNumber: number, timestamp: timestamp, ssrc: ssrc, marker: marker)
      Array(mid.rawValue.utf8).withUnsafeBytes { writer.append(id: ids.mid, bytes: $0) }
      if let rid {
        Array(rid.rawValue.utf8).withUnsafeBytes { writer.append(id: ssrc == rtxSSRC ? ids.repairedRid : ids.rid, bytes: $0) }
      }
      writer.append(id: ids.absSendTime, absSendTime: AbsSendTime(rawValue: 0))
      writer.append(id: ids.transportSequence, transportSequence: 0)
      // An unknown level is left out: 127 would state that the packet is silent, and it would not be repeated.
      if kind == .audio, let level { writer.append(id: ids.audioLevel, audioLevel: level) }
      length = body(buffer, writer.finish())
      absSendTime = writer.absSendTimeOffset
      transportSequence = writer.transportSequenceOffset
      count = length + OutgoingPacket.tagRoom
      UnsafeMutableRawBufferPointer(rebasing: buffer[length..<count]).initializeMemory(as: UInt8.self, repeating: 0)
    }
    return OutgoingPacket(
      bytes: bytes, length: length, absSendTimeOffset: absSendTime, transportSequenceOffset: transportSequence,
      urgency: kind == .audio ? .audio : .video)
  }

  /// Returns the packet again, as RTX. Returns nil if it is no longer stored, was resent just now, or RTX was not negotiated:
  /// sealing other bytes under a used number would break GCM.
  func repair(_ sequenceNumber: UInt16, roundTrip: Int64?, now: Instant) -> OutgoingPacket? {
    statistics.nacks += 1
    guard let rtxSSRC, let payloadType = codec.rtxPayloadType else { return nil }
    // A packet that is requested twice within a round trip is already in transit.
    guard let original = history.resend(sequenceNumber, now: now, minimumInterval: (roundTrip ?? 20_000) / 2),
      let header = RTPHeader(parsing: original)
    else { return nil }
    var length = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: original.count + 2 + OutgoingPacket.tagRoom) { memory, count in
      let buffer = UnsafeMutableRawBufferPointer(memory)
      length = Retransmission.wrap(
        original, header: header, payloadType: payloadType, ssrc: rtxSSRC, sequenceNumber: rtxSequence, into: buffer)
      count = length + OutgoingPacket.tagRoom
      UnsafeMutableRawBufferPointer(rebasing: buffer[length..<count]).initializeMemory(as: UInt8.self, repeating: 0)
      if rid != nil, length > 0 { nameRepaired(UnsafeMutableRawBufferPointer(rebasing: buffer[..<length])) }
    }
    guard length > 0 else { return nil }
    rtxSequence &+= 1
    statistics.retransmitted += 1
    // The header keeps its layout, so the fields that are patched on sending keep their offsets.
    let extensions = RTPExtensions(packet: original, header: header)
    return OutgoingPacket(
      bytes: bytes, length: length, absSendTimeOffset: extensions.range(of: ids.absSendTime)?.lowerBound ?? 0,
      transportSequenceOffset: extensions.range(of: ids.transportSequence)?.lowerBound ?? 0, urgency: .repair)
  }

  /// Turns the rid of a retransmission into the repaired rid (RFC 8852 §4.3). Short elements have their id in the byte before
  /// the data (RFC 8285 §4.2).
  private func nameRepaired(_ packet: UnsafeMutableRawBufferPointer) {
    guard ids.repairedRid != 0, let header = RTPHeader(parsing: UnsafeRawBufferPointer(packet)),
      let range = RTPExtensions(packet: UnsafeRawBufferPointer(packet), header: header).range(of: ids.rid),
      packet.indices.contains(range.lowerBound - 1)
    else { return }
    packet[range.lowerBound - 1] = ids.repairedRid << 4 | packet[range.lowerBound - 1] & 0x0F
  }

  /// Whether padding may be sent: RTX was negotiated, and the stream has a packet that padding may follow.
  var canPad: Bool { kind == .video && rtxSSRC != nil && statistics.packets > 0 }

  /// Returns a packet of the RTX stream that contains only padding, to probe the path; receivers discard it. Returns nil if
  /// `canPad` is false.
  func padding() -> OutgoingPacket? {
    guard canPad, let rtxSSRC, let payloadType = codec.rtxPayloadType else { return nil }
    defer { rtxSequence &+= 1 }
    statistics.paddingPackets += 1
    return write(
      payloadType: payloadType, ssrc: rtxSSRC, number: rtxSequence, timestamp: lastTimestamp, marker: false, level: nil,
      room: Self.paddingSize
    ) { buffer, header in RTPHeaderWriter.pad(buffer, length: header, by: Self.paddingSize) }
  }

  /// Returns the information for a sender report now; nil before the first packet.
  func report(now: Instant) -> SenderInformation? { counts.report(now: now, ntpTime: NTPTime(now)) }

  /// The least target in bits per second at which audio is repeated: four times that of speech.
  static let leastRedundantTarget = 250_000

  /// Processes a report block about the stream; returns the round-trip time in microseconds if the block contains it.
  /// - Parameter target: the bitrate for all streams in bits per second.
  func take(_ block: ReportBlock, target: Int, now: Instant) -> Int64? {
    statistics.packetsLost = Int64(block.cumulativeLost)
    statistics.fractionLost = Double(block.fractionLost) / 256
    if codec.redPayloadType != nil {
      redundancy.update(
        fractionLost: block.fractionLost, now: now, isAffordable: target >= Self.leastRedundantTarget)
    }
    statistics.jitter = Int64(block.jitter) * 1_000_000 / Int64(max(1, codec.clockRate))
    let roundTrip = RoundTripTime.microseconds(of: block, now: NTPTime(now))
    if let roundTrip { statistics.roundTripTime = roundTrip }
    return roundTrip
  }

  func keyFrameRequested() { statistics.keyFrameRequests += 1 }

  /// Returns false for a FIR that repeats the previous one (RFC 5104 §4.3.1.1).
  func isNewRequest(_ entry: FullIntraRequest.Entry) -> Bool {
    defer { firSequence = entry.sequenceNumber }
    return firSequence != entry.sequenceNumber
  }
}

extension RTPExtensionIDs {
  /// Creates the ids that were negotiated.
  init(_ agreed: [RTPHeaderExtension: UInt8]) {
    self.init(
      mid: agreed[.mid] ?? 0, rid: agreed[.rid] ?? 0, repairedRid: agreed[.repairedRid] ?? 0,
      absSendTime: agreed[.absSendTime] ?? 0, transportSequence: agreed[.transportSequence] ?? 0,
      audioLevel: agreed[.audioLevel] ?? 0)
  }
}
