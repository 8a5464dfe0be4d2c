import RTP

/// One stream that is sent: cuts frames into numbered packets, keeps them for NACKs, counts for its reports.
final class MediaSender {
  /// Bytes of payload that leave room for header, extensions, RTX prefix and tag in a datagram of 1200.
  static let payloadSize = 1100

  let mid: Mid
  let ssrc: SSRC
  let kind: RTPParameters.Kind
  private let rtxSSRC: SSRC?
  private let codec: RTPCodec
  private let parameters: RTPParameters
  private let ids: RTPExtensionIDs
  private var packetizer: Packetizer
  private var sequence = UInt16.random(in: 0...0x7fff)
  private var rtxSequence = UInt16.random(in: 0...0x7fff)
  /// Added to the frames' own timestamps, so that the wire tells nothing of them (RFC 3550 §5.1).
  private let timestampOffset = UInt32.random(in: 0...UInt32.max)
  private var history: PacketHistory
  private var counts: SendStatistics
  private var firSequence: UInt8?
  private(set) var statistics = SenderStatistics()

  /// The forms of payload that are cut here; what else there is goes out whole, one packet for a frame.
  private enum Packetizer {
    case h264(H264Packetizer)
    case vp8(VP8Packetizer)
    case whole

    mutating func payloads(of frame: EncodedFrame) -> [[UInt8]] {
      switch self {
      case .h264(let packetizer): return (try? packetizer.packetize(frame.data)) ?? []
      case .vp8(var packetizer):
        defer { self = .vp8(packetizer) }
        return packetizer.packetize(frame.data)
      case .whole: return frame.data.isEmpty || frame.data.count > MediaSender.payloadSize ? [] : [frame.data]
      }
    }
  }

  /// Nil for a stream without codec or SSRC.
  init?(_ parameters: RTPParameters) {
    guard let codec = parameters.codecs.first, let encoding = parameters.encodings.first, let ssrc = encoding.ssrc else {
      return nil
    }
    mid = parameters.mid
    kind = parameters.kind
    self.ssrc = ssrc
    self.codec = codec
    self.parameters = parameters
    counts = SendStatistics(ssrc: ssrc, clockRate: codec.clockRate)
    rtxSSRC = codec.rtxPayloadType == nil ? nil : encoding.rtxSSRC
    ids = RTPExtensionIDs(parameters.headerExtensions)
    // Two seconds of 5 Mbit/s are 1000 packets; of Opus 100.
    history = PacketHistory(
      parameters.kind == .video ? PacketHistory.Limits(capacity: 1024, packetSize: 1280) : PacketHistory.Limits(capacity: 128))
    switch PayloadFormat(name: codec.name) {
    case .h264:
      let mode = codec.parameters["packetization-mode"] == "1" ? H264Packetizer.Mode.nonInterleaved : .singleUnit
      packetizer = .h264(H264Packetizer(maximumPayloadSize: Self.payloadSize, mode: mode))
    case .vp8:
      packetizer = .vp8(VP8Packetizer(maximumPayloadSize: Self.payloadSize, pictureID: .random(in: 0...0x7fff)))
    default: packetizer = .whole
    }
  }

  /// Whether these describe the stream as it is sent already.
  func continues(_ other: RTPParameters) -> Bool {
    other.codecs.first == codec && other.encodings.first == parameters.encodings.first
      && other.headerExtensions == parameters.headerExtensions
  }

  /// Its own, and that of its repairs.
  var ssrcs: [SSRC] { [ssrc] + (rtxSSRC.map { [$0] } ?? []) }

  func packets(for frame: EncodedFrame, level: AudioLevel?, now: Instant) -> [OutgoingPacket] {
    let payloads = packetizer.payloads(of: frame)
    let timestamp = frame.timestamp &+ timestampOffset
    var packets: [OutgoingPacket] = []
    packets.reserveCapacity(payloads.count)
    for (index, payload) in payloads.enumerated() {
      // Video marks a frame's last packet; Opus a talk spurt's first, which nothing here knows of.
      let marker = kind == .video && index == payloads.count - 1
      let number = sequence
      let packet = packet(payload, timestamp: timestamp, marker: marker, level: level, now: now)
      packet.bytes.withUnsafeBytes { bytes in
        history.store(UnsafeRawBufferPointer(rebasing: bytes[..<packet.length]), sequenceNumber: number, now: now)
      }
      packets.append(packet)
    }
    guard !packets.isEmpty else { return [] }
    statistics.frames += 1
    return packets
  }

  private func packet(_ payload: [UInt8], timestamp: UInt32, marker: Bool, level: AudioLevel?, now: Instant) -> OutgoingPacket {
    let number = sequence
    sequence &+= 1
    var absSendTime = 0
    var transportSequence = 0
    var length = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: 80 + payload.count + OutgoingPacket.tagRoom) { memory, count in
      let buffer = UnsafeMutableRawBufferPointer(memory)
      var writer = RTPHeaderWriter(
        buffer, payloadType: codec.payloadType, sequenceNumber: number, timestamp: timestamp, ssrc: ssrc, marker: marker)
      Array(mid.rawValue.utf8).withUnsafeBytes { writer.append(id: ids.mid, bytes: $0) }
      writer.append(id: ids.absSendTime, absSendTime: AbsSendTime(rawValue: 0))
      writer.append(id: ids.transportSequence, transportSequence: 0)
      if kind == .audio { writer.append(id: ids.audioLevel, audioLevel: level ?? AudioLevel(level: 127, voice: false)) }
      let header = writer.finish()
      payload.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[header...]).copyMemory(from: $0) }
      absSendTime = writer.absSendTimeOffset
      transportSequence = writer.transportSequenceOffset
      length = header + payload.count
      count = length + OutgoingPacket.tagRoom
      UnsafeMutableRawBufferPointer(rebasing: buffer[length..<count]).initializeMemory(as: UInt8.self, repeating: 0)
    }
    statistics.packets += 1
    statistics.bytes += UInt64(payload.count)
    counts.send(timestamp: timestamp, payloadLength: payload.count, now: now)
    return OutgoingPacket(
      bytes: bytes, length: length, absSendTimeOffset: absSendTime, transportSequenceOffset: transportSequence,
      urgency: kind == .audio ? .audio : .video)
  }

  /// The packet again, as RTX; nil if it is no longer known, was sent again just now, or RTX was not agreed: sealing other
  /// bytes under a number that was used before would break GCM.
  func repair(_ sequenceNumber: UInt16, roundTrip: Int64?, now: Instant) -> OutgoingPacket? {
    statistics.nacks += 1
    guard let rtxSSRC, let payloadType = codec.rtxPayloadType else { return nil }
    // Asked for twice within a round trip, it is on its way already.
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
    }
    guard length > 0 else { return nil }
    rtxSequence &+= 1
    statistics.retransmitted += 1
    // The header keeps its layout, so what is patched on leaving lies where it lay.
    let extensions = RTPExtensions(packet: original, header: header)
    return OutgoingPacket(
      bytes: bytes, length: length, absSendTimeOffset: extensions.range(of: ids.absSendTime)?.lowerBound ?? 0,
      transportSequenceOffset: extensions.range(of: ids.transportSequence)?.lowerBound ?? 0, urgency: .repair)
  }

  /// What a sender report says now; nil before the first packet.
  func report(now: Instant) -> SenderInformation? { counts.report(now: now, ntpTime: NTPTime(now)) }

  /// Takes what a report says of the stream; gives the round trip in microseconds where it tells it.
  func take(_ block: ReportBlock, now: Instant) -> Int64? {
    statistics.packetsLost = Int64(block.cumulativeLost)
    statistics.fractionLost = Double(block.fractionLost) / 256
    statistics.jitter = Int64(block.jitter) * 1_000_000 / Int64(max(1, codec.clockRate))
    let roundTrip = RoundTripTime.microseconds(of: block, now: NTPTime(now))
    if let roundTrip { statistics.roundTripTime = roundTrip }
    return roundTrip
  }

  func keyFrameRequested() { statistics.keyFrameRequests += 1 }

  /// False for a FIR that repeats the one before (RFC 5104 §4.3.1.1).
  func isNewRequest(_ entry: FullIntraRequest.Entry) -> Bool {
    defer { firSequence = entry.sequenceNumber }
    return firSequence != entry.sequenceNumber
  }
}

extension RTPExtensionIDs {
  /// The ids that a description agreed on.
  init(_ agreed: [RTPHeaderExtension: UInt8]) {
    self.init(
      mid: agreed[.mid] ?? 0, rid: agreed[.rid] ?? 0, repairedRid: agreed[.repairedRid] ?? 0,
      absSendTime: agreed[.absSendTime] ?? 0, transportSequence: agreed[.transportSequence] ?? 0,
      audioLevel: agreed[.audioLevel] ?? 0)
  }
}
