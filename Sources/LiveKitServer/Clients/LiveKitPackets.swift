import Foundation
import RoomEngine
import RoomLiveKitProtocol
import RoomProtocol
import RoomSFU
import RoomServer
import RoomToken

/// What a data packet of a LiveKit client leads to, or a call of the room.
enum LiveKitDataAction: Sendable {
  /// Passes a message on; to all others if `users` is nil. Clients of other protocols get its content.
  case relay(DataMessage, DataContent?, to: [UserID]?)
  /// Sends a message to the client itself.
  case send(DataMessage)
  /// A call of the room by RPC, within the client's rate limit. The answer is delivered with this number.
  case call(request: Int, SignalCall)
  /// Reads the room's state for the answer to this RPC.
  case readState(rpc: String)
  /// The client's answer to a call of an app's server.
  case answered(LiveKit.RPCResponse)
  /// Counts a packet that is malformed or not permitted.
  case refuse
}

/// Reads the data packets of LiveKit's clients, and makes those of this server.
///
/// The sender of a packet is written here, whatever the client claims. The content is passed on as it is: its kind may be unknown,
/// and it may be encrypted.
enum LiveKitPackets {
  /// The identity by which clients call the room, and as which the room calls them. No client can have it.
  static let room = "@room"
  /// The topic of the room's events.
  static let eventTopic = "room"
  /// Bytes of a packet. Clients divide texts and files into chunks of 15,000 bytes.
  static let maximumBytes = 65_536
  /// Bytes of the payload of an RPC.
  static let maximumCall = 15_360
  /// The channels to and from a client.
  static let channels = DataChannelPair(reliable: "_reliable", lossy: "_lossy")

  /// Who sends packets.
  struct Sender: Sendable {
    var identity: String
    var sid: String
    /// Whether others must not learn who it is.
    var isHidden: Bool
    var mayPublish: Bool
  }

  /// What a client's packet is.
  enum Received: Sendable {
    case action(LiveKitDataAction)
    case roomCall(LiveKit.RPCRequest)
    /// A part of a stream to everybody, and how it is passed on.
    case stream(LiveKit.DataPacket.Value, LiveKitDataAction)
    /// Nothing has to be done.
    case none
  }

  /// Reads a packet.
  /// - Parameters:
  ///   - last: the number of the last reliable packet. One that is repeated has no effect.
  ///   - user: returns the participant with an id.
  static func read(
    _ message: DataMessage, from sender: Sender, after last: inout UInt32, user: (String) -> UserID?
  ) -> Received {
    let label = message.isReliable ? channels.reliable.label : channels.lossy.label
    guard message.label == label else { return .none }
    guard !message.isText, message.payload.count <= maximumBytes,
      let packet = try? LiveKit.DataPacket(protobuf: message.payload),
      var routed = try? LiveKit.RoutedPacket(protobuf: message.payload)
    else { return .action(.refuse) }
    if message.isReliable, routed.sequence != 0 {
      guard routed.sequence > last else { return .none }
      last = routed.sequence
    }
    if packet.destinationIdentities == [room] { return toRoom(packet.value) }
    guard sender.mayPublish else { return .action(.refuse) }
    routed.kind = message.isReliable ? .reliable : .lossy
    routed.participantIdentity = sender.isHidden ? "" : sender.identity
    routed.participantSID = sender.isHidden ? "" : sender.sid
    var users = routed.destinationIdentities.compactMap { ForeignName($0)?.user }
    switch packet.value {
    case .user(var content):
      // Older clients name the receivers here, and read here who sends.
      users += content.destinationIdentities.compactMap { ForeignName($0)?.user } + content.destinationSIDs.compactMap(user)
      if routed.destinationIdentities.isEmpty { routed.destinationIdentities = content.destinationIdentities }
      content.participantIdentity = routed.participantIdentity
      content.participantSID = routed.participantSID
      routed.content = LiveKit.DataPacket { $0.value = .user(content) }.protobuf
      let isAddressed = !routed.destinationIdentities.isEmpty || !content.destinationSIDs.isEmpty
      let common = sender.isHidden ? nil : DataContent(topic: content.topic ?? "", payload: content.payload)
      return relay(routed, message, common, to: isAddressed ? users : nil)
    case .streamHeader, .streamChunk, .streamTrailer:
      let isAddressed = !routed.destinationIdentities.isEmpty
      let relayed = relay(routed, message, nil, to: isAddressed ? users : nil)
      guard !isAddressed, message.isReliable, let value = packet.value, case .action(let action) = relayed else {
        return relayed
      }
      return .stream(value, action)
    // The server's alone.
    case .speaker: return .action(.refuse)
    default: return relay(routed, message, nil, to: routed.destinationIdentities.isEmpty ? nil : users)
    }
  }

  private static func relay(
    _ packet: LiveKit.RoutedPacket, _ message: DataMessage, _ content: DataContent?, to users: [UserID]?
  ) -> Received {
    .action(
      .relay(
        DataMessage(isReliable: message.isReliable, payload: packet.protobuf, share: message.share), content,
        to: users))
  }

  private static func toRoom(_ value: LiveKit.DataPacket.Value?) -> Received {
    switch value {
    case .rpcRequest(let request): .roomCall(request)
    case .rpcResponse(let response): .action(.answered(response))
    default: .none
    }
  }

  // MARK: The room's own packets

  private static func message(_ value: LiveKit.DataPacket.Value, isReliable: Bool = true, from identity: String = "")
    -> DataMessage
  {
    DataMessage(
      isReliable: isReliable,
      payload: LiveKit.DataPacket {
        $0.kind = isReliable ? .reliable : .lossy
        $0.participantIdentity = identity
        $0.value = value
      }.protobuf)
  }

  /// A change of the room; nil if it can't be written.
  static func event(_ change: NumberedChange) -> DataMessage? {
    guard let json = try? JSON.encoder().encode(change), json.count <= maximumBytes else { return nil }
    return message(
      .user(
        LiveKit.UserPacket {
          $0.topic = eventTopic
          $0.payload = Array(json)
        }))
  }

  /// A call of a client.
  static func call(_ request: LiveKit.RPCRequest) -> DataMessage { message(.rpcRequest(request), from: room) }

  /// The acknowledgement that a client waits for.
  static func acknowledgement(of rpc: String) -> DataMessage {
    message(.rpcAck(LiveKit.RPCAck { $0.requestID = rpc }), from: room)
  }

  /// The answer to a call of the room: JSON, or the stable code of an error.
  static func answer(to rpc: String, _ result: Result<any Encodable & Sendable, RoomError>) -> DataMessage {
    let value: LiveKit.RPCResponse.Value
    switch result {
    case .success(let answer):
      if let json = try? JSON.encoder().encode(answer), json.count <= maximumCall {
        value = .payload(String(decoding: json, as: UTF8.self))
      } else {
        // LiveKit's own code for an answer that is too large.
        value = .error(error(1504, "the call was performed, but its answer has more than \(maximumCall) bytes"))
      }
    case .failure(let failure): value = .error(error(failure.code.rawValue, failure.message))
    }
    return message(
      .rpcResponse(
        LiveKit.RPCResponse {
          $0.requestID = rpc
          $0.value = value
        }), from: room)
  }

  private static func error(_ code: Int, _ message: String) -> LiveKit.RPCError {
    LiveKit.RPCError {
      $0.code = UInt32(clamping: code)
      // Clients cut longer ones.
      $0.message = String(message.prefix(256))
    }
  }
}

/// The form of messages of LiveKit's clients.
struct LiveKitFormat: DataFormat {
  let name = "livekit"

  func encode(_ content: DataContent, from sender: DataSender?) -> [UInt8]? {
    let sid = sender.map { LiveKitID.participant($0.user, joinedAt: $0.joinedAt, in: $0.room) } ?? ""
    let identity = sender?.user.foreignName ?? ""
    let user = LiveKit.UserPacket {
      $0.payload = content.payload
      $0.topic = content.topic.isEmpty ? nil : content.topic
      ($0.participantIdentity, $0.participantSID) = (identity, sid)
    }
    return LiveKit.DataPacket {
      ($0.participantIdentity, $0.participantSID) = (identity, sid)
      $0.value = .user(user)
    }.protobuf
  }
}

extension SignalCall {
  /// The call of the room that a LiveKit client makes by RPC: the method's name is that of signalling, the payload its parameters.
  /// - Throws: 10001 for a method that is not for RPC, and for parameters that are not valid.
  init(_ rpc: LiveKit.RPCRequest) throws(RoomError) {
    guard rpc.compressedPayload.isEmpty, rpc.payload.utf8.count <= LiveKitPackets.maximumCall else {
      throw RoomError(.unknownMessage, "the payload is JSON of at most \(LiveKitPackets.maximumCall) bytes, not compressed")
    }
    let data = Data((rpc.payload.isEmpty ? "{}" : rpc.payload).utf8)
    do {
      self = try JSONDecoder().decodeUTF8(RPCParams.self, from: data, configuration: rpc.method).call
    } catch {
      throw RoomError(.unknownMessage, "the payload can't be read: \(describeDecodingError(error, reading: data))")
    }
    switch self {
    case .seats, .pk, .players, .sendMessage, .setAttributes, .kick, .mute, .startForward, .startMerge, .setLayouts, .stopJob,
      .setStage,
      .getPlayURLs:
      break
    case .join, .leave, .publish, .unpublish, .subscribe, .unsubscribe, .confirmTracks, .setReception, .setAudioLevels,
      .setReceiving, .editComposition, .setComposition, .answer, .resubscribe, .ping, .unknown:
      throw RoomError(.unknownMessage, "there is no method \"\(rpc.method.prefix(64))\" of the room")
    }
  }
}

private struct RPCParams: DecodableWithConfiguration {
  let call: SignalCall

  init(from decoder: any Decoder, configuration method: String) throws {
    call = try SignalCall(method: method, params: decoder)
  }
}
