import RoomRTP

/// The contents of `onMetaData` (FLV 10.1 §E.5, Enhanced RTMP v2 "Enhancing onMetaData"). Nil values are omitted.
public struct StreamMetadata: Hashable, Sendable {
  /// Pixels.
  public var width: Int?
  public var height: Int?
  /// Frames per second.
  public var frameRate: Double?
  /// Video bitrate in kbit/s.
  public var videoKilobits: Double?
  /// 7 for H.264, or a FourCC's value.
  public var videoCodec: UInt32?
  /// Audio bitrate in kbit/s.
  public var audioKilobits: Double?
  /// Samples per second, in Hz.
  public var sampleRate: Int?
  public var isStereo: Bool?
  /// 10 for AAC, or a FourCC's value.
  public var audioCodec: UInt32?
  /// The name of the encoder.
  public var encoder: String?

  /// Creates empty metadata.
  public init() {}

  /// Returns all properties of an `onMetaData` message, in wire order; nil for another message, and if values follow them.
  public static func properties(of message: MediaMessage) -> AMFObject? {
    let values = values(of: message)
    return values.count == 2 ? values[1].properties : nil
  }

  /// Returns the values of an `onMetaData` message: the name, and at least one other; none for another message.
  private static func values(of message: MediaMessage) -> [AMFValue] {
    guard message.kind == .data else { return [] }
    let values = message.payload.withUnsafeBytes { try? AMF0Reader.values(of: $0) } ?? []
    return values.count > 1 && values[0] == .string("onMetaData") ? values : []
  }

  /// Returns an `onMetaData` message with these properties.
  public static func message(_ properties: AMFObject, timestamp: UInt32) -> MediaMessage {
    var payload: [UInt8] = []
    payload.appendAMF0("onMetaData", .ecmaArray(properties))
    return MediaMessage(.data, timestamp: timestamp, payload: payload)
  }

  /// Returns nil if the message is not `onMetaData`. Ignores values that are not numbers in range.
  public init?(_ message: MediaMessage) {
    let values = Self.values(of: message)
    guard values.count > 1, let properties = values[1].properties else { return nil }
    func integer(_ name: String) -> UInt32? {
      guard let number = properties[name]?.number, number >= 0, number < 4_294_967_296 else { return nil }
      return UInt32(number)
    }
    func finite(_ name: String) -> Double? { properties[name]?.number.flatMap { $0.isFinite ? $0 : nil } }
    width = integer("width").map(Int.init)
    height = integer("height").map(Int.init)
    frameRate = finite("framerate")
    videoKilobits = finite("videodatarate")
    videoCodec = integer("videocodecid")
    audioKilobits = finite("audiodatarate")
    sampleRate = integer("audiosamplerate").map(Int.init)
    isStereo = properties["stereo"]?.boolean
    audioCodec = integer("audiocodecid")
    encoder = properties["encoder"]?.string
  }

  /// Returns the `onMetaData` message.
  public func message(timestamp: UInt32 = 0) -> MediaMessage {
    var properties = AMFObject()
    func add(_ name: String, _ value: Double?) { if let value { properties[name] = .number(value) } }
    // Players recognise a live stream by this value.
    add("duration", 0)
    add("width", width.map(Double.init))
    add("height", height.map(Double.init))
    add("framerate", frameRate)
    add("videodatarate", videoKilobits)
    add("videocodecid", videoCodec.map(Double.init))
    add("audiodatarate", audioKilobits)
    add("audiosamplerate", sampleRate.map(Double.init))
    if audioCodec != nil { add("audiosamplesize", 16) }
    properties["stereo"] = isStereo.map(AMFValue.boolean)
    add("audiocodecid", audioCodec.map(Double.init))
    properties["encoder"] = encoder.map(AMFValue.string)
    return Self.message(properties, timestamp: timestamp)
  }
}
