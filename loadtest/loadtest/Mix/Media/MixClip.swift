import Foundation

/// Some seconds of H.264 and Opus that go round without a seam: what a source publishes.
struct MixClip: Sendable {
  /// What the clips look like.
  struct Settings: Sendable, Hashable {
    var width = 360
    var height = 640
    var fps = 24
    /// Video bits per second, in thousands.
    var kbps = 800
    /// Whole seconds; an even number, which key frames two seconds apart divide.
    var seconds = 10
  }

  /// One access unit in Annex B form.
  struct Picture: Sendable, Equatable {
    var data: [UInt8]
    var isKeyFrame: Bool
  }

  /// Opus packets a second.
  static let packetsPerSecond = 50

  let settings: Settings
  /// One round.
  let pictures: [Picture]
  /// One round, of 20 ms each.
  let packets: [[UInt8]]
  /// The same, for ffmpeg to read.
  let file: URL

  /// Takes what ffmpeg wrote.
  /// - Parameters:
  ///   - stream: H.264 in Annex B form, with access unit delimiters.
  ///   - ogg: Opus, in packets of 20 ms.
  init(_ settings: Settings, stream: [UInt8], ogg: [UInt8], file: URL) throws(FanoutError) {
    let pictures = AccessUnits.pictures(of: stream)
    let packets = OggPackets.packets(of: ogg).dropFirst(2)
    let wanted = (settings.seconds * settings.fps, settings.seconds * Self.packetsPerSecond)
    guard pictures.count >= wanted.0, packets.count >= wanted.1, pictures.first?.isKeyFrame == true else {
      throw .system("the clip has \(pictures.count) pictures and \(packets.count) packets of sound: too few")
    }
    self.settings = settings
    self.pictures = Array(pictures.prefix(wanted.0))
    self.packets = Array(packets.prefix(wanted.1))
    self.file = file
  }
}
