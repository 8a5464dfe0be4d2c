import RoomCMicroHTTPD

/// A response of libmicrohttpd that many connections send.
///
/// Sendable: libmicrohttpd counts the connections that send a response under a lock of the response, and changes nothing else of a
/// response whose body is in memory.
final class CommonResponse: @unchecked Sendable {
  let response: OpaquePointer

  /// Copies the headers and the body. Returns nil without memory.
  init?(_ answer: HTTPResponse) {
    guard let response = answer.makeBody() else { return nil }
    self.response = response
    for (name, value) in answer.headers { MHD_add_response_header(response, name, value) }
  }

  deinit { MHD_destroy_response(response) }
}

extension HTTPResponse {
  /// Returns a response of libmicrohttpd with the body and no headers; nil without memory. The caller destroys the response.
  func makeBody() -> OpaquePointer? {
    body.withUnsafeBytes { body in
      // The library copies the bytes and does not write them, although the type is mutable.
      MHD_create_response_from_buffer(
        body.count, UnsafeMutableRawPointer(mutating: body.baseAddress ?? UnsafeRawPointer(bitPattern: 1)), .RESPMEM_MUST_COPY)
    }
  }
}
