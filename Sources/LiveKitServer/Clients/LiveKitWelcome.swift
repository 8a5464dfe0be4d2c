import RoomLiveKitProtocol
import RoomProtocol
import RoomServer

// The first message to a client.

extension LiveKit.JoinResponse {
  /// - Parameters:
  ///   - me: the client's own description.
  ///   - others: the other participants.
  init(
    _ result: JoinResult, to client: LiveKitClient, _ room: LiveKit.Room, me: LiveKit.ParticipantInfo,
    _ others: [LiveKit.ParticipantInfo]
  ) {
    self.init {
      $0.room = room
      $0.participant = me
      $0.otherParticipants = others
      $0.subscriberPrimary = !client.hasSingleConnection
      $0.fastPublish = true
      $0.pingInterval = 5
      $0.pingTimeout = 15
      $0.serverVersion = LiveKit.ServerInfo.supportedVersion
      $0.serverInfo = LiveKit.ServerInfo(for: client)
      $0.iceServers = LiveKit.ICEServer.all(of: result)
      $0.enabledPublishCodecs = ["video/VP8", "video/H264", "video/VP9", "video/AV1", "audio/opus"].map { mime in
        LiveKit.Codec { $0.mime = mime }
      }
    }
  }
}

extension LiveKit.ReconnectResponse {
  /// - Parameter lastPacket: the number of the last reliable packet of the client.
  init(_ result: JoinResult, to client: LiveKitClient, lastPacket: UInt32) {
    self.init {
      $0.iceServers = LiveKit.ICEServer.all(of: result)
      $0.serverInfo = LiveKit.ServerInfo(for: client)
      $0.lastMessageSeq = lastPacket
    }
  }
}

extension LiveKit.ServerInfo {
  /// The version of LiveKit's server whose signalling this is. Clients refuse a server without one.
  static let supportedVersion = "1.13.0"

  fileprivate init(for client: LiveKitClient) {
    self.init {
      $0.version = Self.supportedVersion
      $0.protocolNumber = Int32(clamping: min(17, client.protocolNumber))
    }
  }
}

extension LiveKit.ICEServer {
  fileprivate static func all(of result: JoinResult) -> [Self] {
    (result.iceServers ?? []).map { server in
      Self {
        $0.urls = server.urls
        $0.username = server.username ?? ""
        $0.credential = server.credential ?? ""
      }
    }
  }
}
