import RoomHTTPServer
import RoomOriginServer

/// The RTMP server of the origin.
package struct RTMPPart: ServerPart {
  package let server: RTMPServer

  package static func isUsed(by configuration: ServerConfiguration) -> Bool { configuration.origin.listens }

  package static func start(in assembly: Assembly) async throws(StartError) -> Self {
    let (configuration, certificate) = (assembly.ground.configuration, assembly.ground.certificate)
    let part = try await assembly.part(OriginPart.self)
    let secure = configuration.tls.flatMap { tls in certificate.map { (tls.rtmpPort, $0) } }
    do throws(ListenError) {
      let server = try await RTMPServer.start(
        part.origin, host: configuration.originHost, secure: secure, peers: part.peers)
      part.origin.addresses = OwnAddresses(configuration, port: server.port, securePort: server.securePort)
      return Self(server: server)
    } catch { throw StartError(rtmp: error) }
  }

  /// The rooms have ended, and have sent their encoders the reason.
  package func quiesce() async { await server.stop() }
}

/// The SRT server of the origin.
package struct SRTPart: ServerPart {
  package let server: SRTServer

  package static func isUsed(by configuration: ServerConfiguration) -> Bool { configuration.origin.srt.listens }

  package static func start(in assembly: Assembly) async throws(StartError) -> Self {
    let part = try await assembly.part(OriginPart.self)
    do throws(ListenError) {
      return Self(server: try SRTServer(part.origin, host: assembly.ground.configuration.originHost, peers: part.peers))
    } catch { throw StartError(srt: error) }
  }

  package func quiesce() async { await server.stop() }
}
