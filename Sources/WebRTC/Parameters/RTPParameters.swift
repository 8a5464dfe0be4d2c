import RoomRTP

/// The outcome of offer and answer for one m-line, independent of SDP. The negotiation, the media workers and the client share
/// this description of a stream.
public struct RTPParameters: Sendable, Hashable, Codable {
  public enum Kind: String, Sendable, Hashable, Codable { case audio, video }

  public var mid: Mid
  public var kind: Kind
  /// The codecs in order of preference; the first is the one sent.
  public var codecs: [RTPCodec]
  public var headerExtensions: [RTPHeaderExtension: UInt8]
  /// The encodings: one without simulcast, otherwise one per layer, in the order of the offer.
  public var encodings: [RTPEncoding]
  public var cname: String
  public var reducedSizeRTCP: Bool

  public init(
    mid: Mid, kind: Kind, codecs: [RTPCodec] = [], headerExtensions: [RTPHeaderExtension: UInt8] = [:],
    encodings: [RTPEncoding] = [], cname: String = "", reducedSizeRTCP: Bool = true
  ) {
    self.mid = mid
    self.kind = kind
    self.codecs = codecs
    self.headerExtensions = headerExtensions
    self.encodings = encodings
    self.cname = cname
    self.reducedSizeRTCP = reducedSizeRTCP
  }
}

/// A codec of an m-line with its payload type, and the payload types of its RTX (RFC 4588) and its RED (RFC 2198) if it has
/// them.
public struct RTPCodec: Sendable, Hashable, Codable {
  /// The name in lowercase: "opus", "vp8", "h264", "vp9", "av1".
  public var name: String
  public var payloadType: UInt8
  public var rtxPayloadType: UInt8?
  /// The payload type of packets that also carry copies of earlier ones, all in this codec; audio only.
  public var redPayloadType: UInt8?
  public var clockRate: UInt32
  public var channels: UInt8
  /// The parameters of `a=fmtp` as key–value pairs: "profile-level-id" → "42e01f".
  public var parameters: [String: String]
  public var feedback: RTCPFeedback

  public init(
    name: String, payloadType: UInt8, rtxPayloadType: UInt8? = nil, redPayloadType: UInt8? = nil, clockRate: UInt32,
    channels: UInt8 = 1, parameters: [String: String] = [:], feedback: RTCPFeedback = []
  ) {
    self.name = name
    self.payloadType = payloadType
    self.rtxPayloadType = rtxPayloadType
    self.redPayloadType = redPayloadType
    self.clockRate = clockRate
    self.channels = channels
    self.parameters = parameters
    self.feedback = feedback
  }
}

/// The feedback types in `a=rtcp-fb` of a payload type.
public struct RTCPFeedback: OptionSet, Sendable, Hashable, Codable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let nack = RTCPFeedback(rawValue: 1 << 0)
  public static let pli = RTCPFeedback(rawValue: 1 << 1)
  public static let fir = RTCPFeedback(rawValue: 1 << 2)
  public static let transportCC = RTCPFeedback(rawValue: 1 << 3)
  public static let remb = RTCPFeedback(rawValue: 1 << 4)
}

/// The supported header extensions (RFC 8285).
public enum RTPHeaderExtension: String, Sendable, Hashable, CaseIterable, Codable {
  case mid = "urn:ietf:params:rtp-hdrext:sdes:mid"
  case rid = "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"
  case repairedRid = "urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id"
  case absSendTime = "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
  case transportSequence = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
  case audioLevel = "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
  /// The limits of a video's delay at the receiver. Only this side sends it, so answers to a sender leave it out.
  case playoutDelay = "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"
  /// Of AV1 alone: other codecs have what it says in their payload, and layers of a simulcast have independent descriptors. Its
  /// m-lines also have `a=extmap-allow-mixed` (RFC 8285 §4.2), because long descriptors need the two-byte form.
  case dependencyDescriptor = "https://aomediacodec.github.io/av1-rtp-spec/#dependency-descriptor-rtp-header-extension"
}

public struct RTPEncoding: Sendable, Hashable, Codable {
  /// The SSRC; nil if the stream is identified only by `rid` or mid.
  public var ssrc: SSRC?
  public var rtxSSRC: SSRC?
  public var rid: Rid?

  public init(ssrc: SSRC? = nil, rtxSSRC: SSRC? = nil, rid: Rid? = nil) {
    self.ssrc = ssrc
    self.rtxSSRC = rtxSSRC
    self.rid = rid
  }
}
