import Foundation
import RoomEngine
import RoomLiveKitProtocol
import RoomProtocol
import RoomServer
import RoomToken

/// The connection of a worker, and what the tokens of its agents permit.
struct AgentLink: Sendable {
  /// How long the token of an agent is valid to join, in seconds.
  private static let tokenTime = 3600.0
  /// The attribute of agents that has the name of their worker.
  private static let nameAttribute = "lk.agent_name"

  let socket: any SignalChannel
  /// The API key of the worker's token, which signs the tokens of its agents.
  let key: String
  let permission: LiveKit.ParticipantPermission

  func send(_ message: LiveKit.ServerMessage.Content) {
    socket.send(SignalFrame.message(LiveKit.ServerMessage { $0.message = message }.protobuf, isBinary: true))
  }

  /// Returns the token with which an agent joins.
  /// - Parameter answer: what its worker says about it.
  func token(_ answer: LiveKit.AvailabilityResponse, of dispatch: AgentDispatch) -> LiveKitToken {
    var token = LiveKitToken(
      key: key, identity: ForeignName(answer.participantIdentity), expires: Date(timeIntervalSinceNow: Self.tokenTime))
    (token.kind, token.name, token.metadata) = (LiveKitToken.agentKind, answer.participantName, answer.participantMetadata)
    token.attributes = answer.participantAttributes
    token.attributes[Self.nameAttribute] = dispatch.agent
    token.grants.room = ForeignName(dispatch.roomName)
    (token.grants.roomJoin, token.grants.agent) = (true, true)
    token.grants.canPublish = permission.canPublish
    token.grants.canSubscribe = permission.canSubscribe
    token.grants.canPublishData = permission.canPublishData
    token.grants.canUpdateOwnMetadata = permission.canUpdateMetadata
    token.grants.hidden = permission.hidden
    token.grants.canPublishSources = permission.canPublishSources.compactMap { VideoGrants.Source($0) }
    return token
  }
}
