/// Why a room rejects a published stream, in a sentence for the person who configured the encoder.
enum IngestError: Error, Sendable, Hashable, CustomStringConvertible {
  case videoCodec(String)
  case audioCodec(String)
  /// Pictures that browsers can't decode, and the reason for which the server does not transcode them.
  case transcoding(IngestVideo.Reason, String)
  /// An unsupported profile; profile and level of the sequence header, in hexadecimal.
  case profile(String)
  /// An error of the audio codec's library.
  case audio(String)
  case malformedHeader(String)
  case stopping

  var description: String {
    switch self {
    case .videoCodec(let name): "the video is \(name), which the server can't decode: choose H.264 (x264, AVC) in the encoder"
    case .audioCodec(let name): "the audio is \(name), which the server can't decode: choose AAC or Opus in the encoder"
    case .transcoding(let source, let reason):
      "the video is \(source), and can't be transcoded: \(reason). Choose H.264 main or high without B-frames (ffmpeg: -bf 0)"
    case .profile(let id):
      "browsers can't decode H.264 profile \(id): choose baseline, main or high with 4:2:0 and 8 bits (yuv420p)"
    case .audio(let reason): "the audio can't be decoded: \(reason)"
    case .malformedHeader(let codec): "the \(codec) sequence header is invalid"
    case .stopping: "the server is stopping"
    }
  }
}
