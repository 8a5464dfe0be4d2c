/// Loudness of the audio in a packet (RFC 6464).
public struct AudioLevel: Hashable, Sendable {
  /// The level in −dBov: 0 is the loudest, 127 is silence.
  public var level: UInt8
  /// Whether the encoder detected speech.
  public var voice: Bool

  /// Creates a level; values above 127 are clamped to 127.
  @inlinable public init(level: UInt8, voice: Bool) {
    self.level = Swift.min(level, 127)
    self.voice = voice
  }

  /// Creates a level from its byte on the wire: V bit and level.
  @inlinable public init(wire: UInt8) {
    level = wire & 0x7f
    voice = wire & 0x80 != 0
  }

  /// The byte on the wire.
  @inlinable public var wire: UInt8 { (voice ? 0x80 : 0) | (level & 0x7f) }
}
