import RoomHTTPServer
import RoomLiveOrigin
import RoomOriginServer

/// The live origin: its streams, their variants and HTTP forms, and those that other nodes have.
package struct OriginPart: ServerPart {
  package let origin: Origin
  /// The connections of encoders and players by address, of all protocols.
  let peers: ConnectionsPerAddress
  private let flv: FLVAPI
  private let hls: HLSDirectory
  private let variants: VariantDirectory
  /// Nil without other nodes.
  private let pulls: PullDirectory?

  package static func start(in assembly: Assembly) async throws(StartError) -> Self {
    let ground = assembly.ground
    let (settings, limits) = (ground.configuration.origin, ground.configuration.limits)
    let history = try await assembly.part(HistoryPart.self).history
    let neighbours = try await assembly.neighbours
    let origin = Origin(
      settings, keys: ground.keys, isRevoked: { [kicked = ground.kicked] token in kicked.withLock { $0.contains(token) } },
      log: ground.log)
    origin.install(EncoderObserver(began: history.began(_:from:), ended: history.ended))
    let variants = VariantDirectory(settings.variants, origin: origin)
    origin.install { [weak variants] (path) throws(OriginRefusal) in try variants?.make(path) ?? false }
    await history.count { [origin] in origin.audience }
    return Self(
      origin: origin,
      peers: ConnectionsPerAddress(
        limit: settings.connectionsPerAddress, exempt: ground.configuration.trustedProxies),
      flv: FLVAPI(origin, limit: max(1, limits.connections / 2), isServer: neighbours.isNode),
      hls: HLSDirectory(settings.hls, origin: origin, connections: limits.connections), variants: variants,
      pulls: neighbours.streams.map { PullDirectory(origin, $0) })
  }

  /// The number of people who watch streams of other nodes here, by the name of the node that each is pulled from.
  package var pulledAudience: [String: [StreamPath: Int]] { pulls?.audience ?? [:] }

  package var endpoints: [Endpoint] {
    OriginAPI(origin: origin).endpoints + flv.endpoints + HLSAPI(directory: hls).endpoints
  }

  package func addMetrics(to text: inout PrometheusText) async {
    origin.addMetrics(to: &text)
    hls.addMetrics(to: &text)
    variants.addMetrics(to: &text)
    pulls?.addMetrics(to: &text)
  }

  package func quiesce() async {
    origin.quiesce()
    flv.stop()
    await hls.stop()
  }

  package func stop() async {
    await variants.stop()
    await pulls?.stop()
    await origin.stop()
  }
}
