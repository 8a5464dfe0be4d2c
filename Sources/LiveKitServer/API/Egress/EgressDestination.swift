import Foundation
import RoomLiveKitProtocol
import RoomProtocol
import RoomRelay
import RoomServer

/// Where an egress goes.
enum EgressDestination: Sendable, Hashable {
  case stream(id: String, url: String)
  case file(RecordingName)
  /// Files of one track.
  case track
  case segments(name: String)

  /// The maximum number of destinations of an egress.
  static let maximum = 8

  /// Returns the destinations of a request.
  /// - Parameter now: milliseconds since 1970.
  static func all(of request: LiveKit.EgressInfo.Request, at now: Int64) throws(TwirpError) -> [Self] {
    let all: [Self]
    switch request {
    case .roomComposite(let request):
      all = try Reader(request.roomName, at: now).read(
        request.output, request.fileOutputs, request.streamOutputs, request.segmentOutputs, request.imageOutputs)
    case .participant(let request):
      all = try Reader(request.roomName, at: now, publisher: request.identity).read(
        nil, request.fileOutputs, request.streamOutputs, request.segmentOutputs, request.imageOutputs)
    case .trackComposite(let request):
      all = try Reader(request.roomName, at: now).read(
        request.output, request.fileOutputs, request.streamOutputs, request.segmentOutputs, request.imageOutputs)
    case .track(let request):
      guard case .file(let file)? = request.output else {
        throw TwirpError(.unimplemented, "websocket_url: this server writes a track into a file only")
      }
      try Reader.check(file.output)
      all = [.track]
    case .egress(let request):
      try Reader.check(request.storage?.provider)
      all = try Reader(request.roomName, at: now).read(request.outputs)
    }
    guard (1...maximum).contains(all.count) else {
      throw TwirpError(.invalidArgument, "an egress has 1 to \(maximum) outputs")
    }
    return all
  }

  /// Returns the destination of a URL.
  /// - Parameter wanted: the protocol of the request.
  static func stream(
    to url: String, id: String = "", by wanted: LiveKit.StreamProtocol = .defaultProtocol
  ) throws(TwirpError) -> Self {
    guard case .server(let address)? = PublishURL(url)?.destination else {
      let isOther = url.contains("://") && !["rtmp", "srt:"].contains(where: url.lowercased().hasPrefix)
      throw isOther
        ? TwirpError(.unimplemented, "urls: this server sends to rtmp://, rtmps:// and srt:// only")
        : TwirpError(
          .invalidArgument, "urls: rtmp:// or rtmps:// with host, application and stream, or srt://host:port?streamid=…")
    }
    switch (address, wanted) {
    case (.rtmp, .srt), (.srt, .rtmp): throw TwirpError(.invalidArgument, "protocol: the URL has another scheme")
    default: return .stream(id: String(id.prefix(64)), url: url)
    }
  }
}

extension EgressDestination {
  /// Reads the outputs of a request.
  private struct Reader: Sendable {
    private let room: String
    /// Milliseconds since 1970.
    private let now: Int64
    private let publisher: String

    init(_ room: String, at now: Int64, publisher: String = "") {
      self.room = room
      self.now = now
      self.publisher = publisher
    }

    /// - Parameter output: the only output, in the form of older app servers.
    func read(
      _ output: LiveKit.EncodedOutput?, _ files: [LiveKit.EncodedFileOutput], _ streams: [LiveKit.StreamOutput],
      _ segments: [LiveKit.SegmentedFileOutput], _ images: [LiveKit.ImageOutput]
    ) throws(TwirpError) -> [EgressDestination] {
      var (files, streams, segments) = (files, streams, segments)
      switch output {
      case .file(let file)?: files.append(file)
      case .stream(let stream)?: streams.append(stream)
      case .segments(let output)?: segments.append(output)
      case nil: break
      }
      guard images.isEmpty else { throw Self.noImages }
      var all: [EgressDestination] = []
      for file in files {
        try Self.check(file.output)
        all.append(.file(try name(file.filepath, file.fileType)))
      }
      for stream in streams { all += try self.streams(stream) }
      for output in segments { all.append(try self.segments(output)) }
      return all
    }

    func read(_ outputs: [LiveKit.Output]) throws(TwirpError) -> [EgressDestination] {
      var all: [EgressDestination] = []
      for output in outputs {
        try Self.check(output.storage?.provider)
        switch output.config {
        case .file(let file)?: all.append(.file(try name(file.filepath, file.fileType)))
        case .stream(let stream)?: all += try streams(stream)
        case .segments(let output)?: all.append(try segments(output))
        case .images?: throw Self.noImages
        case nil: throw TwirpError(.invalidArgument, "outputs: an output without a destination")
        }
      }
      return all
    }

    private static let noImages = TwirpError(.unimplemented, "image_outputs: this server writes no pictures")

    /// - Throws: `unimplemented` for an upload.
    static func check(_ upload: LiveKit.Upload?) throws(TwirpError) {
      guard upload == nil else {
        throw TwirpError(
          .unimplemented,
          "this server writes into its own directory of recordings, from which the app fetches files; no uploads")
      }
    }

    // MARK: Streams

    private func streams(_ output: LiveKit.StreamOutput) throws(TwirpError) -> [EgressDestination] {
      let wanted = output.protocolNumber
      guard [.defaultProtocol, .rtmp, .srt].contains(wanted) else {
        throw TwirpError(.unimplemented, "protocol: this server sends RTMP and SRT")
      }
      var all: [EgressDestination] = []
      for url in output.urls { all.append(try EgressDestination.stream(to: url, by: wanted)) }
      for destination in output.destinations {
        all.append(try EgressDestination.stream(to: destination.url, id: destination.id, by: wanted))
      }
      guard !all.isEmpty else { throw TwirpError(.invalidArgument, "urls: a stream has one at least") }
      return all
    }

    // MARK: Files

    /// Returns the name of the file for a path. Files have one directory: other characters than those of a name become dashes, slashes
    /// too.
    private func name(_ path: String, _ type: LiveKit.EncodedFileType) throws(TwirpError) -> RecordingName {
      guard [.defaultFiletype, .mp4].contains(type) else {
        throw TwirpError(.unimplemented, "file_type: this server writes MP4")
      }
      var path = path.hasSuffix("/") || path.isEmpty ? path + "{room_name}-{time}" : path
      let values = [
        "{room_name}": room, "{room_id}": room, "{publisher_identity}": publisher, "{time}": Self.time(now),
        "{utc}": Self.time(now),
      ]
      for (key, value) in values { path = path.replacing(key, with: value) }
      for ending in [".ogg", ".mp3", ".webm"] where path.hasSuffix(ending) {
        throw TwirpError(.unimplemented, "filepath: this server writes .mp4 and .flv")
      }
      let ending = path.hasSuffix(".flv") ? ".flv" : ".mp4"
      if path.hasSuffix(ending) { path.removeLast(ending.count) }
      var stem = String(
        path.drop { "/.".contains($0) }.unicodeScalars.map { Self.isAllowed($0) ? Character($0) : "-" }.prefix(120))
      if stem.isEmpty { stem = Self.time(now) }
      guard let name = RecordingName(stem + ending) else {
        throw TwirpError(.invalidArgument, "filepath: a name of letters, digits, '.', '_' and '-'")
      }
      return name
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
      scalar.isASCII
        && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil || "._-".unicodeScalars.contains(scalar))
    }

    /// Returns "2026-11-26T221500".
    private static func time(_ milliseconds: Int64) -> String {
      let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
      return date.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: false).timeSeparator(.omitted))
    }

    // MARK: Segments

    private func segments(_ output: LiveKit.SegmentedFileOutput) throws(TwirpError) -> EgressDestination {
      try Self.check(output.output)
      guard [.defaultSegmentedFileProtocol, .hlsProtocol].contains(output.protocolNumber) else {
        throw TwirpError(.unimplemented, "protocol: this server makes HLS")
      }
      return .segments(name: output.livePlaylistName.isEmpty ? output.playlistName : output.livePlaylistName)
    }
  }
}
