/// Lets pages of other origins call the API (https://fetch.spec.whatwg.org/#http-cors-protocol): the console of a drained
/// server continues with the next server.
///
/// A call is authorised by its token and never by what a browser adds by itself, so a page gains no access by this permission.
enum CrossOrigin {
  /// Returns the response to a CORS preflight request; nil if the request is none.
  static func preflight(_ request: HTTPRequest, methods: [String]) -> HTTPResponse? {
    guard request.method == "OPTIONS", isOfAPI(request), request.header("access-control-request-method") != nil else {
      return nil
    }
    return HTTPResponse(
      status: 204,
      headers: [
        ("Access-Control-Allow-Methods", methods.joined(separator: ", ")),
        ("Access-Control-Allow-Headers", "Authorization, Content-Type"), ("Access-Control-Max-Age", "86400"),
      ])
  }

  /// Returns the additional headers of every answer of the API. Also of `/`: LiveKit's clients ask for it, to learn whether the
  /// server can be reached.
  static func headers(of request: HTTPRequest) -> [(name: String, value: String)] {
    isOfAPI(request) || request.target == "/" ? [("Access-Control-Allow-Origin", "*")] : []
  }

  private static func isOfAPI(_ request: HTTPRequest) -> Bool {
    request.target == "/rtc" || ["/v1/", "/rtc/"].contains(where: request.target.hasPrefix)
  }
}
