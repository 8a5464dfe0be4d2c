import RoomCodecs

/// A stream's video and audio tracks in MP4 terms, from the FLV sequence headers.
struct HLSTracks: Hashable {
  var video: FragmentedMP4.Track?
  var audio: FragmentedMP4.Track?

  var isEmpty: Bool { video == nil && audio == nil }
  /// The tracks in the muxer's order.
  var all: [FragmentedMP4.Track] { [video, audio].compactMap { $0 } }
  var videoIndex: Int? { video == nil ? nil : 0 }
  var audioIndex: Int? { audio == nil ? nil : video == nil ? 0 : 1 }
}
