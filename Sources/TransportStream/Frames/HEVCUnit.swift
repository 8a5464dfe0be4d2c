import RoomRTP

/// The types of NAL units of HEVC that a live stream depends on, ITU-T H.265 table 7-1.
enum HEVCUnit {
  static let videoParameters: UInt8 = 32
  static let sequenceParameters: UInt8 = 33
  static let pictureParameters: UInt8 = 34
  static let delimiter: UInt8 = 35
  static let filler: UInt8 = 38
  /// Pictures at which a decoder may start: IDR, BLA and CRA.
  static let randomAccess: ClosedRange<UInt8> = 16...23
  /// Leading pictures that refer to pictures before the random access point: RASL.
  static let skippedLeading: ClosedRange<UInt8> = 8...9
  private static let slices: ClosedRange<UInt8> = 0...31

  static func type(_ first: UInt8) -> UInt8 { first >> 1 & 0x3f }

  /// Returns the type of the first slice of an access unit in Annex B form; nil if it has none.
  static func pictureType(_ accessUnit: [UInt8]) -> UInt8? {
    accessUnit.withUnsafeBytes { bytes in
      AnnexB(bytes).lazy.map { type(bytes[$0.lowerBound]) }.first { slices.contains($0) }
    }
  }
}
