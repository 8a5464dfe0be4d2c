/// A protocol by which encoders publish. The raw value is the name in the API and in metrics.
package enum EncoderProtocol: String, Sendable, Hashable, CaseIterable {
  case rtmp, srt

  /// The name in logs.
  package var name: String { rawValue.uppercased() }
}
