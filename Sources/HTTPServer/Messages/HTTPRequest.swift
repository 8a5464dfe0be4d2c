import RoomWebRTC

/// A request as the handlers receive it: complete, its body within the limit.
package struct HTTPRequest: Sendable {
  /// Upper case, as sent; `HEAD` arrives as `GET`.
  package var method: String
  /// Whether it is a `HEAD`: the body of the answer is not sent.
  package var isHead = false
  /// The path as sent, percent-encoded, without the query.
  package var target: String
  /// The part after the question mark, as sent except that plus signs are replaced by spaces; empty if there is none.
  package var query = ""
  /// Names are in lower case. A header that was sent twice is present twice.
  package var headers: [(name: String, value: String)]
  package var body: [UInt8] = []
  /// The client's address, also behind trusted proxies; nil if the kernel gave none.
  package var client: TransportAddress?
  /// Whether another node sends it for its client, and has proved that.
  package var isPassedOn = false

  package init(
    method: String, target: String, query: String = "", headers: [(name: String, value: String)], body: [UInt8] = [],
    client: TransportAddress? = nil
  ) {
    self.method = method
    self.target = target
    self.query = query
    self.headers = headers
    self.body = body
    self.client = client
  }

  /// The target with the query.
  package var uri: String { target + (query.isEmpty ? "" : "?\(query)") }

  /// The target with the query, as another server may receive it: ``query`` has spaces for plus signs.
  package var sentURI: String { uri.replacing(" ", with: "+") }

  /// Returns the value of the first header of that name (lower case).
  package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

  /// Returns whether a comma-separated header contains `token`, in any case.
  package func header(_ name: String, lists token: String) -> Bool {
    headers.contains { header in
      header.name == name
        && header.value.split(separator: ",").contains { $0.trimming().lowercased() == token }
    }
  }

  /// The token of `Authorization: Bearer` (RFC 6750 §2.1); nil if there is none.
  package var bearerToken: String? {
    guard let header = header("authorization"), let scheme = header.split(separator: " ").first,
      scheme.lowercased() == "bearer"
    else { return nil }
    return String(header.dropFirst(scheme.count).trimming())
  }

  /// The media type without its parameters, in lower case.
  package var contentType: String? {
    header("content-type").map { String($0.prefix { $0 != ";" }.trimming()).lowercased() }
  }

  /// The body's length in bytes according to the client; nil if it gives none.
  package var declaredBody: Int64? { header("content-length").flatMap { Int64($0) } }

  /// Returns the value of the query's first member of that name, as sent.
  package func query(_ name: String) -> String? { QueryString.value(name, in: query) }

  /// The error response if the request has no body.
  var refusalWithoutLength: HTTPResponse? {
    header("content-length") == nil && header("transfer-encoding") == nil ? .error(411, HTTPError.noLength) : nil
  }

  /// The error response if the body is not declared as JSON.
  var refusalOfBody: HTTPResponse? {
    if let refusal = refusalWithoutLength { return refusal }
    if contentType != "application/json" { return .error(415, HTTPError.notJSON) }
    return nil
  }
}

extension StringProtocol {
  /// Returns the text without leading and trailing spaces and tabs.
  package func trimming() -> SubSequence {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    var rest = self[...]
    while let first = rest.first, isBlank(first) { rest = rest.dropFirst() }
    while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
    return rest
  }
}
