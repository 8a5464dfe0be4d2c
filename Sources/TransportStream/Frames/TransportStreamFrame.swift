public import RoomRTP

/// A codec of pictures in a transport stream.
public enum PictureCodec: Sendable, Hashable {
  case h264
  case hevc
}

/// A codec of sound, with what its decoder needs to start.
public enum SoundFormat: Sendable, Hashable {
  /// AAC in raw frames, with the AudioSpecificConfig of ISO/IEC 14496-3 §1.6.2.1.
  case aac(configuration: [UInt8])
  /// Opus packets, with the OpusHead of RFC 7845 §5.1.
  case opus(head: [UInt8])
  /// Frames of MPEG audio (ISO/IEC 11172-3), layer II or III. The rate is in Hz.
  case mpegAudio(layer: Int, sampleRate: Int, channels: Int)
  /// Syncframes of AC-3 (ETSI TS 102 366).
  case ac3
  /// Syncframes of E-AC-3 (ETSI TS 102 366 annex E), each with the syncframes that depend on the first.
  case eac3
}

/// A frame of a transport stream. Times do not wrap and do not go back. These times count from the stream's own origin, until
/// its clock jumps.
public enum TransportStreamFrame: Sendable, Hashable {
  /// An access unit in Annex B form.
  case picture([UInt8], PictureCodec, decoding: MediaTime, presentation: MediaTime, isKeyFrame: Bool)
  /// A frame without the header of its transport: that of ADTS, LOAS or the control header of Opus.
  case sound([UInt8], SoundFormat, at: MediaTime)
  /// The program's streams have changed. Precedes their frames.
  case program(hasVideo: Bool, hasAudio: Bool)
  /// The program has a stream of another codec and none that is accepted. The text is its name, for people. `isVideo` is nil if
  /// the program has neither pictures nor sound.
  case unsupported(String, isVideo: Bool?)
}
