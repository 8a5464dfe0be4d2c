import RoomCClient
import RoomClient

extension RoomOptions {
  /// Reads the options of the app; NULL for the defaults.
  /// - Parameter hooks: runs the callbacks that the room asks.
  init(_ pointer: UnsafePointer<rc_room_options>?, hooks: Delivery) throws(Refusal) {
    self.init(statisticsInterval: nil)
    guard let pointer else { return }
    let options = try structure(pointer, rc_room_options(), "options")
    autoSubscribe = !options.manual_subscribe
    receivesTracks = !options.receives_nothing
    audioLevels = options.audio_levels
    let milliseconds = 0...86_400_000
    let limit = try integer(options.timeout_ms, "timeout_ms", in: milliseconds)
    if limit > 0 { timeout = .milliseconds(limit) }
    let interval = try integer(options.statistics_ms, "statistics_ms", in: milliseconds)
    if interval > 0 { statisticsInterval = .milliseconds(interval) }
    switch try integer(options.reconnect_tries, "reconnect_tries", in: -2...1_000_000) {
    case -2: reconnect = .unlimited
    case -1: reconnect = .never
    case 0: break
    case let tries: reconnect = ReconnectPolicy(tries: tries)
    }
    let backlog = try integer(options.event_backlog, "event_backlog", in: 0...1_000_000)
    if backlog > 0 { eventBacklog = backlog }
    switch options.media_protocol {
    case RC_MEDIA_AUTOMATIC: mediaProtocol = .automatic
    case RC_MEDIA_UDP: mediaProtocol = .udp
    case RC_MEDIA_TCP: mediaProtocol = .tcp
    default: throw .argument("media_protocol", "is \(options.media_protocol.rawValue), not 0 to 2")
    }
    preferSmall = options.prefers_small
    networkChange = try NetworkChangePolicy(
      follows: !options.ignores_network, options.on_network, options.network_context, on: hooks)
    trust = try ServerTrust(any: options.trust_any_server, certificates: options.certificates)
  }
}
