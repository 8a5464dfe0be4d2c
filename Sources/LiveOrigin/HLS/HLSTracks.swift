import Codecs

/// A stream's picture and sound as MP4 has them, from the headers of FLV messages.
struct HLSTracks: Hashable {
  var video: FragmentedMP4.Track?
  var audio: FragmentedMP4.Track?

  var isEmpty: Bool { video == nil && audio == nil }
  /// In the order in which the muxer numbers them.
  var all: [FragmentedMP4.Track] { [video, audio].compactMap { $0 } }
  var videoIndex: Int? { video == nil ? nil : 0 }
  var audioIndex: Int? { audio == nil ? nil : video == nil ? 0 : 1 }
}
