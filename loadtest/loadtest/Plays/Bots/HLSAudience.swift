import RoomCodecs
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Viewers of a live stream over HLS. Each reloads the playlist repeatedly and loads every segment once.
actor HLSAudience {
  private let stage: Stage
  private var tasks: [Task<Void, Never>] = []

  init(_ stage: Stage) { self.stage = stage }

  /// Adds a viewer.
  /// - Parameter decodes: whether it decodes the first picture of each segment to measure the delay.
  func watch(_ stream: String, decodes: Bool) {
    let (stage, playlist) = (stage, stage.base.appending(path: "live/\(stream).m3u8"))
    let program = "loadtest/\(tasks.count)"
    tasks.append(
      Task {
        var viewer = HLSViewer(playlist: playlist, program: program, decodes: decodes, recorder: stage.recorder)
        do { try await viewer.run() } catch {
          if !Task.isCancelled { stage.recorder.fail("a viewer of \(stream) over hls: \(error)") }
        }
      })
  }

  func leave() async {
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    tasks = []
  }
}

/// The parts of a playlist that a viewer needs (RFC 8216 §4.3).
struct HLSView: Equatable {
  struct Segment: Equatable {
    var uri: String
    var seconds: Double
    /// The initialisation section that precedes the segment.
    var map: String?
  }

  var target = 2.0
  var segments: [Segment] = []
  var hasEnded = false

  init(_ text: String) {
    var map: String?
    var seconds = 0.0
    for line in text.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
      if line.hasPrefix("#EXT-X-TARGETDURATION:") {
        target = Double(line.dropFirst(22)) ?? target
      } else if line.hasPrefix("#EXT-X-MAP:") {
        map = line.split(separator: "\"").dropFirst().first.map(String.init)
      } else if line.hasPrefix("#EXTINF:") {
        seconds = Double(line.dropFirst(8).prefix { $0 != "," }) ?? 0
      } else if line.hasPrefix("#EXT-X-ENDLIST") {
        hasEnded = true
      } else if !line.hasPrefix("#"), !line.isEmpty {
        segments.append(Segment(uri: line, seconds: seconds, map: map))
      }
    }
  }
}

private struct HLSViewer {
  /// Number of segments before the playlist's end at which a player starts.
  private static let first = 3

  let playlist: URL
  /// The player's User-Agent, different for each viewer so that the server counts them as separate devices.
  let program: String
  let decodes: Bool
  let recorder: Recorder
  private var known: Set<String> = []
  private var maps: [String: Data] = [:]
  /// Seconds since the start until which the player has media.
  private var playsUntil: Double?

  init(playlist: URL, program: String, decodes: Bool, recorder: Recorder) {
    self.playlist = playlist
    self.program = program
    self.decodes = decodes
    self.recorder = recorder
  }

  mutating func run() async throws {
    let start = ContinuousClock.now
    while !Task.isCancelled {
      let view = HLSView(String(decoding: try await load(playlist), as: UTF8.self))
      let isFirst = playsUntil == nil
      var fresh = view.segments.filter { !known.contains($0.uri) }
      known.formUnion(fresh.map(\.uri))
      if isFirst { fresh = Array(fresh.suffix(Self.first)) }
      for (index, segment) in fresh.enumerated() {
        guard let url = URL(string: segment.uri, relativeTo: playlist) else {
          throw LoadtestError.refused("\(segment.uri) is not a valid URL")
        }
        let data = try await load(url)
        if isFirst, index == 0 { recorder.record(.firstMedia, (ContinuousClock.now - start) / .milliseconds(1), of: "hls") }
        try await play(segment, data, isFirst: isFirst)
      }
      if view.hasEnded { return }
      try await Task.sleep(for: .seconds(min(1, view.target / 2)))
    }
  }

  /// Appends a segment to the playback.
  private mutating func play(_ segment: HLSView.Segment, _ data: Data, isFirst: Bool) async throws {
    let now = recorder.elapsed
    let end = playsUntil ?? now
    if !isFirst { recorder.record(.freeze, max(0, now - end) * 1000, of: "hls") }
    let begins = max(now, end)
    playsUntil = begins + segment.seconds
    guard decodes, let map = segment.map, let url = URL(string: map, relativeTo: playlist) else { return }
    if maps[map] == nil { maps = [map: try await load(url)] }
    let day = Date().timeIntervalSince1970 * 1000
    guard let shown = Self.clock(of: (maps[map] ?? Data()) + data) else { return }
    let age = (Int64(day) & (1 << 40 - 1)) - Int64(shown)
    recorder.record(.delay, Double(age) + (begins - recorder.elapsed) * 1000, of: "hls")
  }

  private func load(_ url: URL) async throws -> Data {
    var request = URLRequest(url: url, timeoutInterval: 20)
    request.setValue(program, forHTTPHeaderField: "User-Agent")
    let (data, response) = try await URLSession.shared.fetch(request)
    guard response.statusCode == 200 else {
      throw LoadtestError.refused("\(url.lastPathComponent): \(response.statusCode)")
    }
    return data
  }

  /// Returns the clock shown in the first picture.
  private static func clock(of segment: Data) -> UInt64? {
    let file = FileManager.default.temporaryDirectory.appending(path: "loadtest-\(UUID().uuidString).mp4")
    defer { try? FileManager.default.removeItem(at: file) }
    guard (try? segment.write(to: file)) != nil, let media = try? MediaFile(path: file.path) else { return nil }
    while let sample = try? media.next() {
      if case .video(let picture) = sample { return ClockBlocks.read(picture)?.milliseconds }
    }
    return nil
  }
}
