/// What lets pages of other origins call the API (https://fetch.spec.whatwg.org/#http-cors-protocol): the console of a server that was drained
/// goes on with the next one.
///
/// A call is let in by the token that it bears and never by what a browser adds by itself, so a page gains nothing by being let try.
enum CrossOrigin {
  /// The answer to a browser that asks before it calls; nil where the request is no such question.
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

  /// What every answer of the API has besides its own headers.
  static func headers(of request: HTTPRequest) -> [(name: String, value: String)] {
    isOfAPI(request) ? [("Access-Control-Allow-Origin", "*")] : []
  }

  private static func isOfAPI(_ request: HTTPRequest) -> Bool { request.target.hasPrefix("/v1/") }
}
