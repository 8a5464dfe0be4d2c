import RoomRTMP

extension MediaMessage {
  /// Metadata without the length of a file. Encoders such as ffmpeg state the length of their input, which players would show as that of
  /// the stream. Returns other messages unchanged.
  var withoutLength: MediaMessage {
    guard var properties = StreamMetadata.properties(of: self), properties["duration"]?.number ?? 0 > 0 else { return self }
    (properties["duration"], properties["filesize"]) = (nil, nil)
    return StreamMetadata.message(properties, timestamp: timestamp)
  }
}
