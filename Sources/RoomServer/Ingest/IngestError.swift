/// Why a room rejects a published stream, in a sentence for the person who configured the encoder.
enum IngestError: Error, Sendable, Hashable, CustomStringConvertible {
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
    case .videoCodec(let name): "the video is \(name), and a room accepts only H.264: choose H.264 (x264, AVC) in the encoder"
    case .audioCodec(let name): "the audio is \(name), and a room accepts only AAC: choose AAC in the encoder"
    case .reordered: "the video has B-frames, which browsers can't show: set B-frames to 0 (ffmpeg: -bf 0)"
    case .profile(let id):
      "browsers can't decode H.264 profile \(id): choose baseline, main or high with 4:2:0 and 8 bits (yuv420p)"
    case .profileChanged: "the H.264 profile changed while live: stop the stream and publish again"
    case .audio(let reason): "the audio can't be decoded: \(reason)"
    case .malformedHeader(let codec): "the \(codec) sequence header is invalid"
    case .stopping: "the server is stopping"
    }
  }
}
