/// A BYE (RFC 3550 §6.6), read in place: a collection of the leaving sources.
public struct Goodbye: RandomAccessCollection {
  private let body: UnsafeRawBufferPointer
  public let endIndex: Int

  init?(body: UnsafeRawBufferPointer, count: Int) {
    guard body.count >= 4 * count else { return nil }
    self.body = body
    endIndex = count
  }

  public var startIndex: Int { 0 }

  public subscript(position: Int) -> SSRC {
    guard let base = body.baseAddress, indices.contains(position) else { return 0 }
    return base.loadSSRC(4 * position)
  }
}

extension RTCPWriter {
  /// Announces that one source leaves. Returns false if there is no room.
  @discardableResult
  public mutating func goodbye(ssrc: SSRC) -> Bool {
    guard let place = begin(type: RTCPType.goodbye, format: 1, bodyLength: 4) else { return false }
    place.storeSSRC(ssrc, 0)
    return true
  }
}
