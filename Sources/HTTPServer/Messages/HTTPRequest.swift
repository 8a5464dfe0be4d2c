import WebRTC

/// A request as the handlers see it: whole, its body within the limit.
package struct HTTPRequest: Sendable {
  /// Upper case, as sent; `HEAD` arrives as `GET`.
  package var method: String
  /// The path as sent, percent-encoded, without the query.
  package var target: String
  /// What stands behind the question mark, as sent but for plus signs, which have become spaces; empty where there is nothing.
  package var query = ""
  /// Names in lower case. A header sent twice is here twice.
  package var headers: [(name: String, value: String)]
  package var body: [UInt8] = []
  /// The client's address, behind trusted proxies too; nil where the kernel gave none.
  package var client: TransportAddress?

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

  /// The first header of that name (lower case).
  package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

  /// Whether a comma-separated header holds `token`, in any case.
  package func header(_ name: String, lists token: String) -> Bool {
    headers.contains { header in
      header.name == name
        && header.value.split(separator: ",").contains { $0.trimming().lowercased() == token }
    }
  }

  /// The token of `Authorization: Bearer` (RFC 6750 §2.1); nil where there is none.
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

  /// The value of the query's first member of that name, as sent.
  package func query(_ name: String) -> String? { QueryString.value(name, in: query) }

  /// What is answered if JSON can't be read from the body.
  var refusalOfBody: HTTPResponse? {
    if header("content-length") == nil && header("transfer-encoding") == nil { return .error(411, HTTPError.noLength) }
    if contentType != "application/json" { return .error(415, HTTPError.notJSON) }
    return nil
  }
}

extension StringProtocol {
  /// Without spaces and tabs at either end.
  package func trimming() -> SubSequence {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    var rest = self[...]
    while let first = rest.first, isBlank(first) { rest = rest.dropFirst() }
    while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
    return rest
  }
}
