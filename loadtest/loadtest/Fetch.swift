import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLSession {
  /// Loads what `request` asks for. Cancelling the calling task does not end it: the request's own timeout does.
  ///
  /// Of FoundationNetworking, neither way to cancel a request that is just ending may be used: `data(for:)` does it under a lock of the
  /// task that the end waits for too, so that both stand still for ever, and `URLSessionTask.cancel` fails an assertion.
  func fetch(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
    try await withCheckedThrowingContinuation { waiter in
      dataTask(with: request) { data, response, error in
        if let data, let response = response as? HTTPURLResponse {
          waiter.resume(returning: (data, response))
        } else {
          waiter.resume(throwing: error ?? URLError(.badServerResponse))
        }
      }.resume()
    }
  }
}
