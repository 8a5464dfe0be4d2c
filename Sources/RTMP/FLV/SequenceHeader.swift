extension MediaMessage {
  /// Whether the message has a decoder's configuration of pictures or sound.
  public var isSequenceHeader: Bool {
    payload.withUnsafeBytes { payload in
      switch kind {
      case .video: VideoTag(parsing: payload)?.isSequenceHeader ?? false
      case .audio: AudioTag(parsing: payload)?.isSequenceHeader ?? false
      case .data: false
      }
    }
  }
}
