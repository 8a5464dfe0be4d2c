import Synchronization

/// The bodies of a daemon that endpoints are reading.
final class BodyReceptions: Sendable {
  private struct State {
    var running: [ObjectIdentifier: BodyReception] = [:]
    var isStopping = false
  }

  private let state = Mutex(State())

  /// The number of endpoints that have not answered.
  var count: Int { state.withLock { $0.running.count } }

  /// Returns the exchange of a request whose endpoint reads the body: refused, or with the endpoint at work.
  /// - Parameters:
  ///   - limit: the maximum bytes of the body.
  ///   - admit: asks the endpoint.
  func exchange(
    _ request: HTTPRequest, limit: Int64, on connection: HTTPConnection?, _ admit: () -> Endpoint.Admission
  ) -> HTTPExchange {
    func refused(_ response: HTTPResponse) -> HTTPExchange { HTTPExchange(request, stage: .refused(response)) }
    if let refusal = request.refusalWithoutLength { return refused(refusal) }
    if request.declaredBody ?? 0 > limit { return refused(.error(413, HTTPError.bodyTooLarge(limit: limit))) }
    switch admit() {
    case .refused(let response): return refused(response)
    case .admitted(let read):
      guard let reception = begin(on: connection, read) else { return refused(.error(503, HTTPError.stopping)) }
      return HTTPExchange(request, stage: .receiving(reception), limit: limit)
    }
  }

  /// Lets an endpoint read a body. Returns nil if the daemon is stopping.
  private func begin(
    on connection: HTTPConnection?, _ endpoint: @escaping @Sendable (HTTPBody) async -> HTTPResponse
  ) -> BodyReception? {
    let reception = BodyReception(on: connection)
    let isLetIn = state.withLock { state in
      guard !state.isStopping else { return false }
      state.running[ObjectIdentifier(reception)] = reception
      return true
    }
    guard isLetIn else { return nil }
    Task {
      reception.answer(await endpoint(HTTPBody { () throws(HTTPBodyCut) in try await reception.next() }))
      _ = self.state.withLock { $0.running.removeValue(forKey: ObjectIdentifier(reception)) }
    }
    return reception
  }

  /// Lets no more bodies begin.
  func quiesce() { state.withLock { $0.isStopping = true } }

  /// Cuts the bodies that are not complete, so that no connection stays suspended.
  func cut() { for reception in state.withLock({ Array($0.running.values) }) { reception.cut(.connection) } }
}
