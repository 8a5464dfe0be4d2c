import RoomHTTPServer
import RoomLiveOrigin

/// What one stream's HLS has for its players now, and what they have asked for. Owns no clock and no task.
///
/// Many players load the same playlist and the same parts. Each is one answer, made with the first request for it.
struct HLSShelf {
  /// Content that does not exist yet.
  enum Wanted {
    case playlist
    case reload(HLSReload)
    case segment(after: Int)
    case part(Int, of: Int)
  }

  /// A request for the playlist.
  struct PlaylistRequest {
    var directives: HLSDirectives
    /// The query that the addresses in the playlist end with.
    var query: String
    var player: HLSPlayer
  }

  private struct PlaylistKind: Hashable {
    var changes: HLSPlaylist.Changes
    var skips: Bool
  }

  private struct Written {
    var version: Int
    var query: String
    var reports: String
    var response: HTTPResponse
  }

  /// Any page with the address of a stream may play it.
  private static let everywhere = Origin.headers.filter { $0.name != "Cache-Control" }
  /// Players that are counted at most.
  private static let mostPlayers = 20_000
  /// Segments at the end of the playlist whose files are kept as answers. Players load these again and again.
  private static let keptSegments = 3

  let packager: HLSPackager
  let settings: HLSDelivery
  /// The name of the folder in the playlist's addresses.
  let folder: String
  var lastRequest: ContinuousClock.Instant
  /// When each player sent its last request for a playlist.
  private(set) var players: [HLSPlayer: ContinuousClock.Instant] = [:]
  /// The last segment in each player's playlist, while the playlist is short.
  private var lastKnownSegment: [HLSPlayer: Int] = [:]
  /// The last playlist of each kind.
  private var written: [PlaylistKind: Written] = [:]
  /// The files of the last segments that were requested.
  private var files: [HLSResource: HTTPResponse] = [:]

  init(_ packager: HLSPackager, _ settings: HLSDelivery, folder: String, now: ContinuousClock.Instant) {
    (self.packager, self.settings, self.folder, lastRequest) = (packager, settings, folder, now)
  }

  var window: HLSWindow { packager.window }

  /// How long a request waits for content: three target durations (RFC 8216bis §6.2.5.2).
  var patience: Duration { .seconds(3 * window.targetDuration) }

  func has(_ wanted: Wanted) -> Bool {
    switch wanted {
    case .playlist: window.isPlayable
    case .reload(let reload): reload.isReached(by: window)
    case .segment(let number): window.reaches(number + 1, part: nil)
    case .part(let part, let number): window.part(part, of: number) != nil || window.growing?.number != number
    }
  }

  // MARK: Playlists

  /// Returns what a request for the playlist waits for; nil if nothing is missing.
  /// - Throws: if the request asks for a part too far ahead.
  func missing(for request: PlaylistRequest) throws(HLSReload.Refusal) -> Wanted? {
    var wanted: Wanted?
    if let reload = request.directives.reload {
      try reload.check(against: window)
      wanted = .reload(reload)
    } else if isYoung, let last = window.listed.last, mayKnow(request.player, last.number) {
      wanted = .segment(after: last.number)
    }
    return wanted.flatMap { has($0) ? nil : $0 }
  }

  /// Returns the playlist as it is.
  /// - Parameter reports: the rendition reports of other playlists.
  mutating func playlist(for request: PlaylistRequest, reports: String, now: ContinuousClock.Instant) -> HTTPResponse {
    lastRequest = now
    record(request.player)
    if players[request.player] != nil || players.count < Self.mostPlayers { players[request.player] = now }
    let (query, reports) = (request.query, window.hasEnded ? "" : reports)
    let changes = request.player.changes
    let kind = PlaylistKind(changes: changes, skips: request.directives.skips && changes == .marked)
    let version = packager.counters.parts &+ packager.counters.segments &+ (window.hasEnded ? 1 : 0)
    if let written = written[kind], written.version == version, written.query == query, written.reports == reports {
      return written.response
    }
    let playlist = HLSPlaylist(window, epoch: packager.epoch ?? 0, folder: folder, query: query, changes: changes)
    let response = Self.playlist(playlist.text(skips: kind.skips) + reports).shared()
    written[kind] = Written(version: version, query: query, reports: reports, response: response)
    return response
  }

  /// Returns the multivariant playlist.
  func multivariant(query: String) -> HTTPResponse {
    Self.playlist(HLSMultivariant(folder, packager.rendition, variants: settings.variants, query: query).text)
  }

  private static func playlist(_ text: String) -> HTTPResponse {
    HTTPResponse(
      status: 200, headers: [("Content-Type", "application/vnd.apple.mpegurl"), ("Cache-Control", "no-cache")] + everywhere,
      body: Array(text.utf8))
  }

  /// Whether the playlist is so short that a player which has all of it might give up.
  private var isYoung: Bool { window.listed.reduce(0) { $0 + $1.duration } < Int64(settings.youngLength) * 1000 }

  /// Returns whether a player may know a segment. Players that are not tracked may know it.
  private func mayKnow(_ player: HLSPlayer, _ number: Int) -> Bool {
    lastKnownSegment[player].map { $0 >= number } ?? (lastKnownSegment.count >= settings.waiting)
  }

  /// Records that a player knows all listed segments.
  private mutating func record(_ player: HLSPlayer) {
    if !isYoung { return lastKnownSegment = [:] }
    guard lastKnownSegment[player] != nil || lastKnownSegment.count < settings.waiting else { return }
    lastKnownSegment[player] = window.listed.last?.number
  }

  /// Forgets the players that have stopped to load the playlist.
  mutating func forgetPlayers(now: ContinuousClock.Instant) {
    // A player loads the playlist once in a target duration; one that waits for more media loads it twice (RFC 8216 §6.3.4).
    let gone = now - .seconds(3 * window.targetDuration + 1)
    if players.contains(where: { $0.value < gone }) { players = players.filter { $0.value >= gone } }
  }

  // MARK: Files

  /// Returns what a request for a file waits for, a part that is announced as a preload hint; nil if nothing is missing.
  func missing(for resource: HLSResource) -> Wanted? {
    guard case .part(let part, let number) = resource, let growing = window.growing, growing.number == number,
      growing.parts.count == part
    else { return nil }
    return .part(part, of: number)
  }

  /// Returns a file that the playlist names; nil if the file does not exist, or no longer.
  mutating func file(_ resource: HLSResource, now: ContinuousClock.Instant) -> HTTPResponse? {
    lastRequest = now
    if let file = files[resource] { return file }
    guard let bytes = bytes(of: resource) else { return nil }
    // A name is never reused for other content.
    let response = HTTPResponse(
      status: 200,
      headers: [("Content-Type", "video/mp4"), ("Cache-Control", "public, max-age=60, immutable")] + Self.everywhere,
      body: bytes)
    guard isKept(resource) else { return response }
    files[resource] = response.shared()
    return files[resource]
  }

  private func bytes(of resource: HLSResource) -> [UInt8]? {
    switch resource {
    case .initialisation(let number): window.initialisation(number)
    case .segment(let number): window.segment(number)?.bytes
    case .part(let part, let number): window.part(part, of: number)
    }
  }

  private func isKept(_ resource: HLSResource) -> Bool {
    let number =
      switch resource {
      case .initialisation(let number), .segment(let number), .part(_, let number): number
      }
    return number > (window.listed.last?.number ?? 0) - Self.keptSegments
  }

  /// Takes new media in, and drops the answers that are no longer kept.
  /// - Returns: whether there is new content.
  mutating func take(_ batch: [LiveMedia], hasEnded: Bool, unixTime: Int64) -> Bool {
    let before = (packager.counters.parts, packager.counters.segments)
    packager.take(batch, unixTime: unixTime)
    if hasEnded { packager.finish() }
    if packager.counters.segments != before.1 { files = files.filter { isKept($0.key) } }
    return hasEnded || packager.counters.parts != before.0
  }
}
