import Foundation
import Testing

@testable import RoomLoadtest

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("REST requests whose answer does not come")
struct RepeatedRequestTests {
  private static let address = "http://127.0.0.1/v1/rooms"

  /// Performs a request of which the first `lost` answers do not come and the next has `status`.
  private func send(_ method: String, lost: Int, status: Int) async throws -> (isSuccess: Bool, requests: Int) {
    let url = try #require(URL(string: Self.address))
    let response = try #require(HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil))
    var request = URLRequest(url: url)
    request.httpMethod = method
    var requests = 0
    let answer = try await RepeatedRequest(request).answer(pauses: [.zero, .zero]) { _ in
      requests += 1
      if requests <= lost { throw URLError(.timedOut) }
      return (Data(), response)
    }
    return (answer.isSuccess, requests)
  }

  @Test("a lost answer repeats the request, up to twice", arguments: [0, 1, 2])
  func lost(count: Int) async throws {
    let (isSuccess, requests) = try await send("GET", lost: count, status: 200)
    #expect(isSuccess && requests == count + 1)
  }

  @Test("the third lost answer is an error")
  func given() async {
    await #expect(throws: URLError.self) { try await send("GET", lost: 3, status: 200) }
  }

  @Test(
    "a conflict with the own first request is a success, with another's it is not",
    arguments: [("POST", 409), ("DELETE", 404)])
  func conflict(method: String, status: Int) async throws {
    #expect(try await send(method, lost: 1, status: status).isSuccess)
    #expect(try await !send(method, lost: 0, status: status).isSuccess)
  }

  @Test("an answer with an error is not repeated")
  func refused() async throws {
    let (isSuccess, requests) = try await send("POST", lost: 0, status: 500)
    #expect(!isSuccess && requests == 1)
  }
}
