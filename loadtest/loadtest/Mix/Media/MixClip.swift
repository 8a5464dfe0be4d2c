import Foundation

/// Several seconds of H.264 and Opus that loop seamlessly. A source publishes one.
struct MixClip: Sendable {
  /// The clip's encoding settings.
  struct Settings: Sendable, Hashable {
    var width = 360
    var height = 640
    var fps = 24
    /// Video bitrate, in kbps.
    var kbps = 800
    /// Duration in whole seconds; even, because key frames are two seconds apart.
    var seconds = 10
  }

  /// One access unit in Annex B form.
  struct Picture: Sendable, Equatable {
    var data: [UInt8]
    var isKeyFrame: Bool
  }

  /// Opus packets per second.
  static let packetsPerSecond = 50

  let settings: Settings
  /// The pictures of one loop.
  let pictures: [Picture]
  /// The packets of one loop, 20 ms each.
  let packets: [[UInt8]]
  /// The same media as a file for ffmpeg.
  let file: URL

  /// Parses ffmpeg's output.
  /// - Parameters:
  ///   - stream: H.264 in Annex B form, with access unit delimiters.
  ///   - ogg: Opus in 20 ms packets.
  init(_ settings: Settings, stream: [UInt8], ogg: [UInt8], file: URL) throws(LoadtestError) {
    let pictures = AccessUnits.pictures(of: stream)
    let packets = OggPackets.packets(of: ogg).dropFirst(2)
    let wanted = (settings.seconds * settings.fps, settings.seconds * Self.packetsPerSecond)
    guard pictures.count >= wanted.0, packets.count >= wanted.1, pictures.first?.isKeyFrame == true else {
      throw .system("the clip has \(pictures.count) pictures and \(packets.count) audio packets: too few")
    }
    self.settings = settings
    self.pictures = Array(pictures.prefix(wanted.0))
    self.packets = Array(packets.prefix(wanted.1))
    self.file = file
  }
}
