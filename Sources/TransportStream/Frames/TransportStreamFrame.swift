public import RoomRTMP
public import RoomRTP

/// A frame of a transport stream. Times count from the stream's own origin and do not wrap.
public enum TransportStreamFrame: Sendable, Hashable {
  /// An H.264 access unit in Annex B form.
  case picture([UInt8], decoding: MediaTime, presentation: MediaTime, isKeyFrame: Bool)
  /// An AAC frame without its ADTS header.
  case sound([UInt8], at: MediaTime, AudioSpecificConfig)
  /// The program's streams have changed. Precedes their frames.
  case program(hasVideo: Bool, hasAudio: Bool)
  /// The program has a stream of another codec. The text is its name, for people.
  case unsupported(String, isVideo: Bool)
}
