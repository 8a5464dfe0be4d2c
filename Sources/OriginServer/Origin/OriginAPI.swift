import RoomHTTPServer
import RoomLiveOrigin
import RoomRTMP
import RoomProtocol
import RoomRTP

/// The live streams of this server over REST.
package struct OriginAPI: Sendable {
  let origin: Origin

  package init(origin: Origin) { self.origin = origin }

  package var endpoints: [Endpoint] {
    [
      Endpoint("GET", "/v1/streams", access: .api, action: .answer { request, _ in list(request) }),
      Endpoint("DELETE", "/v1/streams/*/*", access: .api, action: .answer { _, names in end(names) }),
    ]
  }

  struct Stream: Encodable, Sendable {
    /// "live/studio"
    var path: String
    /// The kind of publisher: job, rtmp, srt, variant or pull; nil if the stream waits for its publisher to reconnect.
    var publisher: String?
    /// The address that an encoder publishes from.
    var address: String?
    /// Milliseconds since 1970.
    var since: Int64?
    /// The number of viewers by protocol.
    var viewers: [String: Int]
    var kbps: Int
    var video: Video?
    var audio: Audio?
    /// The codecs that HLS does not carry: HLS players miss their media. Nil if there are none.
    var notInHLS: [String]?
  }

  struct Video: Encodable, Sendable {
    var codec: String
    var width: Int?
    var height: Int?
  }

  struct Audio: Encodable, Sendable {
    var codec: String
    var sampleRate: Int?
    var channels: Int?
  }

  struct List: Encodable, Sendable {
    var streams: [Stream]
    /// The `after` of the next page; nil on the last one.
    var next: String?
  }

  private static let largestPage = 1000

  private func list(_ request: HTTPRequest) -> HTTPResponse {
    do throws(RoomError) {
      let limit = Int(try request.queryNumber("limit", 1...Int64(Self.largestPage)) ?? Int64(Self.largestPage))
      let after = try request.queryPosition("after") { StreamPath($0) }?.name ?? ""
      let rest = origin.list.map { (name: $0.path.name, listed: $0) }.sorted { $0.name < $1.name }.filter { $0.name > after }
      return .json(
        List(
          streams: rest.prefix(limit).map { Stream($0.listed) }, next: rest.count > limit ? rest[limit - 1].name : nil))
    } catch { return .error(400, error) }
  }

  private func end(_ names: [String]) -> HTTPResponse {
    guard names.count == 2, let path = StreamPath(app: names[0], stream: names[1]),
      origin.endPublish(path, reason: "the server's operator ended the stream")
    else { return .error(404, RoomError(.subscribeFailed, "the stream is not being published")) }
    return .noContent
  }
}

extension OriginAPI.Stream {
  init(_ listed: Origin.Listed) {
    path = listed.path.name
    publisher = listed.publish?.publisher.kind
    address = listed.publish?.publisher.encoderAddress
    since = listed.publish?.since
    viewers = Dictionary(uniqueKeysWithValues: listed.viewers.map { ($0.key.rawValue, $0.value) })
    kbps = listed.kilobits
    for header in listed.hub.headers {
      switch header.kind {
      case .video: video = video ?? OriginAPI.Video(header)
      case .audio: audio = audio ?? OriginAPI.Audio(header)
      case .data: break
      }
    }
    // Codecs without a configuration of their own.
    let codecs = listed.hub.codecs
    video = video ?? codecs.video.map { OriginAPI.Video(codec: $0.name) }
    audio = audio ?? codecs.audio.map { OriginAPI.Audio(codec: $0.name) }
    notInHLS = codecs.notInHLS.isEmpty ? nil : codecs.notInHLS
  }
}

extension OriginAPI.Video {
  /// Reads a sequence header.
  init?(_ header: MediaMessage) {
    let parsed = header.payload.withUnsafeBytes { payload -> Self? in
      guard let tag = VideoTag(parsing: payload), tag.isSequenceHeader else { return nil }
      guard tag.track.codec.isAVC else { return Self(codec: tag.track.codec.name) }
      let body = UnsafeRawBufferPointer(rebasing: payload[tag.track.body])
      let parameters = AVCConfiguration(parsing: body)?.sequenceParameters.first.flatMap(SequenceParameters.init)
      return Self(codec: "h264", width: parameters?.width, height: parameters?.height)
    }
    guard let parsed else { return nil }
    self = parsed
  }
}

extension OriginAPI.Audio {
  /// Reads a sequence header.
  init?(_ header: MediaMessage) {
    let parsed = header.payload.withUnsafeBytes { payload -> Self? in
      guard let tag = AudioTag(parsing: payload), tag.isSequenceHeader else { return nil }
      guard tag.track.codec.isAAC else { return Self(codec: tag.track.codec.name) }
      let configuration = AudioSpecificConfig(parsing: UnsafeRawBufferPointer(rebasing: payload[tag.track.body]))
      return Self(codec: "aac", sampleRate: configuration?.sampleRate, channels: configuration?.channels)
    }
    guard let parsed else { return nil }
    self = parsed
  }
}

extension VideoTag.Codec {
  /// The codec's common name, else its FourCC or FLV number.
  fileprivate var name: String {
    switch self {
    case .avc: "h264"
    case .other(let number): "flv-\(number)"
    case .fourCC(let code): code.description
    }
  }
}

extension AudioTag.Codec {
  /// The codec's common name, else its FourCC or FLV number.
  fileprivate var name: String {
    switch self {
    case .aac: "aac"
    case .other(let number): "flv-\(number)"
    case .fourCC(let code): code.description
    }
  }
}
