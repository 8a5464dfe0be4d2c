/// Why a room rejects a published stream, in a sentence for the person who configured the encoder.
enum IngestFault: Error, Sendable, Hashable, CustomStringConvertible {
  case videoCodec(String)
  case audioCodec(String)
  /// Pictures are shown in another order than they are sent in, which WebRTC can't express.
  case reordered
  /// An unsupported profile; profile and level of the sequence header, in hexadecimal.
  case profile(String)
  case profileChanged
  /// An error of the audio codec's library.
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
