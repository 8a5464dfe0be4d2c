import RoomHTTPServer

/// What one subject gives to the server: routes, sockets, metrics, readings for alarms, its start and its end.
///
/// A part finds the parts that it needs by ``Assembly/part(_:)`` while it starts. Parts therefore start after what they need, and end
/// before.
package protocol ServerPart: Sendable {
  /// Whether a server of this configuration has the part.
  static func isUsed(by configuration: ServerConfiguration) -> Bool
  /// Starts the part. A part that throws leaves nothing behind.
  static func start(in assembly: Assembly) async throws(StartError) -> Self

  /// The operations of the HTTP server.
  var endpoints: [Endpoint] { get }
  /// The subjects of WebSockets other than signalling.
  var doors: [any SocketDoor] { get }
  /// Adds the part's lines of `/metrics`.
  func addMetrics(to text: inout PrometheusText) async
  /// Adds what the alarms are decided from.
  func read(into readings: inout AlarmReadings) async

  /// Begins what needs the addresses of the server: all parts have started, and the server accepts clients.
  func serve(at addresses: ServerAddresses) async
  /// Ends what clients and other servers see of the part. All parts still run.
  func quiesce() async
  /// Ends the part's threads and closes its files. Parts that need this one have ended.
  func stop() async
}

extension ServerPart {
  package static func isUsed(by configuration: ServerConfiguration) -> Bool { true }
  package var endpoints: [Endpoint] { [] }
  package var doors: [any SocketDoor] { [] }
  package func addMetrics(to text: inout PrometheusText) async {}
  package func read(into readings: inout AlarmReadings) async {}
  package func serve(at addresses: ServerAddresses) async {}
  package func quiesce() async {}
  package func stop() async {}
}

/// The ports of a server.
package struct ServerAddresses: Sendable, Hashable {
  /// The TCP port of HTTP and signalling.
  package var http: UInt16 = 0
  /// The TCP port of HTTPS; nil without a certificate.
  package var https: UInt16?
  /// The TCP ports of RTMP and RTMPS; nil if they are off.
  package var rtmp: UInt16?
  package var rtmps: UInt16?
  /// The UDP port of SRT; nil if SRT is off.
  package var srt: UInt16?
  /// The UDP ports of the media workers.
  package var media: [UInt16] = []
}
