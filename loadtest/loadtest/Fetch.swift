import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLSession {
  /// Performs `request` and returns the response. Cancelling the calling task does not stop the request; only its timeout does.
  ///
  /// FoundationNetworking offers no safe way to cancel a request that is just completing: `data(for:)` cancels while it holds a
  /// lock that the completion needs too, which deadlocks, and `URLSessionTask.cancel` fails an assertion.
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
