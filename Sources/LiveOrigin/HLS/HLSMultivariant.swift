/// What a multivariant playlist says about a stream.
public struct HLSRendition: Sendable, Hashable {
  /// The codecs of video and audio (RFC 6381).
  var videoCodec: String?
  var audioCodec: String?
  /// The size in pixels; 0 without video.
  var width = 0
  var height = 0
  /// Pictures per second; 0 without video.
  var frameRate = 0.0
  /// The maximum bit rate of a segment, and the average, in bps.
  var peak = 0
  var average = 0
  /// The average bit rate of audio in bps.
  var sound = 0
  /// Whether each segment can be decoded without the previous one.
  var isIndependent = true
}

/// The multivariant playlist of a stream: the stream itself and smaller variants of it (RFC 8216bis §4.4.6).
public struct HLSMultivariant: Sendable {
  private let source: String
  private let rendition: HLSRendition
  private let variants: [StreamVariant]
  private let query: String

  /// - Parameters:
  ///   - source: The name of the stream.
  ///   - count: The maximum number of variants. A variant has none itself.
  ///   - query: The query appended to every URL, without the question mark.
  public init(_ source: String, _ rendition: HLSRendition, variants count: Int, query: String = "") {
    self.source = source
    self.rendition = rendition
    self.query = query
    variants =
      StreamVariant(source) != nil
      ? []
      : VariantLadder.variants(
        of: source, width: rendition.width, height: rendition.height, frameRate: rendition.frameRate,
        // A stream of few bits, such as one of slides, needs no variants: they would need more.
        bitrate: rendition.average * 7 / 10 - rendition.sound, count: count
      ).filter { Self.peak($0, rendition) < rendition.peak }
  }

  /// The complete playlist. The stream itself is first, so players that do not measure their network begin with it.
  public var text: String {
    var text = "#EXTM3U\n#EXT-X-VERSION:6\n"
    if rendition.isIndependent { text += "#EXT-X-INDEPENDENT-SEGMENTS\n" }
    text += line(rendition, name: source)
    for variant in variants {
      var smaller = rendition
      (smaller.width, smaller.height) = (variant.width, variant.height)
      smaller.frameRate = min(rendition.frameRate, Double(variant.frameRate))
      smaller.videoCodec = VariantTranscoder.codecName(variant)
      let bitrate = VariantTranscoder.bitrate(variant)
      smaller.average = bitrate + rendition.sound
      smaller.peak = Self.peak(variant, rendition)
      text += line(smaller, name: variant.name)
    }
    return text
  }

  /// Returns the maximum bit rate of a variant's segment. The encoder keeps its rate over seconds, not over each segment.
  private static func peak(_ variant: StreamVariant, _ rendition: HLSRendition) -> Int {
    VariantTranscoder.bitrate(variant) * 3 / 2 + rendition.sound
  }

  private func line(_ rendition: HLSRendition, name: String) -> String {
    var attributes = ["BANDWIDTH=\(max(1, rendition.peak))", "AVERAGE-BANDWIDTH=\(max(1, rendition.average))"]
    let codecs = [rendition.videoCodec, rendition.audioCodec].compactMap { $0 }
    if !codecs.isEmpty { attributes.append("CODECS=\"\(codecs.joined(separator: ","))\"") }
    if rendition.width > 0 {
      attributes.append("RESOLUTION=\(rendition.width)x\(rendition.height)")
      attributes.append("FRAME-RATE=\(HLSPlaylist.seconds(Int64((rendition.frameRate * 1000).rounded())))")
    }
    return "#EXT-X-STREAM-INF:\(attributes.joined(separator: ","))\n../\(name).m3u8\(query.isEmpty ? "" : "?\(query)")\n"
  }
}

extension HLSPackager {
  /// The stream's current form, measured over the segments in the playlist.
  public var rendition: HLSRendition {
    let current = window.listed.filter { $0.initialisation == initialisation }
    let measured = current.isEmpty ? window.listed : current
    let duration = max(1, measured.reduce(0) { $0 + $1.duration })
    func bits(_ bytes: Int, _ duration: Int64) -> Int { bytes * 8000 / Int(max(1, duration)) }
    return HLSRendition(
      videoCodec: tracks.video?.codecName, audioCodec: tracks.audio?.codecName, width: tracks.video?.width ?? 0,
      height: tracks.video?.height ?? 0,
      frameRate: Double(measured.reduce(0) { $0 + $1.pictures }) * 1000 / Double(duration),
      peak: measured.map { bits($0.bytes.count, $0.duration) }.max() ?? 0,
      average: bits(measured.reduce(0) { $0 + $1.bytes.count }, duration),
      sound: bits(measured.reduce(0) { $0 + $1.soundBytes }, duration), isIndependent: window.isIndependent)
  }
}
