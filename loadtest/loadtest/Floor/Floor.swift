import ArgumentParser
import Foundation

/// The server of `fanout --target floor`: what forwarding costs at least. WHIP and WHEP for one publisher and any number of viewers.
///
/// Joins are handled by this project's transport. Then a loop in C seals each packet for each viewer and sends the packets, and does
/// nothing else: no reports, no repairs, no layers, no limits.
struct Floor: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Forward without a server's work: the least that forwarding costs.", shouldDisplay: false)

  @Option(help: "The IPv4 address to listen on.")
  var address = "127.0.0.1"

  @Option(help: "The TCP port of WHIP and WHEP.")
  var port: UInt16

  func run() throws {
    let loop = try FloorLoop(address: address, port: port)
    while true { try loop.turn() }
  }
}
