extension LiveKit {
  /// Whether a packet is repeated until it arrives.
  package struct DataPacketKind: Enumeration {
    package static let reliable = Self(rawValue: 0)
    package static let lossy = Self(rawValue: 1)

    package static let schemaName = "DataPacket.Kind"
    package static let names: [Int32: String] = [0: "RELIABLE", 1: "LOSSY"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// A message over a data channel, with its content. What this server does not read is dropped; see ``RoutedPacket``.
  package struct DataPacket: Message {
    package enum Value: Sendable, Equatable {
      case user(UserPacket)
      case speaker(ActiveSpeakerUpdate)
      case chatMessage(ChatMessage)
      case rpcRequest(RPCRequest)
      case rpcAck(RPCAck)
      case rpcResponse(RPCResponse)
      case streamHeader(StreamHeader)
      case streamChunk(StreamChunk)
      case streamTrailer(StreamTrailer)
      case encryptedPacket(EncryptedPacket)
    }

    package var kind: DataPacketKind = .init()
    package var value: Value?
    package var participantIdentity: String = ""
    package var destinationIdentities: [String] = []
    package var sequence: UInt32 = 0
    package var participantSID: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("DataPacket") {
      Field(1, "kind", \.kind)
      Field(2, "user", of: "value", \.value, Value.user) { if case .user(let value) = $0 { value } else { nil } }
      Field(3, "speaker", of: "value", \.value, Value.speaker) { if case .speaker(let value) = $0 { value } else { nil } }
      Field(4, "participant_identity", \.participantIdentity)
      Field(5, "destination_identities", list: \.destinationIdentities)
      Field(9, "chat_message", of: "value", \.value, Value.chatMessage) {
        if case .chatMessage(let value) = $0 { value } else { nil }
      }
      Field(10, "rpc_request", of: "value", \.value, Value.rpcRequest) {
        if case .rpcRequest(let value) = $0 { value } else { nil }
      }
      Field(11, "rpc_ack", of: "value", \.value, Value.rpcAck) { if case .rpcAck(let value) = $0 { value } else { nil } }
      Field(12, "rpc_response", of: "value", \.value, Value.rpcResponse) {
        if case .rpcResponse(let value) = $0 { value } else { nil }
      }
      Field(13, "stream_header", of: "value", \.value, Value.streamHeader) {
        if case .streamHeader(let value) = $0 { value } else { nil }
      }
      Field(14, "stream_chunk", of: "value", \.value, Value.streamChunk) {
        if case .streamChunk(let value) = $0 { value } else { nil }
      }
      Field(15, "stream_trailer", of: "value", \.value, Value.streamTrailer) {
        if case .streamTrailer(let value) = $0 { value } else { nil }
      }
      Field(16, "sequence", \.sequence)
      Field(17, "participant_sid", \.participantSID)
      Field(18, "encrypted_packet", of: "value", \.value, Value.encryptedPacket) {
        if case .encryptedPacket(let value) = $0 { value } else { nil }
      }
    }
  }

  /// Bytes of an app.
  package struct UserPacket: Message {
    package var participantSID: String = ""
    package var payload: [UInt8] = []
    package var destinationSIDs: [String] = []
    package var topic: String?
    package var participantIdentity: String = ""
    package var destinationIdentities: [String] = []
    package var id: String?
    package var startTime: UInt64?
    package var endTime: UInt64?
    package var nonce: [UInt8] = []

    package init() {}

    package static let fields = FieldTable<Self>("UserPacket") {
      Field(1, "participant_sid", \.participantSID)
      Field(2, "payload", \.payload)
      Field(3, "destination_sids", list: \.destinationSIDs)
      Field(4, "topic", \.topic)
      Field(5, "participant_identity", \.participantIdentity)
      Field(6, "destination_identities", list: \.destinationIdentities)
      Field(8, "id", \.id)
      Field(9, "start_time", \.startTime)
      Field(10, "end_time", \.endTime)
      Field(11, "nonce", \.nonce)
    }
  }

  /// The loudest participants.
  package struct ActiveSpeakerUpdate: Message {
    package var speakers: [SpeakerInfo] = []

    package init() {}

    package static let fields = FieldTable<Self>("ActiveSpeakerUpdate") {
      Field(1, "speakers", list: \.speakers)
    }
  }

  /// A chat message.
  package struct ChatMessage: Message {
    package var id: String = ""
    /// Milliseconds since 1970.
    package var timestamp: Int64 = 0
    /// Milliseconds since 1970.
    package var editTimestamp: Int64?
    package var message: String = ""
    package var deleted: Bool = false
    package var generated: Bool = false

    package init() {}

    package static let fields = FieldTable<Self>("ChatMessage") {
      Field(1, "id", \.id)
      Field(2, "timestamp", \.timestamp)
      Field(3, "edit_timestamp", \.editTimestamp)
      Field(4, "message", \.message)
      Field(5, "deleted", \.deleted)
      Field(6, "generated", \.generated)
    }
  }

  /// A content that only the participants can read.
  package struct EncryptedPacket: Message {
    package var encryptionType: Encryption = .init()
    package var iv: [UInt8] = []
    package var keyIndex: UInt32 = 0
    package var encryptedValue: [UInt8] = []

    package init() {}

    package static let fields = FieldTable<Self>("EncryptedPacket") {
      Field(1, "encryption_type", \.encryptionType)
      Field(2, "iv", \.iv)
      Field(3, "key_index", \.keyIndex)
      Field(4, "encrypted_value", \.encryptedValue)
    }
  }
}
