import RoomRTP

/// Plays over HLS with one request at a time on one connection. With low latency it requests each playlist before its part
/// exists, and then the part; otherwise it reloads the playlist twice in a target duration, and requests whole segments.
///
/// Nothing is decoded: a piece, which is a part or a segment, counts as one picture.
struct HLSPlayer: StreamPlayer {
  private enum Request {
    case playlist
    case piece
  }

  private let isLowLatency: Bool
  private let path: String
  /// The lines of a request after the first.
  private let head: String
  private var output: [UInt8] = []
  private var response = HTTPResponseReader()
  private var request = Request.playlist
  private var pieces = HLSPieces()
  /// When the playlist is loaded again; nil while a request is under way.
  private var due: Instant?

  /// - Parameters:
  ///   - path: the playlist's path without a query.
  ///   - number: distinguishes the player's `User-Agent`, by which the server knows a player.
  init(host: String, port: UInt16, path: String, isLowLatency: Bool, number: Int) {
    self.isLowLatency = isLowLatency
    self.path = path
    head = " HTTP/1.1\r\nHost: \(host):\(port)\r\nAccept: */*\r\nUser-Agent: loadtest/\(number)\r\n\r\n"
    get(path)
  }

  private mutating func get(_ target: String) { output += Array("GET \(target)\(head)".utf8) }

  mutating func takeOutput() -> [UInt8] {
    defer { output = [] }
    return output
  }

  mutating func tick(now: Instant) {
    guard let due, due <= now else { return }
    self.due = nil
    request = .playlist
    get(path)
  }

  mutating func receive(
    _ bytes: UnsafeRawBufferPointer, now: Instant, into reception: inout ViewerReception, sample: (any MediaObserver)?
  ) throws(ChunkScanner.Failure) {
    // A player has one request under way, so nothing follows its response.
    guard let body = try response.read(bytes) else { return }
    switch request {
    case .playlist: pieces.read(String(decoding: body, as: UTF8.self), parts: isLowLatency)
    case .piece:
      reception.video.frames &+= 1
      reception.payload &+= body.count
      if reception.firstPicture == nil { reception.firstPicture = now }
    }
    if let next = pieces.takeNext() {
      request = .piece
      get(Self.resolve(next, at: path))
    } else if isLowLatency, let awaited = pieces.awaited {
      request = .playlist
      get("\(path)?_HLS_msn=\(awaited.segment)&_HLS_part=\(awaited.part)")
    } else {
      due = now.advanced(milliseconds: Int64(pieces.target * 500))
    }
  }

  private static func resolve(_ uri: String, at playlist: String) -> String {
    uri.hasPrefix("/") ? uri : playlist[...(playlist.lastIndex(of: "/") ?? playlist.startIndex)] + uri
  }
}

/// The pieces of a stream that a player has yet to load.
struct HLSPieces {
  /// The number of segments before the playlist's end at which a player without low latency begins.
  private static let first = 3

  /// Seconds.
  private(set) var target = 2.0
  /// The part after the last one of the playlist.
  private(set) var awaited: (segment: Int, part: Int)?
  private var waiting: [String] = []
  private var last: String?

  mutating func takeNext() -> String? { waiting.isEmpty ? nil : waiting.removeFirst() }

  /// - Parameter parts: whether parts are wanted instead of segments.
  mutating func read(_ playlist: String, parts: Bool) {
    var all: [(uri: String, isIndependent: Bool)] = []
    awaited = nil
    for line in playlist.split(separator: "\n") {
      if line.hasPrefix("#EXT-X-TARGETDURATION:") {
        target = Double(line.dropFirst(22)) ?? target
      } else if line.hasPrefix("#EXT-X-PART:") {
        if parts, let uri = Self.uri(line) { all.append((uri, line.contains("INDEPENDENT=YES"))) }
      } else if line.hasPrefix("#EXT-X-PRELOAD-HINT:") {
        // As this server names parts: part-{segment}.{part}.m4s.
        let numbers = Self.uri(line)?.firstMatch(of: /part-(\d+)\.(\d+)\.m4s/).map { ($0.1, $0.2) }
        if let numbers, let segment = Int(numbers.0), let part = Int(numbers.1) { awaited = (segment, part) }
      } else if !parts, !line.hasPrefix("#"), !line.isEmpty {
        all.append((String(line), true))
      }
    }
    let beginning: Int
    if let last, let known = all.lastIndex(where: { $0.uri == last }) {
      beginning = known + 1
    } else {
      beginning = parts ? all.lastIndex(where: \.isIndependent) ?? all.count : max(0, all.count - Self.first)
    }
    waiting = all[beginning...].map(\.uri)
    last = all.last?.uri ?? last
  }

  private static func uri(_ line: Substring) -> String? {
    line.firstRange(of: "URI=\"").map { String(line[$0.upperBound...].prefix { $0 != "\"" }) }
  }
}

/// Reads the responses of one connection, each with a `Content-Length`.
struct HTTPResponseReader {
  private var received: [UInt8] = []
  private var end: (head: Int, body: Int)?

  /// Returns the body of the response that is complete with these bytes.
  /// - Throws: the reason if the status is not 200, or there is no length.
  mutating func read(_ bytes: UnsafeRawBufferPointer) throws(ChunkScanner.Failure) -> ArraySlice<UInt8>? {
    received.append(contentsOf: bytes)
    if end == nil { end = try Self.end(of: received) }
    guard let end, received.count >= end.body else { return nil }
    defer {
      received = []
      self.end = nil
    }
    return received[end.head..<end.body]
  }

  /// Returns where the head and the body end; nil while the head is incomplete.
  private static func end(of received: [UInt8]) throws(ChunkScanner.Failure) -> (head: Int, body: Int)? {
    guard let blank = received.firstRange(of: Array("\r\n\r\n".utf8)) else {
      guard received.count < 16_384 else { throw ChunkScanner.Failure(reason: "an HTTP header is too long") }
      return nil
    }
    let lines = String(decoding: received[..<blank.lowerBound], as: UTF8.self).split(separator: "\r\n")
    guard let status = lines.first, status.split(separator: " ").dropFirst().first == "200" else {
      throw ChunkScanner.Failure(reason: "the server responded with status \(lines.first ?? "")")
    }
    let length = lines.first { $0.lowercased().hasPrefix("content-length:") }?.split(separator: ":").last
    guard let length, let count = Int(length.filter(\.isNumber)), count < 64 << 20 else {
      throw ChunkScanner.Failure(reason: "a response without a length")
    }
    return (blank.upperBound, blank.upperBound + count)
  }
}
