import RoomEngine
import RoomLiveKitProtocol
import RoomProtocol
import RoomServer
import RoomToken

/// What an egress sends, whichever call starts it.
struct EgressPlan: Sendable, Hashable {
  enum Content: Sendable, Hashable {
    /// Everybody in the room.
    case room(RoomArrangement, hasPicture: Bool)
    /// A participant's main tracks, or those of its screen.
    case participant(UserID, isScreen: Bool)
    case tracks(audio: TrackID?, video: TrackID?)
    /// One track as it is, in a file of its own.
    case track(TrackID)
  }

  var content: Content
  /// Nil for tracks that are sent as they are published.
  var encoding: EgressEncoding?

  init(_ request: LiveKit.EgressInfo.Request) throws(TwirpError) {
    switch request {
    case .roomComposite(let request):
      guard request.audioMixing == .defaultMixing else {
        throw TwirpError(.unimplemented, "audio_mixing: this server mixes all sound into both channels")
      }
      content = try Self.room(
        request.layout, audioOnly: request.audioOnly, videoOnly: request.videoOnly, customBaseURL: request.customBaseURL)
      encoding = try EgressEncoding(request.options) ?? .standard
    case .participant(let request):
      content = try Self.participant(request.identity, isScreen: request.screenShare)
      encoding = try EgressEncoding(request.options)
    case .trackComposite(let request):
      content = try Self.tracks(audio: request.audioTrackID, video: request.videoTrackID)
      encoding = try EgressEncoding(request.options)
    case .track(let request):
      guard !request.trackID.isEmpty else { throw TwirpError(.invalidArgument, "track_id: missing") }
      content = .track(TrackID(request.trackID))
    case .egress(let request):
      encoding = try EgressEncoding(request.encoding)
      switch request.source {
      case .template(let template)?:
        content = try Self.room(
          template.layout, audioOnly: template.audioOnly, videoOnly: template.videoOnly,
          customBaseURL: template.customBaseURL)
        encoding = encoding ?? .standard
      case .media(let media)?: content = try Self.media(media)
      case .web?: throw TwirpError(.unimplemented, "web: this server shows no web pages")
      case nil: throw TwirpError(.invalidArgument, "source: template or media")
      }
    }
  }

  // MARK: Content

  private static func room(
    _ layout: String, audioOnly: Bool, videoOnly: Bool, customBaseURL: String
  ) throws(TwirpError) -> Content {
    guard customBaseURL.isEmpty else {
      throw TwirpError(.unimplemented, "custom_base_url: this server composes the picture itself, without web pages")
    }
    guard !audioOnly || !videoOnly else { throw TwirpError(.invalidArgument, "audio_only and video_only exclude each other") }
    return .room(RoomArrangement(try style(layout), isSilent: videoOnly), hasPicture: !audioOnly)
  }

  /// Returns the arrangement of a layout's name: one of LiveKit's, or a layout of this server's seats.
  static func style(_ layout: String) throws(TwirpError) -> RoomArrangement.Style {
    var name = layout
    // There is one theme.
    for theme in ["-light", "-dark"] where name.hasSuffix(theme) { name = String(name.dropLast(theme.count)) }
    switch name {
    case "", "speaker": return .speaker
    case "grid": return .grid
    case "single-speaker": return .singleSpeaker
    default:
      guard let type = LayoutType(rawValue: name), type != .custom else {
        throw TwirpError(
          .invalidArgument,
          "layout: grid, speaker, single-speaker, "
            + LayoutType.allCases.filter { $0 != .custom }.map(\.rawValue).joined(separator: ", "))
      }
      return .seats(type)
    }
  }

  private static func participant(_ identity: String, isScreen: Bool) throws(TwirpError) -> Content {
    guard let user = ForeignName(identity)?.user else { throw TwirpError(.invalidArgument, "identity: missing or too long") }
    return .participant(user, isScreen: isScreen)
  }

  private static func tracks(audio: String, video: String) throws(TwirpError) -> Content {
    guard !audio.isEmpty || !video.isEmpty else {
      throw TwirpError(.invalidArgument, "audio_track_id or video_track_id: at least one")
    }
    return .tracks(audio: audio.isEmpty ? nil : TrackID(audio), video: video.isEmpty ? nil : TrackID(video))
  }

  private static func media(_ media: LiveKit.MediaSource) throws(TwirpError) -> Content {
    let routes = media.audio?.routes ?? []
    guard media.audio?.captureAll != true, routes.count <= 1, routes.allSatisfy({ $0.channel == .both }) else {
      throw TwirpError(.unimplemented, "audio: this server sends the sound of one track or participant; use a template for all")
    }
    switch (media.video, routes.first?.match) {
    case (.participantVideo(let video)?, .participantIdentity(let identity)?) where video.identity == identity:
      return try participant(video.identity, isScreen: video.preferScreenShare)
    case (.videoTrackID(let video)?, .trackID(let audio)?): return try tracks(audio: audio, video: video)
    case (.videoTrackID(let video)?, nil): return try tracks(audio: "", video: video)
    case (nil, .trackID(let audio)?): return try tracks(audio: audio, video: "")
    case (nil, nil): throw TwirpError(.invalidArgument, "media: no video and no audio")
    default:
      throw TwirpError(.unimplemented, "media: either tracks, or the video and the audio of the same participant")
    }
  }
}
