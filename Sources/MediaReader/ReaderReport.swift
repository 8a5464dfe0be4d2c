import RoomRTMP

/// What a reader process says of its source, between the FLV tags of its standard output.
package enum ReaderReport: Sendable, Hashable {
  /// The source is open. The duration is in seconds; nil if it is not known.
  case opened(hasVideo: Bool, hasAudio: Bool, duration: Double?, isSeekable: Bool)
  /// The frames from here on follow a seek, from this position in seconds on.
  case moved(Int, position: Double)
  /// The last frame has been sent.
  case ended
  /// The source can't be read, or not further, and why.
  case failed(String)

  private static let name = "onReader"

  /// Returns the report as a script tag (FLV 10.1 §E.4.4).
  package var message: MediaMessage {
    var object = AMFObject()
    switch self {
    case .opened(let hasVideo, let hasAudio, let duration, let isSeekable):
      object["state"] = .string("opened")
      object["video"] = .boolean(hasVideo)
      object["audio"] = .boolean(hasAudio)
      object["duration"] = duration.map(AMFValue.number)
      object["seekable"] = .boolean(isSeekable)
    case .moved(let number, let position):
      object["state"] = .string("moved")
      object["number"] = .number(Double(number))
      object["position"] = .number(position)
    case .ended: object["state"] = .string("ended")
    case .failed(let reason):
      object["state"] = .string("failed")
      object["reason"] = .string(reason)
    }
    var payload: [UInt8] = []
    payload.appendAMF0(.string(Self.name), .object(object))
    return MediaMessage(.data, timestamp: 0, payload: payload)
  }

  /// Returns nil if the message is no report.
  package init?(_ message: MediaMessage) {
    guard message.kind == .data else { return nil }
    let values = message.payload.withUnsafeBytes { try? AMF0Reader.values(of: $0) } ?? []
    guard values.first == .string(Self.name), values.count == 2, let object = values[1].properties else { return nil }
    func seconds(_ name: String) -> Double? {
      object[name]?.number.flatMap { (0...1e9).contains($0) ? $0 : nil }
    }
    switch object["state"]?.string {
    case "opened":
      self = .opened(
        hasVideo: object["video"]?.boolean ?? false, hasAudio: object["audio"]?.boolean ?? false, duration: seconds("duration"),
        isSeekable: object["seekable"]?.boolean ?? false)
    case "moved":
      guard let number = seconds("number"), let position = seconds("position") else { return nil }
      self = .moved(Int(number), position: position)
    case "ended": self = .ended
    case "failed": self = .failed(String((object["reason"]?.string ?? "").prefix(300)))
    default: return nil
    }
  }
}
