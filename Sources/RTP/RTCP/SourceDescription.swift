/// Source descriptions (RFC 3550 §6.5), read in place: a sequence of the CNAMEs.
public struct SourceDescription: Sequence {
  /// The canonical name of one source.
  public struct CanonicalName {
    /// The source with this name.
    public let ssrc: SSRC
    /// The bytes of the text, 0 … 255.
    public let name: UnsafeRawBufferPointer
  }

  private let body: UnsafeRawBufferPointer
  private let count: Int

  init?(body: UnsafeRawBufferPointer, count: Int) {
    self.body = body
    self.count = count
    // Every chunk must be complete, so that the iterator needs no checks.
    var iterator = Iterator(body: body, left: count)
    while iterator.left > 0 {
      if iterator.nextChunk() == nil { return nil }
    }
  }

  public func makeIterator() -> Iterator { Iterator(body: body, left: count) }

  /// Iterates over the chunks that have a CNAME.
  public struct Iterator: IteratorProtocol {
    private let body: UnsafeRawBufferPointer
    fileprivate var left: Int
    private var position = 0

    fileprivate init(body: UnsafeRawBufferPointer, left: Int) {
      self.body = body
      self.left = left
    }

    public mutating func next() -> CanonicalName? {
      while left > 0 {
        guard let chunk = nextChunk() else { return nil }
        if let name = chunk.name { return CanonicalName(ssrc: chunk.ssrc, name: name) }
      }
      return nil
    }

    /// Reads one chunk; nil if it is incomplete.
    fileprivate mutating func nextChunk() -> (ssrc: SSRC, name: UnsafeRawBufferPointer?)? {
      left -= 1
      guard let base = body.baseAddress, position + 4 <= body.count else {
        left = 0
        return nil
      }
      let ssrc = base.loadSSRC(position)
      var name: UnsafeRawBufferPointer?
      position += 4
      while position < body.count {
        let type = base.load8(position)
        if type == 0 {
          // The end of the list, then zeros up to a multiple of four bytes.
          position = (position + 4) & ~3
          return position <= body.count ? (ssrc, name) : nil
        }
        guard position + 2 <= body.count else { break }
        let length = Int(base.load8(position + 1))
        guard position + 2 + length <= body.count else { break }
        if type == 1, name == nil { name = UnsafeRawBufferPointer(start: base + position + 2, count: length) }
        position += 2 + length
      }
      left = 0
      return nil
    }
  }
}

extension RTCPWriter {
  /// Writes the CNAME of one source, truncated to 255 bytes. Returns false if there is no room.
  @discardableResult
  public mutating func sourceDescription(ssrc: SSRC, canonicalName: UnsafeRawBufferPointer) -> Bool {
    let count = min(255, canonicalName.count)
    let bodyLength = (4 + 2 + count + 1 + 3) & ~3
    guard let place = begin(type: RTCPType.sourceDescription, format: 1, bodyLength: bodyLength) else { return false }
    UnsafeMutableRawBufferPointer(start: place, count: bodyLength).initializeMemory(as: UInt8.self, repeating: 0)
    place.storeSSRC(ssrc, 0)
    place.store8(1, 4)
    place.store8(UInt8(truncatingIfNeeded: count), 5)
    if let source = canonicalName.baseAddress { (place + 6).copyMemory(from: source, byteCount: count) }
    return true
  }

  /// Writes the CNAME of one source, given as a string.
  @discardableResult
  public mutating func sourceDescription(ssrc: SSRC, canonicalName: String) -> Bool {
    var name = canonicalName
    return name.withUTF8 { sourceDescription(ssrc: ssrc, canonicalName: UnsafeRawBufferPointer($0)) }
  }
}
