import RoomRTMP

extension MediaMessage {
  /// Metadata without the length of a file. Encoders such as ffmpeg state the length of their input, which players would show as that of
  /// the stream. Returns other messages unchanged.
  var withoutLength: MediaMessage {
    guard kind == .data else { return self }
    let values = payload.withUnsafeBytes { try? AMF0Reader.values(of: $0) } ?? []
    guard values.count == 2, var properties = values[1].properties, properties["duration"]?.number ?? 0 > 0 else { return self }
    (properties["duration"], properties["filesize"]) = (nil, nil)
    var payload: [UInt8] = []
    payload.appendAMF0(values[0], .ecmaArray(properties))
    return MediaMessage(kind, timestamp: timestamp, payload: payload)
  }
}
