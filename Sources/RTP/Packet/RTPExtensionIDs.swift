/// The negotiated ids of the supported header extensions; 0 is "not negotiated".
public struct RTPExtensionIDs: Hashable, Sendable {
  /// urn:ietf:params:rtp-hdrext:sdes:mid (RFC 9143).
  public var mid: UInt8
  /// urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id (RFC 8852).
  public var rid: UInt8
  /// urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id (RFC 8852).
  public var repairedRid: UInt8
  /// http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time.
  public var absSendTime: UInt8
  /// draft-holmer-rmcat-transport-wide-cc-extensions-01.
  public var transportSequence: UInt8
  /// urn:ietf:params:rtp-hdrext:ssrc-audio-level (RFC 6464).
  public var audioLevel: UInt8
  /// http://www.webrtc.org/experiments/rtp-hdrext/playout-delay.
  public var playoutDelay: UInt8
  /// The dependency descriptor (RTP Payload Format for AV1, appendix A).
  public var dependencyDescriptor: UInt8

  /// Creates the ids; omitted extensions are not negotiated.
  @inlinable public init(
    mid: UInt8 = 0, rid: UInt8 = 0, repairedRid: UInt8 = 0, absSendTime: UInt8 = 0, transportSequence: UInt8 = 0,
    audioLevel: UInt8 = 0, playoutDelay: UInt8 = 0, dependencyDescriptor: UInt8 = 0
  ) {
    self.mid = mid
    self.rid = rid
    self.repairedRid = repairedRid
    self.absSendTime = absSendTime
    self.transportSequence = transportSequence
    self.audioLevel = audioLevel
    self.playoutDelay = playoutDelay
    self.dependencyDescriptor = dependencyDescriptor
  }
}

/// The values of all supported extensions of one packet, read in one pass and without allocation. Ranges are relative to the
/// first byte of the packet.
public struct RTPExtensionValues: Sendable {
  /// The range of the mid's text.
  public var mid: Range<Int>?
  /// The range of the rid's text.
  public var rid: Range<Int>?
  /// The range of the repaired rid's text.
  public var repairedRid: Range<Int>?
  /// The time at which the packet was sent.
  public var absSendTime: AbsSendTime?
  /// The transport-wide sequence number, to which feedback refers.
  public var transportSequence: UInt16?
  /// The audio level of the packet.
  public var audioLevel: AudioLevel?
  /// The range of the dependency descriptor; its length is at least ``DependencyDescriptor/minimumLength``.
  public var dependencyDescriptor: Range<Int>?

  /// Reads the extensions of `packet`, whose header is `header`. Values that are absent or have the wrong length are nil.
  @inlinable public init(packet: UnsafeRawBufferPointer, header: RTPHeader, ids: RTPExtensionIDs) {
    guard header.extensionLength > 0, let base = packet.baseAddress else { return }
    var elements = RTPExtensions(packet: packet, header: header).makeIterator()
    while let element = elements.next() {
      let start = element.range.lowerBound
      let count = element.range.count
      if element.id == ids.transportSequence {
        if count >= 2 { transportSequence = base.load16(start) }
      } else if element.id == ids.absSendTime {
        if count == 3 { absSendTime = AbsSendTime(rawValue: base.load24(start)) }
      } else if element.id == ids.audioLevel {
        if count >= 1 { audioLevel = AudioLevel(wire: base.load8(start)) }
      } else if element.id == ids.mid {
        mid = element.range
      } else if element.id == ids.rid {
        rid = element.range
      } else if element.id == ids.repairedRid {
        repairedRid = element.range
      } else if element.id == ids.dependencyDescriptor {
        if count >= DependencyDescriptor.minimumLength { dependencyDescriptor = element.range }
      }
    }
  }
}
