import ArgumentParser
import RoomServer

/// HLS and variants of the live origin.
struct HLSOptions: ParsableArguments {
  @Option(help: .setting("hls-segment")) var hlsSegment: Double?
  @Option(help: .setting("hls-part")) var hlsPart: Double?
  @Option(help: .setting("hls-window")) var hlsWindow: Int?
  @Option(help: .setting("variants")) var variants: UInt16?
  @Option(help: .setting("hls-bytes")) var hlsBytes: Int?
  @Option(help: .setting("hls-streams")) var hlsStreams: Int?
  @Option(help: .setting("hls-waiting")) var hlsWaiting: Int?
  @Option(help: .setting("hls-idle-time")) var hlsIdleTime: Int?
  @Option(help: .setting("hls-first-segment-time")) var hlsFirstSegmentTime: Int?
  @Option(help: .setting("variant-idle-time")) var variantIdleTime: Int?

  /// Applies the options to a configuration.
  func apply(to configuration: inout ServerConfiguration, _ settings: ServeSettings) throws {
    try applyNumbers(to: &configuration, settings)
    var cutting = configuration.origin.hls.cutting
    if let seconds = try settings.decimal("hls-segment", hlsSegment) {
      cutting.segmentLength = Self.milliseconds(seconds)
      cutting.longestSegment = max(cutting.longestSegment, cutting.segmentLength)
      cutting.partLength = cutting.partLength.map { min($0, cutting.segmentLength) }
    }
    if let seconds = try settings.decimal("hls-part", hlsPart) {
      cutting.partLength = seconds == 0 ? nil : Self.milliseconds(seconds)
    }
    cutting.window = try settings.number("hls-window", hlsWindow) ?? cutting.window
    if let validationError = cutting.validationError { throw ValidationError("HLS: \(validationError)") }
    configuration.origin.hls.cutting = cutting
    configuration.origin.variants.limit = try settings.number("variants", variants).map(Int.init)
  }

  /// A number that does not fit becomes one that fails validation.
  private static func milliseconds(_ seconds: Double) -> Int64 {
    (0...1_000_000).contains(seconds) ? Int64((seconds * 1000).rounded()) : -1
  }
}
