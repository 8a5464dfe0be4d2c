/// A FIR (RFC 5104 §4.3.1), read in place: a collection of the streams that must send a key frame.
public struct FullIntraRequest: RandomAccessCollection {
  static let format: UInt8 = 4

  /// The request to one stream.
  public struct Entry: Equatable, Sendable {
    /// The stream that must send a key frame.
    public let media: SSRC
    /// The request counter: the same number again is a repetition, not a new request.
    public let sequenceNumber: UInt8
  }

  /// The SSRC of the requester.
  public let sender: SSRC
  private let entries: UnsafeRawBufferPointer

  init?(body: UnsafeRawBufferPointer) {
    guard body.count >= 16, body.count % 8 == 0, let base = body.baseAddress else { return nil }
    sender = base.loadSSRC(0)
    entries = body.part(from: 8)
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { entries.count / 8 }

  public subscript(position: Int) -> Entry {
    guard let base = entries.baseAddress, indices.contains(position) else { return Entry(media: 0, sequenceNumber: 0) }
    return Entry(media: base.loadSSRC(8 * position), sequenceNumber: base.load8(8 * position + 4))
  }
}

extension RTCPWriter {
  /// Requests a key frame from one stream; a new request needs a new `sequenceNumber`. Returns false if there is no room.
  @discardableResult
  public mutating func fullIntraRequest(sender: SSRC, media: SSRC, sequenceNumber: UInt8) -> Bool {
    guard let place = begin(type: RTCPType.payloadSpecificFeedback, format: FullIntraRequest.format, bodyLength: 16) else {
      return false
    }
    place.storeSSRC(sender, 0)
    place.store32(0, 4)
    place.storeSSRC(media, 8)
    place.store32(UInt32(sequenceNumber) << 24, 12)
    return true
  }
}
