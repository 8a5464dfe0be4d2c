import ArgumentParser
import Foundation

/// The servers that media measurements compare: this project's and Janus, started for each measurement or already running.
struct ServerOptions: ParsableArguments {
  @OptionGroup var own: StartOptions

  @Option(help: "With --start: the server's executable.")
  var janus = "/usr/bin/janus"

  @Option(
    help: """
      With --start: the address that servers listen on (default: 127.0.0.1; with Janus, which takes no loopback address, \
      that of the first other interface: see own-network.sh)
      """)
  var address: String?

  @Option(help: "Without --start: a server's process id; once per target, in the same order.")
  var serverPid: [Int32] = []

  @Option(help: "Without --start: the address of Janus' WebSocket API.")
  var janusUrl = "ws://127.0.0.1:8188/"

  @OptionGroup var connection: ConnectionOptions

  func validate() throws {
    guard serverPid.isEmpty || !own.start else { throw ValidationError("--server-pid can't be combined with --start") }
  }

  func check(targets: Int) throws {
    guard serverPid.isEmpty || serverPid.count == targets else {
      throw ValidationError("--server-pid must be given once per --target, in the same order")
    }
  }

  /// Returns the process id of a running target by its index on the command line; nil if it is unknown.
  func pid(_ index: Int?) -> Int32? {
    guard let index, serverPid.indices.contains(index) else { return nil }
    return serverPid[index]
  }

  /// Returns this project's server.
  /// - Parameters:
  ///   - index: the target's index on the command line.
  ///   - besideJanus: whether Janus is measured too, so that both need the same kind of address.
  func roomserver(_ index: Int?, besideJanus: Bool) async throws -> MeasuredServer<RoomserverAddress> {
    if own.start { return try await own.startRoomserver(at: ownAddress(besideJanus: besideJanus)).measured }
    let address = try RoomserverAddress(connection.url, await connection.tokens())
    return MeasuredServer(target: address, pid: pid(index), metrics: address.metrics)
  }

  /// Returns Janus with the URL of its WebSocket API.
  /// - Parameter index: the target's index on the command line.
  func janus(_ index: Int?, plugin: String) async throws -> MeasuredServer<String> {
    guard own.start else { return MeasuredServer(target: janusUrl, pid: pid(index)) }
    return try await StartedServers.janus(program: janus, address: ownAddress(besideJanus: true), plugin: plugin)
  }

  /// Starts the loop that only seals and sends. Returns it with the base URL of its WHIP and WHEP.
  func floor(besideJanus: Bool) async throws -> MeasuredServer<URL> {
    try await StartedServers.floor(address: ownAddress(besideJanus: besideJanus))
  }

  private func ownAddress(besideJanus: Bool) throws -> String {
    if let address { return address }
    guard besideJanus else { return "127.0.0.1" }
    guard let address = OwnAddress.find() else {
      throw LoadtestError.system(
        "Janus does not accept a loopback address, and there is no other: run this with loadtest/own-network.sh")
    }
    return address
  }
}
