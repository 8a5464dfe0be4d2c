import RoomRTP

/// The H.264 profiles that SDP negotiation distinguishes (RFC 6184 §8.1, table 5).
public enum H264Profile: Sendable, Hashable, CaseIterable {
  case constrainedBaseline
  case baseline
  case main
  case constrainedHigh
  case high

  /// Parses `profile-level-id`, six hexadecimal digits: profile_idc, profile-iop, level_idc. Returns nil for other profiles.
  ///
  /// The level is not part of the match, because with level-asymmetry-allowed each side has its own.
  public init?(profileLevelID text: String) {
    guard text.utf8.count == 6, let number = UInt32(text, radix: 16) else { return nil }
    let constraints = UInt8(truncatingIfNeeded: number >> 8)
    switch (UInt8(truncatingIfNeeded: number >> 16), constraints) {
    // Baseline's tools without FMO, ASO and redundant slices: signalled by constraint_set1 of 42 and 58, or set0 of 4D.
    case (0x42, _) where constraints & 0x4F == 0x40, (0x4D, _) where constraints & 0x8F == 0x80,
      (0x58, _) where constraints & 0xCF == 0xC0:
      self = .constrainedBaseline
    case (0x42, _) where constraints & 0x4F == 0x00, (0x58, _) where constraints & 0xCF == 0x80: self = .baseline
    case (0x4D, _) where constraints & 0xAF == 0x00: self = .main
    case (0x64, 0x00): self = .high
    case (0x64, 0x0C): self = .constrainedHigh
    default: return nil
    }
  }

  /// The id at level 3.1 that this project sends for the profile.
  public var profileLevelID: String {
    switch self {
    case .constrainedBaseline: "42e01f"
    case .baseline: "42001f"
    case .main: "4d001f"
    case .constrainedHigh: "640c1f"
    case .high: "64001f"
    }
  }

  /// Returns the id at a level.
  public func profileLevelID(at level: H264Level) -> String {
    let digits = String(level.idc, radix: 16)
    return profileLevelID.prefix(4) + (digits.count < 2 ? "0" : "") + digits
  }
}
