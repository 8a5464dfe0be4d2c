public import RoomRTMP

extension VideoTag.Codec {
  /// Whether HLS carries the codec.
  var isInHLS: Bool {
    switch self {
    case .avc, .other(12), .fourCC(.avc), .fourCC(.hevc), .fourCC(.av1), .fourCC(.vp9): true
    case .other, .fourCC: false
    }
  }

  /// The name of the codec, for people.
  public var title: String {
    switch self {
    case .avc, .fourCC(.avc): "H.264"
    case .other(2): "Sorenson H.263"
    case .other(3), .other(6): "Screen video"
    case .other(4), .other(5): "VP6"
    case .other(12), .fourCC(.hevc): "HEVC"
    case .other(let number): "FLV codec \(number)"
    case .fourCC(.av1): "AV1"
    case .fourCC(.vp9): "VP9"
    case .fourCC(.vp8): "VP8"
    case .fourCC(.vvc): "VVC"
    case .fourCC(let code): "\(code)"
    }
  }
}
