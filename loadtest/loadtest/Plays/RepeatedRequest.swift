import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A REST request that is repeated if its answer does not come, because of a timeout or a lost connection.
///
/// The server may have carried out the first request. So a repeated `POST` that is refused with 409, and a repeated `DELETE`
/// that is refused with 404, have succeeded: the bots' room names are unique to a run.
struct RepeatedRequest: Sendable {
  struct Answer: Sendable {
    var body: Data
    var isSuccess: Bool
  }

  /// The pauses before the repetitions.
  static let pauses: [Duration] = [.milliseconds(200), .seconds(1)]

  let request: URLRequest

  init(_ request: URLRequest) { self.request = request }

  /// - Parameter fetch: performs the request once.
  /// - Throws: the error of the last repetition, or of the task's cancellation.
  func answer(
    pauses: [Duration] = Self.pauses, _ fetch: (URLRequest) async throws -> (Data, HTTPURLResponse)
  ) async throws -> Answer {
    var pauses = pauses[...]
    var isRepeated = false
    while true {
      do {
        let (body, response) = try await fetch(request)
        return Answer(body: body, isSuccess: isSuccess(response.statusCode, isRepeated: isRepeated))
      } catch let error as URLError {
        guard let pause = pauses.popFirst() else { throw error }
        try await Task.sleep(for: pause)
        isRepeated = true
      }
    }
  }

  private func isSuccess(_ status: Int, isRepeated: Bool) -> Bool {
    switch (status, request.httpMethod) {
    case (200..<300, _): true
    case (409, "POST"), (404, "DELETE"): isRepeated
    default: false
    }
  }
}
