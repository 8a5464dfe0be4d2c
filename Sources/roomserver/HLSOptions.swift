import ArgumentParser
import RoomServer

/// HLS and variants of the live origin; from flags or the environment.
struct HLSOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Seconds of an HLS segment: it ends with the first key frame from there on. Default 2.", valueName: "seconds"))
  var hlsSegment: Double?

  @Option(
    help: ArgumentHelp(
      "Seconds of a part of low-latency HLS at most; 0 for no parts. Default 0.5.", valueName: "seconds"))
  var hlsPart: Double?

  @Option(help: ArgumentHelp("Segments in an HLS playlist. Default 8.", valueName: "segments"))
  var hlsWindow: Int?

  @Option(
    help: ArgumentHelp(
      "Variants of live streams that are transcoded at a time; 0 for none. Default one a core.", valueName: "variants"))
  var variants: UInt16?

  /// Fills in this part of a configuration.
  func apply(to configuration: inout ServerConfiguration, _ environment: ServeEnvironment) throws {
    var cutting = configuration.origin.hls.cutting
    if let seconds = try hlsSegment ?? environment.decimal("HLS_SEGMENT") {
      cutting.segmentLength = Self.milliseconds(seconds)
      cutting.longestSegment = max(cutting.longestSegment, cutting.segmentLength)
      cutting.partLength = cutting.partLength.map { min($0, cutting.segmentLength) }
    }
    if let seconds = try hlsPart ?? environment.decimal("HLS_PART") {
      cutting.partLength = seconds == 0 ? nil : Self.milliseconds(seconds)
    }
    cutting.window = try hlsWindow ?? environment.number("HLS_WINDOW") ?? cutting.window
    if let complaint = cutting.complaint { throw ValidationError("HLS: \(complaint)") }
    configuration.origin.hls.cutting = cutting
    let limit: UInt16? = try variants ?? environment.number("VARIANTS")
    configuration.origin.variants.limit = limit.map(Int.init)
  }

  /// What is no number that fits becomes one that is refused.
  private static func milliseconds(_ seconds: Double) -> Int64 {
    (0...1_000_000).contains(seconds) ? Int64((seconds * 1000).rounded()) : -1
  }
}

extension ServeEnvironment {
  fileprivate func decimal(_ name: String) throws -> Double? {
    guard let text = text(name) else { return nil }
    guard let number = Double(text) else { throw ValidationError("ROOMSERVER_\(name) is no number: \(text)") }
    return number
  }
}
