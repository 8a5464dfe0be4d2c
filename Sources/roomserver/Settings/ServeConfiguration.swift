import ArgumentParser
import Logging
import RoomCluster
import RoomLiveOrigin
import RoomHTTPServer
import RoomProtocol
import RoomRedis
import RoomRelay
import RoomServer

/// The configuration of `roomserver serve`. The settings are stored in it; its initial values are their defaults.
struct ServeConfiguration: Sendable {
  var server = ServerConfiguration(keys: [:])
  var logLevel = Logger.Level.info
  /// The time that open rooms have after SIGTERM.
  var drainTime = Duration.zero
  /// The server to which clients are redirected meanwhile.
  var drainRedirect: String?

  // Values that `combine` stores in `server`.
  var keys = APIKeys()
  var mediaBind: [String] = []
  var joinBurst: Int?
  var certificate: String?
  var certificateKey: String?
  var tls = TLSSettings(certificate: "", key: "")
  var ice = ICEServers()
  var publishKey: String?
  var srtPassphrase: String?
  var publishRule = HotlinkProtection.Rule(key: "")
  var playKey: String?
  var playRule = HotlinkProtection.Rule(key: "")
  var recordingDirectory: String?
  var recording = Recordings.Settings(directory: "")
  var recordingHours: Int?
  var recordingGiB: Int?
  var uploadDirectory: String?
  var upload = UploadSettings(directory: "")
  var webhookSecret: String?
  var data = "roomserver-data"
  var cluster: String?
  var nodeAddress: String?
  var nodeCA: String?
  var nodeLinkPort: UInt16 = 0
  var edge = true
  var edgeFanOut = 8
  var region: String?
  var nodeID: String?

  static let usual = ServeConfiguration(development: false)
  static let development = ServeConfiguration(development: true)

  /// Creates the defaults.
  /// - Parameter development: those of --dev: any free port for media and RTMP, no data, rooms by the first join.
  init(development: Bool) {
    server.port = 8080
    server.media.port = development ? 0 : 8100
    server.origin.port = development ? 0 : 1935
    server.origin.srt.port = development ? 0 : 8890
    server.autoCreateRooms = development
    server.rooms.watch = WatchPolicy(isPublic: development, chat: development)
    tls.port = 8443
    tls.rtmpPort = 1936
    if development { data = "none" }
  }

  /// Stores the values that depend on others.
  /// - Throws: `ValidationError` if values conflict.
  mutating func combine(development: Bool) throws {
    let keys = try keys.all()
    for key in keys { server.keys[key.name] = Secret(key.secret) }
    server.signingKey = keys.first?.name
    // Firefox gathers no loopback candidates, so it reaches no server that has only those.
    let usualMediaBind = development ? [server.host, "::"] : [server.host]
    server.media.bind = mediaBind.isEmpty ? usualMediaBind : mediaBind
    server.limits.joinBurst = joinBurst ?? Int(5 * server.limits.joinsPerSecond)
    server.iceServers = try ice.settings()
    server.webhooks.secret = webhookSecret.map { Secret($0) }
    if let srtPassphrase {
      guard (10...79).contains(srtPassphrase.utf8.count) else {
        throw ValidationError("--srt-passphrase must have 10 to 79 bytes")
      }
      server.origin.srt.passphrase = Secret(srtPassphrase)
    }
    server.origin.protection.publish = try rule(publishRule, key: publishKey, "publish-key")
    server.origin.protection.play = try rule(playRule, key: playKey, "play-key")
    if let recordingDirectory {
      recording.directory = recordingDirectory
      recording.retention = RecordingRetention(
        longestAge: recordingHours.map { Int64($0) * 3_600_000 }, largestSize: recordingGiB.map { Int64($0) << 30 })
      server.relay.recordings = recording
    }
    if let uploadDirectory {
      upload.directory = uploadDirectory
      server.uploads = upload
    }
    guard !data.isEmpty else { throw ValidationError("--data must be a directory or none") }
    server.data = data == "none" ? nil : data
    try combineTLS()
    try combineCluster()
    try checkPairs()
    // The media ports answer only participants, who need a token.
    let addresses = [server.host, server.origin.host].compactMap { $0 }
    for address in addresses where development && !(address.hasPrefix("127.") || address == "::1") {
      throw ValidationError("--dev requires a loopback address, because it prints a secret, and \(address) is not one")
    }
  }

  private func rule(_ rule: HotlinkProtection.Rule, key: String?, _ flag: String) throws -> HotlinkProtection.Rule? {
    guard let key else { return nil }
    guard !key.isEmpty else { throw ValidationError("--\(flag) must not be empty") }
    return HotlinkProtection.Rule(key: key, validity: rule.validity)
  }

  private mutating func combineTLS() throws {
    switch (certificate, certificateKey) {
    case (nil, nil): break
    case (let certificate?, let key?):
      tls.certificate = certificate
      tls.key = key
      server.tls = tls
    default: throw ValidationError("--certificate and --certificate-key require each other")
    }
  }

  private mutating func combineCluster() throws {
    guard let cluster else { return }
    do throws(RedisURL.Invalid) { server.cluster = ClusterSettings(store: try RedisURL(cluster)) } catch {
      throw ValidationError("--cluster: \(error)")
    }
    if let nodeAddress, let error = ClusterSettings.validationError(address: nodeAddress) {
      throw ValidationError("--node-address \(error)")
    }
    server.cluster?.address = nodeAddress
    server.cluster?.authorities = nodeCA
    server.cluster?.linkPort = nodeLinkPort
    server.cluster?.isEdge = edge
    server.cluster?.edgeFanOut = edgeFanOut
    server.cluster?.region = region ?? ""
    if let nodeID {
      guard let node = NodeID(nodeID) else {
        throw ValidationError("--node-id must have 1 to 64 letters, digits, dots, hyphens and underscores")
      }
      server.cluster?.node = node
    }
  }

  /// Checks values that limit each other.
  private func checkPairs() throws {
    if let error = server.origin.hls.cutting.validationError { throw ValidationError("HLS: \(error)") }
    if let error = server.relay.policy.validationError { throw ValidationError("--push-policy: \(error)") }
    if let url = server.publicURL, url.wholeMatch(of: /https?:\/\/[^\s\/?#]+(\/[^\s?#]*)?/) == nil {
      throw ValidationError("--public-url must be a URL such as https://live.example.org, without a query")
    }
    if let url = server.publicRTMPURL, url.wholeMatch(of: /rtmps?:\/\/[^\s\/?#]+\/?/) == nil {
      throw ValidationError("--public-rtmp-url must be a URL such as rtmp://live.example.org, without a path")
    }
    if let error = server.webhooks.validationError { throw ValidationError("--webhook: \(error)") }
    guard server.webhooks.longestWait >= server.webhooks.firstWait else {
      throw ValidationError("--webhook-longest-wait can't be less than --webhook-first-wait")
    }
    guard server.rooms.rules.pkSilenceTime > server.rooms.rules.pkBeatTime else {
      throw ValidationError("--pk-silence-time must be greater than --pk-beat-time, or every PK would end")
    }
    guard server.keepAlive.silence > server.keepAlive.pingInterval else {
      throw ValidationError("--silence-time must be greater than --ping-interval, or idle clients would be closed")
    }
    if let drainRedirect, let error = ServerConfiguration.validationError(drainRedirect: drainRedirect) {
      throw ValidationError("--drain-redirect: \(error)")
    }
  }
}
