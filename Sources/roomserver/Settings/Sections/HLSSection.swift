import RoomLiveOrigin

/// HLS and variants of the live origin.
enum HLSSection: SettingSection {
  static let title = "HLS and variants"
  static let settings: [Setting] = [
    .decimal(
      "hls-segment", "seconds", at: \.server.origin.hls.cutting.segmentSeconds,
      "The minimum length of an HLS segment in seconds; it ends at the next key frame"),
    .decimal(
      "hls-part", "seconds", at: \.server.origin.hls.cutting.partSeconds,
      "The maximum length of a low-latency HLS part in seconds; 0 for no parts"),
    .count("hls-window", 3...100, at: \.server.origin.hls.cutting.window, unit: "segments", "Segments in an HLS playlist"),
    .bytes(
      "hls-bytes", 1_048_576...1_073_741_824, at: \.server.origin.hls.cutting.bytes, "Bytes of HLS segments that a stream keeps"
    ),
    .count("hls-streams", 0...100_000, at: \.server.origin.hls.streams, "Streams that are served by HLS at once"),
    .count("hls-waiting", 1...1_000_000, at: \.server.origin.hls.waiting, "HLS requests that wait for one stream"),
    .count(
      "hls-waiting-total", 1...1_000_000, at: \.server.origin.hls.waitingTotal, default: "half of the HTTP connections",
      "HLS requests that wait, of all streams"),
    .count(
      "hls-variants", 0...6, at: \.server.origin.hls.variants, "Smaller variants in the multivariant playlist of a stream"),
    .time(
      "hls-idle-time", 5...3600, .seconds, at: \.server.origin.hls.idleTime,
      "Seconds for which a stream is segmented for HLS after the last request"),
    .time(
      "hls-first-segment-time", 1...120, .seconds, at: \.server.origin.hls.firstSegmentTime,
      "Seconds for which the first HLS request of a stream waits for a segment"),
    .count(
      "variants", 0...65_535, at: \.server.origin.variants.limit, default: "half of the cores",
      "Variants of live streams that are transcoded at a time; 0 for none"),
    .time(
      "variant-idle-time", 1...3600, .seconds, at: \.server.origin.variants.idleTime,
      "Seconds for which a variant continues after its last viewer has left"),
  ]
}

extension HLSSettings {
  /// The segment length in seconds. A longer one extends the maximum, a shorter one shortens the parts.
  fileprivate var segmentSeconds: Double {
    get { Double(segmentLength) / 1000 }
    set {
      segmentLength = Self.milliseconds(newValue)
      longestSegment = max(longestSegment, segmentLength)
      partLength = partLength.map { min($0, segmentLength) }
    }
  }

  /// The part length in seconds; 0 for no parts.
  fileprivate var partSeconds: Double {
    get { Double(partLength ?? 0) / 1000 }
    set { partLength = newValue == 0 ? nil : Self.milliseconds(newValue) }
  }

  /// A number that does not fit becomes one that fails validation.
  private static func milliseconds(_ seconds: Double) -> Int64 { Int64(exactly: (seconds * 1000).rounded()) ?? -1 }
}
