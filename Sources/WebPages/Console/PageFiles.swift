import Foundation
import RoomDigests
import RoomHTTPServer
import RoomProtocol
import RoomServer
import RoomWebClient

/// Files of pages, ready to be sent: compressed once, and named by their content.
///
/// `{root}/{version}/{name}` is a file that never changes: the version is a digest of all files, so the browser keeps them and
/// asks for none again. A document, such as `index.html`, has a fixed path and is revalidated on each load; it names the files of
/// its version. Modules import each other by relative paths and therefore stay within one version.
struct PageFiles: Sendable {
  /// A file ready to be sent.
  fileprivate struct File: Sendable {
    var body: [UInt8]
    /// Nil if compression does not make it smaller.
    var compressed: [UInt8]?
    /// The start of the content's SHA-256; the ETag (RFC 9110 §8.8.3) is made of it.
    var digest: String
    var type: String
  }

  /// A digest of all files.
  let version: String
  private let root: String
  private let files: [String: File]
  private let headers: [(name: String, value: String)]

  /// The files that the build compiles into the program: nothing is read from disk.
  static let embedded = PageFiles(texts, at: "/console")
  static let texts = EmbeddedPage.files + WebClient.modules + WebClient.maps

  /// - Parameters:
  ///   - files: names and contents. `{root}/` in a text becomes the path of this version.
  ///   - root: the path of the files, such as "/console".
  ///   - headers: further headers of all answers.
  init(_ files: [(name: String, text: String)], at root: String, headers: [(name: String, value: String)] = []) {
    let all = files.sorted { $0.name < $1.name }.map { "\($0.name)\n\($0.text.utf8.count)\n\($0.text)" }.joined()
    let version = Self.digest(of: Array(all.utf8))
    self.version = version
    self.root = root
    self.headers = headers
    let texts = Dictionary(files.map { ($0.name, $0.text) }, uniquingKeysWith: { first, _ in first })
    self.files = Dictionary(
      texts.map { name, text in
        let whole = name.hasSuffix(".html") ? Self.announcingModules(of: text, among: texts, at: root) : text
        return (name, File(name: name, text: whole.replacing("\(root)/", with: "\(root)/\(version)/")))
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Adds links to a document, by which the browser loads all its modules at once instead of one level of imports after another.
  private static func announcingModules(of document: String, among texts: [String: String], at root: String) -> String {
    let first = texts.keys.filter { document.contains("type=\"module\" src=\"\(root)/\($0)\"") }
    let links = imported(by: first, among: texts).sorted().map { "<link rel=\"modulepreload\" href=\"\(root)/\($0)\">\n" }
      .joined()
    return document.replacing("</head>", with: links + "</head>")
  }

  /// Returns these files and all modules that they import with the page, not on demand.
  static func imported(by first: [String], among texts: [String: String]) -> Set<String> {
    var waiting = first
    var found: Set<String> = []
    while let name = waiting.popLast() {
      guard let text = texts[name], found.insert(name).inserted else { continue }
      for line in text.split(separator: "\n") where line.hasPrefix("import ") {
        if let path = line.split(separator: "'").dropFirst().first, path.hasPrefix("./") {
          waiting.append(String(path.dropFirst(2)))
        }
      }
    }
    return found
  }

  /// The files under their versioned paths, and under `{root}/{name}` for links that have no version.
  var endpoints: [Endpoint] {
    [
      versioned,
      Endpoint(
        "GET", "\(root)/*", access: .open,
        action: .answer { request, names in answer(request, names.first ?? "", kept: .revalidated) }),
    ]
  }

  /// The files under their versioned paths.
  var versioned: Endpoint {
    Endpoint(
      "GET", "\(root)/*/*", access: .open,
      action: .answer { request, names in
        guard names.count == 2, names[0] == version else { return Self.unknown }
        return answer(request, names[1], kept: .forever)
      })
  }

  /// Redirects `{root}/{name}` to the path of this version, so that what a module imports has the same version.
  var latest: Endpoint {
    Endpoint(
      "GET", "\(root)/*", access: .open,
      action: .answer { _, names in
        guard let name = names.first, files[name] != nil else { return Self.unknown }
        return HTTPResponse(
          status: 302, headers: headers + [("Location", path(of: name)), ("Cache-Control", Keeping.revalidated.rawValue)])
      })
  }

  /// The names of the files, sorted.
  var names: [String] { files.keys.sorted() }

  func path(of name: String) -> String { "\(root)/\(version)/\(name)" }

  /// Returns what a page may require of a file (Subresource Integrity §3.1).
  func integrity(of name: String) -> String? {
    files[name].map { "sha256-" + Data(Digest.sha256.digest(of: $0.body)).base64EncodedString() }
  }

  /// An endpoint that serves one of the files at a path of its own.
  /// - Parameter headers: further headers of its answers.
  func document(_ name: String, at path: String, headers: [(name: String, value: String)] = []) -> Endpoint {
    Endpoint(
      "GET", path, access: .open,
      action: .answer { request, _ in
        answer(request, name, kept: .revalidated, headers: headers)
      })
  }

  /// An endpoint that serves one of the files, filled with values of the request.
  /// - Parameters:
  ///   - path: the path, with stars for its parameters.
  ///   - headers: further headers of its answers.
  ///   - values: returns the values by name, for each `{{name}}` in the file; nil if the path does not exist. Characters that
  ///     have a meaning in HTML are escaped.
  func document(
    _ name: String, at path: String, headers: [(name: String, value: String)] = [],
    filling values: @escaping @Sendable (_ request: HTTPRequest, _ names: [String]) -> [String: String]?
  ) -> Endpoint {
    Endpoint(
      "GET", path, access: .open,
      action: .answer { request, names in
        guard let file = files[name], let values = values(request, names) else { return Self.unknown }
        return answer(request, file.filled(with: values), kept: .revalidated, headers: headers)
      })
  }

  /// How long a browser may use a file without another request.
  private enum Keeping: String {
    case forever = "public, max-age=31536000, immutable"
    /// Answered without a body if unchanged: an old page never runs against a new server.
    case revalidated = "no-cache"
  }

  private func answer(
    _ request: HTTPRequest, _ name: String, kept: Keeping, headers own: [(name: String, value: String)] = []
  ) -> HTTPResponse {
    guard let file = files[name] else { return Self.unknown }
    return answer(request, file, kept: kept, headers: own)
  }

  private func answer(
    _ request: HTTPRequest, _ file: File, kept: Keeping, headers own: [(name: String, value: String)]
  ) -> HTTPResponse {
    let compressed = request.acceptsGzip ? file.compressed : nil
    // Each coding has its own strong tag.
    let tag = "\"\(file.digest)\(compressed == nil ? "" : "-gzip")\""
    let headers = headers + [("ETag", tag), ("Cache-Control", kept.rawValue), ("Vary", "Accept-Encoding")]
    if request.header("if-none-match", lists: tag) || request.header("if-none-match", lists: "w/\(tag)")
      || request.header("if-none-match") == "*"
    {
      return HTTPResponse(status: 304, headers: headers)
    }
    return HTTPResponse(
      status: 200,
      headers: headers + [("Content-Type", file.type), ("X-Content-Type-Options", "nosniff")]
        + (compressed == nil ? [] : [("Content-Encoding", "gzip")]) + own,
      body: compressed ?? file.body)
  }

  private static var unknown: HTTPResponse { .error(404, HTTPError.noSuchPath) }

  fileprivate static func digest(of bytes: [UInt8]) -> String { Digest.sha256.digest(of: bytes).prefix(12).hexadecimal }
}

extension PageFiles.File {
  fileprivate init(name: String, text: String) {
    let type =
      switch name.split(separator: ".").last {
      case "html": "text/html; charset=utf-8"
      case "css": "text/css; charset=utf-8"
      case "js": "text/javascript; charset=utf-8"
      case "svg": "image/svg+xml"
      case "map": "application/json"
      default: "application/octet-stream"
      }
    self.init(text, type: type)
  }

  private init(_ text: String, type: String) {
    body = [UInt8](text.utf8)
    compressed = Gzip.compress(body).flatMap { [count = body.count] in $0.count < count ? $0 : nil }
    digest = PageFiles.digest(of: body)
    self.type = type
  }

  /// Returns the file with a value for each `{{name}}`, as text of HTML or of an attribute.
  fileprivate func filled(with values: [String: String]) -> Self {
    let text = values.reduce(String(decoding: body, as: UTF8.self)) { text, value in
      text.replacing("{{\(value.key)}}", with: Self.escaped(value.value))
    }
    return Self(text, type: type)
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
  }
}
