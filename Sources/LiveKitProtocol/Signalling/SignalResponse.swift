extension LiveKit {
  /// A message of the server over a client's WebSocket.
  package struct SignalResponse: Message {
    package enum Content: Sendable, Equatable {
      case join(JoinResponse)
      case answer(SessionDescription)
      case offer(SessionDescription)
      case trickle(TrickleRequest)
      case update(ParticipantUpdate)
      case trackPublished(TrackPublishedResponse)
      case leave(LeaveRequest)
      case mute(MuteTrackRequest)
      case speakersChanged(SpeakersChanged)
      case roomUpdate(RoomUpdate)
      case connectionQuality(ConnectionQualityUpdate)
      case streamStateUpdate(StreamStateUpdate)
      case subscribedQualityUpdate(SubscribedQualityUpdate)
      case subscriptionPermissionUpdate(SubscriptionPermissionUpdate)
      case refreshToken(String)
      case trackUnpublished(TrackUnpublishedResponse)
      case pong(Int64)
      case reconnect(ReconnectResponse)
      case pongResp(Pong)
      case subscriptionResponse(SubscriptionResponse)
      case requestResponse(RequestResponse)
      case trackSubscribed(TrackSubscribed)
      case roomMoved(RoomMovedResponse)
      case mediaSectionsRequirement(MediaSectionsRequirement)
      case subscribedAudioCodecUpdate(SubscribedAudioCodecUpdate)
    }

    package var message: Content?

    package init() {}

    package static let fields = FieldTable<Self>("SignalResponse") {
      Field(1, "join", of: "message", \.message, Content.join) { if case .join(let value) = $0 { value } else { nil } }
      Field(2, "answer", of: "message", \.message, Content.answer) { if case .answer(let value) = $0 { value } else { nil } }
      Field(3, "offer", of: "message", \.message, Content.offer) { if case .offer(let value) = $0 { value } else { nil } }
      Field(4, "trickle", of: "message", \.message, Content.trickle) { if case .trickle(let value) = $0 { value } else { nil } }
      Field(5, "update", of: "message", \.message, Content.update) { if case .update(let value) = $0 { value } else { nil } }
      Field(6, "track_published", of: "message", \.message, Content.trackPublished) {
        if case .trackPublished(let value) = $0 { value } else { nil }
      }
      Field(8, "leave", of: "message", \.message, Content.leave) { if case .leave(let value) = $0 { value } else { nil } }
      Field(9, "mute", of: "message", \.message, Content.mute) { if case .mute(let value) = $0 { value } else { nil } }
      Field(10, "speakers_changed", of: "message", \.message, Content.speakersChanged) {
        if case .speakersChanged(let value) = $0 { value } else { nil }
      }
      Field(11, "room_update", of: "message", \.message, Content.roomUpdate) {
        if case .roomUpdate(let value) = $0 { value } else { nil }
      }
      Field(12, "connection_quality", of: "message", \.message, Content.connectionQuality) {
        if case .connectionQuality(let value) = $0 { value } else { nil }
      }
      Field(13, "stream_state_update", of: "message", \.message, Content.streamStateUpdate) {
        if case .streamStateUpdate(let value) = $0 { value } else { nil }
      }
      Field(14, "subscribed_quality_update", of: "message", \.message, Content.subscribedQualityUpdate) {
        if case .subscribedQualityUpdate(let value) = $0 { value } else { nil }
      }
      Field(15, "subscription_permission_update", of: "message", \.message, Content.subscriptionPermissionUpdate) {
        if case .subscriptionPermissionUpdate(let value) = $0 { value } else { nil }
      }
      Field(16, "refresh_token", of: "message", \.message, Content.refreshToken) {
        if case .refreshToken(let value) = $0 { value } else { nil }
      }
      Field(17, "track_unpublished", of: "message", \.message, Content.trackUnpublished) {
        if case .trackUnpublished(let value) = $0 { value } else { nil }
      }
      Field(18, "pong", of: "message", \.message, Content.pong) { if case .pong(let value) = $0 { value } else { nil } }
      Field(19, "reconnect", of: "message", \.message, Content.reconnect) {
        if case .reconnect(let value) = $0 { value } else { nil }
      }
      Field(20, "pong_resp", of: "message", \.message, Content.pongResp) {
        if case .pongResp(let value) = $0 { value } else { nil }
      }
      Field(21, "subscription_response", of: "message", \.message, Content.subscriptionResponse) {
        if case .subscriptionResponse(let value) = $0 { value } else { nil }
      }
      Field(22, "request_response", of: "message", \.message, Content.requestResponse) {
        if case .requestResponse(let value) = $0 { value } else { nil }
      }
      Field(23, "track_subscribed", of: "message", \.message, Content.trackSubscribed) {
        if case .trackSubscribed(let value) = $0 { value } else { nil }
      }
      Field(24, "room_moved", of: "message", \.message, Content.roomMoved) {
        if case .roomMoved(let value) = $0 { value } else { nil }
      }
      Field(25, "media_sections_requirement", of: "message", \.message, Content.mediaSectionsRequirement) {
        if case .mediaSectionsRequirement(let value) = $0 { value } else { nil }
      }
      Field(26, "subscribed_audio_codec_update", of: "message", \.message, Content.subscribedAudioCodecUpdate) {
        if case .subscribedAudioCodecUpdate(let value) = $0 { value } else { nil }
      }
    }
  }
}
