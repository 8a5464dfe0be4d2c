/// Loudness of the audio in a packet (RFC 6464).
public struct AudioLevel: Hashable, Sendable {
  /// 0 is the loudest, 127 is silence: the level in −dBov.
  public var level: UInt8
  /// Whether the encoder heard speech.
  public var voice: Bool

  /// `level` above 127 is taken as 127.
  @inlinable public init(level: UInt8, voice: Bool) {
    self.level = Swift.min(level, 127)
    self.voice = voice
  }

  /// The byte of the wire: V bit and level.
  @inlinable public init(wire: UInt8) {
    level = wire & 0x7f
    voice = wire & 0x80 != 0
  }

  /// The byte of the wire.
  @inlinable public var wire: UInt8 { (voice ? 0x80 : 0) | (level & 0x7f) }
}
