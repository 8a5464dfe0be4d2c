/// One RTCP packet from a compound. The packet's values are views into the memory of the compound.
public enum RTCPPacket {
  case senderReport(SenderReport)
  case receiverReport(ReceiverReport)
  case sourceDescription(SourceDescription)
  case goodbye(Goodbye)
  case nack(NegativeAcknowledgement)
  case pictureLoss(PictureLossIndication)
  case fullIntraRequest(FullIntraRequest)
  case transportFeedback(TransportFeedback)
  case bitrateEstimate(ReceiverEstimatedMaximumBitrate)
  /// A packet of an unsupported type, with its type and its count or format field.
  case unknown(type: UInt8, format: UInt8)
  /// A packet of a supported type whose contents are inconsistent with its length.
  case malformed(type: UInt8, format: UInt8)
}

/// The supported packet types of RTCP (RFC 3550 §12.1, RFC 4585 §6.1).
enum RTCPType {
  static let senderReport: UInt8 = 200
  static let receiverReport: UInt8 = 201
  static let sourceDescription: UInt8 = 202
  static let goodbye: UInt8 = 203
  static let transportLayerFeedback: UInt8 = 205
  static let payloadSpecificFeedback: UInt8 = 206
}

/// Iterates over a compound RTCP packet (RFC 3550 §6.1, also reduced size: RFC 5506) without allocation.
///
///     var reader = RTCPReader(bytes)
///     while let packet = reader.next() { … }
///     if reader.isMalformed { … }
public struct RTCPReader: Sequence, IteratorProtocol {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0
  /// Whether the reader stopped at bytes that are not an RTCP packet. The packets before them are valid.
  public private(set) var isMalformed = false

  /// Creates a reader that reads in place: `bytes` must outlive it and the packets that it returns.
  public init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Returns the next packet; nil at the end, or if the following bytes are not an RTCP packet.
  public mutating func next() -> RTCPPacket? {
    guard position < bytes.count, !isMalformed, let base = bytes.baseAddress else { return nil }
    let left = bytes.count - position
    guard left >= 4, base.load8(position) >> 6 == 2 else {
      isMalformed = true
      return nil
    }
    let first = base.load8(position)
    let type = base.load8(position + 1)
    let length = 4 * (Int(base.load16(position + 2)) + 1)
    guard length <= left else {
      isMalformed = true
      return nil
    }
    var bodyLength = length - 4
    if first & 0x20 != 0 {
      let padding = Int(base.load8(position + length - 1))
      guard padding > 0, padding <= bodyLength else {
        isMalformed = true
        return nil
      }
      bodyLength -= padding
    }
    let body = bytes.part(position + 4, bodyLength)
    position += length
    let format = first & 0x1f
    return Self.parse(type: type, format: format, body: body) ?? .malformed(type: type, format: format)
  }

  private static func parse(type: UInt8, format: UInt8, body: UnsafeRawBufferPointer) -> RTCPPacket? {
    let count = Int(format)
    switch (type, format) {
    case (RTCPType.senderReport, _):
      return SenderReport(body: body, count: count).map { .senderReport($0) }
    case (RTCPType.receiverReport, _):
      return ReceiverReport(body: body, count: count).map { .receiverReport($0) }
    case (RTCPType.sourceDescription, _):
      return SourceDescription(body: body, count: count).map { .sourceDescription($0) }
    case (RTCPType.goodbye, _):
      return Goodbye(body: body, count: count).map { .goodbye($0) }
    case (RTCPType.transportLayerFeedback, NegativeAcknowledgement.format):
      return NegativeAcknowledgement(body: body).map { .nack($0) }
    case (RTCPType.transportLayerFeedback, TransportFeedback.format):
      return TransportFeedback(body: body).map { .transportFeedback($0) }
    case (RTCPType.payloadSpecificFeedback, PictureLossIndication.format):
      return PictureLossIndication(body: body).map { .pictureLoss($0) }
    case (RTCPType.payloadSpecificFeedback, FullIntraRequest.format):
      return FullIntraRequest(body: body).map { .fullIntraRequest($0) }
    case (RTCPType.payloadSpecificFeedback, ReceiverEstimatedMaximumBitrate.format):
      guard body.count >= 12, body.baseAddress?.load32(8) == ReceiverEstimatedMaximumBitrate.identifier else {
        return .unknown(type: type, format: format)
      }
      return ReceiverEstimatedMaximumBitrate(body: body).map { .bitrateEstimate($0) }
    default:
      return .unknown(type: type, format: format)
    }
  }
}
