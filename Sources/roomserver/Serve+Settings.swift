import ArgumentParser
import Foundation
import Logging
import RoomServer

// Resolves flags, environment and file.

extension Serve {
  /// The resolved settings.
  struct Resolved {
    var configuration: ServerConfiguration
    var logLevel: Logger.Level
    /// The time that open rooms have after SIGTERM.
    var drainTime: Duration
    /// The server to which clients are redirected meanwhile.
    var drainRedirect: String?
  }

  /// Returns the settings of the flags, the environment, and the file that one of the two names.
  func settings() throws -> ServeSettings {
    let environment = ProcessInfo.processInfo.environment
    let file = try (config ?? environment["ROOMSERVER_CONFIG"]).map { try SettingsFile(path: $0) }
    return ServeSettings(environment: environment, file: file)
  }

  /// - Throws: `ValidationError` if a setting is invalid, or two settings conflict.
  func resolve(_ settings: ServeSettings) throws -> Resolved {
    let keys = try keys.keys(settings)
    var configuration = ServerConfiguration(keys: Dictionary(uniqueKeysWithValues: keys.map { ($0.name, $0.secret) }))
    configuration.signingKey = keys.first?.name
    try network.apply(to: &configuration, settings, development: dev)
    try media.apply(to: &configuration, settings)
    try tls.apply(to: &configuration, settings)
    try origin.apply(to: &configuration, settings, development: dev)
    try hls.apply(to: &configuration, settings)
    let addresses = [configuration.host, configuration.origin.host].compactMap { $0 } + configuration.media.bind
    for address in addresses where dev && !Self.isLoopback(address) {
      throw ValidationError(
        "--dev requires a loopback address, because it prints a secret, and \(address) is not one")
    }
    try relay.apply(to: &configuration, settings)
    try webhooks.apply(to: &configuration, settings)
    configuration.iceServers = try iceServers.servers(settings)
    try rooms.apply(to: &configuration, settings, development: dev)
    try rules.apply(to: &configuration, settings)
    try signalling.apply(to: &configuration, settings)
    let directory = settings.text("data", data, default: dev ? "none" : "roomserver-data")
    guard !directory.isEmpty else { throw ValidationError("--data must be a directory or none") }
    configuration.data = directory == "none" ? nil : directory
    guard let level = Logger.Level(rawValue: settings.text("log-level", logLevel, default: "info")) else {
      throw ValidationError("--log-level must be trace, debug, info, notice, warning, error or critical")
    }
    let drainTime = try settings.number("drain", drain, in: 0...86_400) ?? 0
    let redirect = settings.text("drain-redirect", drainRedirect)
    if let redirect, let validationError = ServerConfiguration.validationError(drainRedirect: redirect) {
      throw ValidationError("--drain-redirect: \(validationError)")
    }
    return Resolved(
      configuration: configuration, logLevel: level, drainTime: .seconds(drainTime), drainRedirect: redirect)
  }

  private static func isLoopback(_ address: String) -> Bool { address.hasPrefix("127.") || address == "::1" }
}
