import RoomRTP

/// The routable codecs, each with the payload type used in local offers. A payload type identifies one codec in all local
/// bundles. The number is Chromium's customary number if there is one.
extension RTPCodec {
  private static let videoFeedback: RTCPFeedback = [.nack, .pli, .fir, .transportCC, .remb]

  /// Opus, 48 kHz, always "two channels" in SDP (RFC 7587 §7), with in-band FEC; RTX and RED for peers that support them for
  /// audio.
  public static let opus = RTPCodec(
    name: "opus", payloadType: 111, rtxPayloadType: 110, redPayloadType: 63, clockRate: 48000, channels: 2,
    parameters: ["minptime": "10", "useinbandfec": "1"], feedback: [.nack, .transportCC])

  public static let vp8 = RTPCodec(
    name: "vp8", payloadType: 96, rtxPayloadType: 97, clockRate: 90000, feedback: videoFeedback)

  /// `profile` 0…3.
  public static func vp9(profile: UInt8 = 0) -> RTPCodec {
    let types: (UInt8, UInt8) = [(98, 99), (35, 36), (100, 101), (37, 38)][Int(profile & 3)]
    return RTPCodec(
      name: "vp9", payloadType: types.0, rtxPayloadType: types.1, clockRate: 90000,
      parameters: ["profile-id": "\(profile & 3)"], feedback: videoFeedback)
  }

  /// `profile` 0 (main) or 1 (high).
  public static func av1(profile: UInt8 = 0) -> RTPCodec {
    RTPCodec(
      name: "av1", payloadType: profile == 0 ? 45 : 47, rtxPayloadType: profile == 0 ? 46 : 48, clockRate: 90000,
      parameters: ["level-idx": "5", "profile": profile == 0 ? "0" : "1", "tier": "0"], feedback: videoFeedback)
  }

  /// H.264 with a profile, where each side may choose its own level.
  /// - Parameters:
  ///   - packetizationMode: 0 (single NAL units) or 1.
  ///   - level: the level of the stream. Lower levels are announced as 3.1, which every WebRTC decoder supports.
  public static func h264(
    _ profile: H264Profile = .constrainedBaseline, packetizationMode: UInt8 = 1, level: H264Level = .level31
  ) -> RTPCodec {
    let first: UInt8 =
      switch profile {
      case .baseline: 102
      case .constrainedBaseline: 106
      case .constrainedHigh: 112
      case .high: 116
      case .main: 122
      }
    let type = first + (packetizationMode == 0 ? 2 : 0)
    return RTPCodec(
      name: "h264", payloadType: type, rtxPayloadType: type + 1, clockRate: 90000,
      parameters: [
        "level-asymmetry-allowed": "1", "packetization-mode": packetizationMode == 0 ? "0" : "1",
        "profile-level-id": profile.profileLevelID(at: max(level, .level31)),
      ], feedback: videoFeedback)
  }

  /// The profile of an H.264 codec; nil for other codecs and for unrecognised profiles. Without `profile-level-id` it is
  /// Baseline (RFC 6184 §8.1).
  public var h264Profile: H264Profile? {
    guard name == "h264" else { return nil }
    return parameters["profile-level-id"].map { H264Profile(profileLevelID: $0) } ?? .baseline
  }

  /// The level of an H.264 codec; nil for other codecs, without `profile-level-id`, and for a nonexistent level.
  public var h264Level: H264Level? {
    guard name == "h264", let id = parameters["profile-level-id"], id.utf8.count == 6 else { return nil }
    return UInt8(id.suffix(2), radix: 16).flatMap { H264Level(idc: $0) }
  }

  /// Returns this codec at a level of H.264; unchanged if it is another codec or its profile is not routable.
  func at(_ level: H264Level?) -> RTPCodec {
    guard let level, let profile = h264Profile else { return self }
    var codec = self
    codec.parameters["profile-level-id"] = profile.profileLevelID(at: max(level, .level31))
    return codec
  }

  /// The packetization mode; 0 if the parameter is absent (RFC 6184 §8.1).
  public var packetizationMode: UInt8 { parameters["packetization-mode"].flatMap(UInt8.init) ?? 0 }

  /// This codec as local offers describe it, H.264 at level 3.1; nil if it is not routable.
  public var canonical: RTPCodec? {
    switch (name, clockRate) {
    case ("opus", 48000): return .opus
    case ("vp8", 90000): return .vp8
    case ("vp9", 90000):
      guard let profile = UInt8(parameters["profile-id"] ?? "0"), profile < 4 else { return nil }
      return .vp9(profile: profile)
    case ("av1", 90000):
      guard let profile = UInt8(parameters["profile"] ?? "0"), profile < 2 else { return nil }
      return .av1(profile: profile)
    case ("h264", 90000):
      guard let profile = h264Profile, packetizationMode < 2 else { return nil }
      return .h264(profile, packetizationMode: packetizationMode)
    default: return nil
    }
  }

  /// Returns whether both describe the same stream format: same codec, profile and packetization mode. Ignores payload types,
  /// levels, RTX and RED.
  public func matches(_ other: RTPCodec) -> Bool {
    guard let mine = canonical, let theirs = other.canonical else { return false }
    return mine.payloadType == theirs.payloadType
  }

  /// The codecs under which a stream of this codec is offered to a receiver, the true one first.
  ///
  /// For H.264, the true profile is followed by those that real decoders announce although they also decode the stream:
  /// browsers without hardware decoders announce Main or Constrained Baseline and decode High. Each is offered at the level of
  /// the stream.
  public var offeredForms: [RTPCodec] {
    guard let own = canonical else { return [] }
    guard let profile = h264Profile else { return [own] }
    let forms: [H264Profile] =
      switch profile {
      case .constrainedBaseline: [.constrainedBaseline, .baseline]
      case .baseline: [.baseline, .constrainedBaseline]
      case .main: [.main, .constrainedBaseline]
      case .constrainedHigh, .high: [.constrainedHigh, .high, .main, .constrainedBaseline]
      }
    return forms.map { .h264($0, packetizationMode: packetizationMode, level: h264Level ?? .level31) }
  }

  /// The name in SDP.
  var sdpName: String { name == "opus" ? name : name.uppercased() }
}

extension RTPHeaderExtension {
  /// The id of the extension in local offers.
  public var canonicalID: UInt8 {
    switch self {
    case .audioLevel: 1
    case .absSendTime: 2
    case .transportSequence: 3
    case .mid: 4
    case .playoutDelay: 5
    case .rid: 10
    case .repairedRid: 11
    case .dependencyDescriptor: 13
    }
  }
}
