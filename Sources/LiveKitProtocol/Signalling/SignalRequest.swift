extension LiveKit {
  /// A message of a client over its WebSocket.
  package struct SignalRequest: Message {
    package enum Content: Sendable, Equatable {
      case offer(SessionDescription)
      case answer(SessionDescription)
      case trickle(TrickleRequest)
      case addTrack(AddTrackRequest)
      case mute(MuteTrackRequest)
      case subscription(UpdateSubscription)
      case trackSetting(UpdateTrackSettings)
      case leave(LeaveRequest)
      case subscriptionPermission(SubscriptionPermission)
      case syncState(SyncState)
      case simulate(SimulateScenario)
      case ping(Int64)
      case updateMetadata(UpdateParticipantMetadata)
      case pingReq(Ping)
      case updateAudioTrack(UpdateLocalAudioTrack)
      case updateVideoTrack(UpdateLocalVideoTrack)
      case publishDataTrackRequest(PublishDataTrackRequest)
      case unpublishDataTrackRequest(UnpublishDataTrackRequest)
    }

    package var message: Content?

    package init() {}

    package static let fields = FieldTable<Self>("SignalRequest") {
      Field(1, "offer", of: "message", \.message, Content.offer) { if case .offer(let value) = $0 { value } else { nil } }
      Field(2, "answer", of: "message", \.message, Content.answer) { if case .answer(let value) = $0 { value } else { nil } }
      Field(3, "trickle", of: "message", \.message, Content.trickle) { if case .trickle(let value) = $0 { value } else { nil } }
      Field(4, "add_track", of: "message", \.message, Content.addTrack) {
        if case .addTrack(let value) = $0 { value } else { nil }
      }
      Field(5, "mute", of: "message", \.message, Content.mute) { if case .mute(let value) = $0 { value } else { nil } }
      Field(6, "subscription", of: "message", \.message, Content.subscription) {
        if case .subscription(let value) = $0 { value } else { nil }
      }
      Field(7, "track_setting", of: "message", \.message, Content.trackSetting) {
        if case .trackSetting(let value) = $0 { value } else { nil }
      }
      Field(8, "leave", of: "message", \.message, Content.leave) { if case .leave(let value) = $0 { value } else { nil } }
      Field(11, "subscription_permission", of: "message", \.message, Content.subscriptionPermission) {
        if case .subscriptionPermission(let value) = $0 { value } else { nil }
      }
      Field(12, "sync_state", of: "message", \.message, Content.syncState) {
        if case .syncState(let value) = $0 { value } else { nil }
      }
      Field(13, "simulate", of: "message", \.message, Content.simulate) {
        if case .simulate(let value) = $0 { value } else { nil }
      }
      Field(14, "ping", of: "message", \.message, Content.ping) { if case .ping(let value) = $0 { value } else { nil } }
      Field(15, "update_metadata", of: "message", \.message, Content.updateMetadata) {
        if case .updateMetadata(let value) = $0 { value } else { nil }
      }
      Field(16, "ping_req", of: "message", \.message, Content.pingReq) {
        if case .pingReq(let value) = $0 { value } else { nil }
      }
      Field(17, "update_audio_track", of: "message", \.message, Content.updateAudioTrack) {
        if case .updateAudioTrack(let value) = $0 { value } else { nil }
      }
      Field(18, "update_video_track", of: "message", \.message, Content.updateVideoTrack) {
        if case .updateVideoTrack(let value) = $0 { value } else { nil }
      }
      Field(19, "publish_data_track_request", of: "message", \.message, Content.publishDataTrackRequest) {
        if case .publishDataTrackRequest(let value) = $0 { value } else { nil }
      }
      Field(20, "unpublish_data_track_request", of: "message", \.message, Content.unpublishDataTrackRequest) {
        if case .unpublishDataTrackRequest(let value) = $0 { value } else { nil }
      }
    }
  }
}
