import RoomRTP

// When the dependency descriptor is negotiated: for AV1 without simulcast, between peers that mix one-byte and two-byte header
// extensions.

extension Sequence<RTPCodec> {
  /// Whether streams of one of these codecs have dependency descriptors.
  var haveDependencyDescriptor: Bool { contains { PayloadFormat(name: $0.name) == .av1 } }
}

extension SessionDescription {
  /// Returns the supported header extensions of an m-line that is used with these codecs.
  func headerExtensions(of section: MediaDescription, for codecs: some Sequence<RTPCodec>) -> [RTPHeaderExtension: UInt8] {
    var extensions = section.headerExtensions
    let isMixed = attributes.has("extmap-allow-mixed") || section.attributes.has("extmap-allow-mixed")
    if !isMixed || !codecs.haveDependencyDescriptor { extensions[.dependencyDescriptor] = nil }
    return extensions
  }
}
