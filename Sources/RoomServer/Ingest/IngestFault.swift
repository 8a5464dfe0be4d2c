/// Why a published stream can't go on in a room, in words for who set up the encoder.
enum IngestFault: Error, Sendable, Hashable, CustomStringConvertible {
  case videoCodec(String)
  case audioCodec(String)
  /// Pictures are shown in another order than they are sent in, which WebRTC has no way to say.
  case reordered
  /// Profile and level of a sequence header, in hexadecimal.
  case profile(String)
  case profileChanged
  /// What the codec's own library says.
  case audio(String)
  case malformedHeader(String)
  case stopping

  var description: String {
    switch self {
    case .videoCodec(let name): "the video is \(name), and a room takes H.264 only: choose H.264 (x264, AVC) in the encoder"
    case .audioCodec(let name): "the audio is \(name), and a room takes AAC only: choose AAC in the encoder"
    case .reordered: "the video has B-frames, which browsers can't show: set B-frames to 0 (ffmpeg: -bf 0)"
    case .profile(let id):
      "H.264 profile \(id) is not one that browsers decode: choose baseline, main or high with 4:2:0 and 8 bits (yuv420p)"
    case .profileChanged: "the H.264 profile changed while live: end the stream and publish anew"
    case .audio(let reason): "the audio can't be decoded: \(reason)"
    case .malformedHeader(let codec): "the \(codec) sequence header is broken"
    case .stopping: "the server is stopping"
    }
  }
}
