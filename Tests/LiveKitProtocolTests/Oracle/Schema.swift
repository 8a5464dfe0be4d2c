import RoomLiveKitProtocol

/// The tables of messages as data, for another implementation to compare with its own.
struct Schema: Encodable {
  struct Field: Encodable {
    var number: UInt32
    var name: String
    var camelName: String
    /// `text`, `int32`, … or the name of a message or enumeration in the schema.
    var kind: String
    /// `one`, `optional`, `list`, `map`, or the name of a group of choices.
    var cardinality: String
    /// The names of an enumeration's values.
    var names: [String: Int32]?
  }

  private(set) var messages: [String: [Field]] = [:]

  init(_ types: [any Message.Type]) { for type in types { add(type) } }

  private mutating func add<M: Message>(_ type: M.Type) {
    let name = M.fields.name
    guard messages[name] == nil else { return }
    messages[name] = M.fields.fields.map { field in
      var names: [String: Int32]?
      let kind: String
      switch field.kind {
      case .message(let type): kind = Self.name(type)
      case .enumeration(let type):
        kind = type.schemaName
        names = Dictionary(uniqueKeysWithValues: type.names.map { ($1, $0) })
      default: kind = "\(field.kind)"
      }
      let cardinality = if case .choice(let group) = field.cardinality { group } else { "\(field.cardinality)" }
      return Field(
        number: field.number, name: field.name, camelName: field.camelName, kind: kind, cardinality: cardinality, names: names)
    }
    for field in M.fields.fields { if case .message(let type) = field.kind { add(type) } }
  }

  private static func name<M: Message>(_ type: M.Type) -> String { M.fields.name }
}

/// The messages that are not a part of another one.
let outerMessages: [any Message.Type] = [
  LiveKit.SignalRequest.self, LiveKit.SignalResponse.self, LiveKit.WrappedJoinRequest.self, LiveKit.JoinRequest.self,
  LiveKit.DataPacket.self,
  LiveKit.CreateRoomRequest.self, LiveKit.ListRoomsRequest.self, LiveKit.ListRoomsResponse.self,
  LiveKit.DeleteRoomRequest.self, LiveKit.DeleteRoomResponse.self, LiveKit.UpdateRoomMetadataRequest.self,
  LiveKit.ListParticipantsRequest.self, LiveKit.ListParticipantsResponse.self, LiveKit.RoomParticipantIdentity.self,
  LiveKit.RemoveParticipantResponse.self, LiveKit.MuteRoomTrackRequest.self, LiveKit.MuteRoomTrackResponse.self,
  LiveKit.UpdateParticipantRequest.self, LiveKit.UpdateSubscriptionsRequest.self, LiveKit.UpdateSubscriptionsResponse.self,
  LiveKit.SendDataRequest.self, LiveKit.SendDataResponse.self, LiveKit.PerformRPCRequest.self,
  LiveKit.PerformRPCResponse.self, LiveKit.ForwardParticipantRequest.self, LiveKit.ForwardParticipantResponse.self,
  LiveKit.MoveParticipantRequest.self, LiveKit.MoveParticipantResponse.self,
  LiveKit.StartEgressRequest.self, LiveKit.RoomCompositeEgressRequest.self, LiveKit.ParticipantEgressRequest.self,
  LiveKit.TrackCompositeEgressRequest.self, LiveKit.TrackEgressRequest.self, LiveKit.UpdateLayoutRequest.self,
  LiveKit.UpdateStreamRequest.self, LiveKit.ListEgressRequest.self, LiveKit.ListEgressResponse.self,
  LiveKit.StopEgressRequest.self, LiveKit.EgressInfo.self,
  LiveKit.CreateIngressRequest.self, LiveKit.UpdateIngressRequest.self, LiveKit.ListIngressRequest.self,
  LiveKit.ListIngressResponse.self, LiveKit.DeleteIngressRequest.self,
  LiveKit.CreateAgentDispatchRequest.self, LiveKit.DeleteAgentDispatchRequest.self, LiveKit.ListAgentDispatchRequest.self,
  LiveKit.ListAgentDispatchResponse.self, LiveKit.WorkerMessage.self, LiveKit.ServerMessage.self, LiveKit.WebhookEvent.self,
]
