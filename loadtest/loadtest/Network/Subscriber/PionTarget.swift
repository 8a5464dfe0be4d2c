import Foundation
import RoomWebRTC

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The SFU of `Benchmarks/pion`: an offer is answered over HTTP.
struct PionTarget: FanoutTarget {
  let base: URL

  // Pion answers an offer of "actpass" with "active".
  let publisherRole = DTLSRole.server
  let subscriberControlsICE = true

  private struct Seat: BotSession {
    func leave() async {}
  }

  /// Starts the program.
  static func start(program: String, address: String) async throws -> MeasuredServer<URL> {
    let port = FreePort.find()
    let process = try ServerProcess(program, ["\(address):\(port)"], folder: ServerProcess.folder("pion"))
    do {
      try await process.listens(host: address, port: port)
      guard let base = URL(string: "http://\(address):\(port)") else { throw LoadtestError.system("no URL of \(address)") }
      return MeasuredServer(target: base, pid: process.pid, process: process)
    } catch {
      await process.stop()
      throw error
    }
  }

  func open() async throws {}

  func publish(_ publisher: PublisherHandle) async throws -> any BotSession {
    var request = URLRequest(url: base.appending(path: "publish"))
    request.httpMethod = "POST"
    request.httpBody = Data(publisher.makeOffer().utf8)
    let (answer, response) = try await URLSession.shared.fetch(request)
    let text = String(decoding: answer, as: UTF8.self)
    guard response.statusCode == 200 else { throw LoadtestError.refused("pion-sfu: \(text)") }
    try publisher.accept(text)
    return Seat()
  }

  func subscribe(_: SubscriberHandle) async throws -> any BotSession {
    throw LoadtestError.refused("only the browser subscribes to pion-sfu")
  }
}
