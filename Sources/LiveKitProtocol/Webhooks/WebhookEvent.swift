extension LiveKit {
  /// The body of a webhook.
  package struct WebhookEvent: Message {
    package var event: String = ""
    package var room: Room?
    package var participant: ParticipantInfo?
    package var id: String = ""
    /// Seconds since 1970.
    package var createdAt: Int64 = 0
    package var track: TrackInfo?
    package var egressInfo: EgressInfo?
    package var ingressInfo: IngressInfo?
    package var roomEndReason: RoomEndReason = .init()

    package init() {}

    package static let fields = FieldTable<Self>("WebhookEvent") {
      Field(1, "event", \.event)
      Field(2, "room", \.room)
      Field(3, "participant", \.participant)
      Field(6, "id", \.id)
      Field(7, "created_at", \.createdAt)
      Field(8, "track", \.track)
      Field(9, "egress_info", \.egressInfo)
      Field(10, "ingress_info", \.ingressInfo)
      Field(13, "room_end_reason", \.roomEndReason)
    }
  }
}
