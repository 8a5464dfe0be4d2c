import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomLiveOrigin

/// Feeds streams message by message in virtual time, and checks the playlist at each moment as a player would see it.
@Suite struct LowLatencyTests {
  /// A player that reloads after each change: it checks the rules, and merges delta updates.
  private struct Watcher {
    let packager: HLSPackager
    private(set) var violations: Set<String> = []
    private(set) var deltas = 0
    private(set) var last: HLSRules?
    /// The whole playlist according to the delta updates.
    private var known: (segments: [HLSRules.Segment], first: Int)?
    private var hints: [String] = []
    private var lastChange: [Int] = []
    /// Everything ever listed.
    private(set) var seen: [String: Double] = [:]

    init(_ settings: HLSSettings = HLSSettings(), epoch: Int64? = nil) {
      packager = HLSPackager(settings, epoch: epoch)
    }

    mutating func take(_ messages: [LiveMedia]) {
      for message in messages {
        packager.take([message], unixTime: 1_700_000_000_000 + message.time.milliseconds)
        let change = [packager.counters.parts, packager.counters.segments, packager.window.growing?.number ?? 0]
        if change != lastChange { look() }
        lastChange = change
      }
    }

    mutating func finish() {
      packager.finish()
      look()
    }

    private mutating func look() {
      guard packager.window.isPlayable else { return }
      let playlist = HLSPlaylist(packager.window, epoch: packager.epoch ?? 0, folder: "studio")
      let whole = HLSRules(playlist.text)
      violations.formUnion(whole.violations)
      if let last, whole.sequence < last.sequence { violations.insert("§6.2.2: the media sequence decreases") }
      for segment in whole.segments {
        for part in segment.parts {
          if seen.updateValue(part.seconds, forKey: part.uri) ?? part.seconds != part.seconds {
            violations.insert("§6.2.2: \(part.uri) changes")
          }
        }
      }
      if let hint = whole.hint, hints.last != hint { hints.append(hint) }
      let delta = HLSRules(playlist.text(skips: true))
      violations.formUnion(delta.violations)
      if delta.skipped > 0 { deltas += 1 }
      if let known {
        if let merged = delta.merged(into: known.segments, from: known.first) {
          // Parts of older segments leave the playlist.
          if merged.map(\.uri) != whole.segments.map(\.uri) || merged.map(\.seconds) != whole.segments.map(\.seconds) {
            violations.insert("§6.3.7: a delta update merges into another playlist")
          }
        } else {
          violations.insert("§6.2.5.1: a delta update skips what the player does not know")
        }
      }
      known = (whole.segments, whole.sequence)
      last = whole
    }

    /// The hinted parts that never came, except the one that the player still waits for.
    var brokenHints: [String] { hints.dropLast().filter { seen[$0] == nil } }
  }

  private static let sizes = GeneratedStream.headers()

  /// Returns pictures at these times, and audio.
  private static func stream(_ times: [Int64], keyFrames: Int64, audio: Bool = true) -> [LiveMedia] {
    var nextKey: Int64 = times.first ?? 0
    let pictures = times.map { time in
      let isKeyFrame = time >= nextKey
      if isKeyFrame { nextKey += keyFrames }
      return GeneratedStream.picture(time, isKeyFrame: isKeyFrame)
    }
    let range = (times.first ?? 0)..<(times.last ?? 0)
    let sound = audio ? GeneratedStream.span(range, video: false) : []
    return (pictures + sound).sorted { $0.time < $1.time }
  }

  @Test(
    "at each moment the playlist follows the rules, delta updates lead to the same one, and each hinted part follows",
    arguments: [10, 12, 15, 20, 24, 25, 30, 50, 60], [1000, 3000] as [Int64])
  func steady(rate: Int, keyFrames: Int64) {
    var watcher = Watcher()
    let times = (0..<(rate * 24)).map { Int64($0 * 1000 / rate) }
    watcher.take(Self.sizes + Self.stream(times, keyFrames: keyFrames))
    #expect(watcher.violations.isEmpty, "\(watcher.violations)")
    #expect(watcher.brokenHints.isEmpty && watcher.deltas > 0)
    #expect(watcher.packager.window.partTarget == 350)
    #expect(watcher.last?.segments.first?.parts.isEmpty == true, "old segments have no parts")
    watcher.finish()
    #expect(watcher.violations.isEmpty && watcher.last?.hasEnded == true, "\(watcher.violations)")
  }

  @Test("pictures of a camera that is not even fit the part target", arguments: 1...40 as ClosedRange<UInt64>)
  func jitter(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var time: Int64 = 0
    let times = (0..<600).map { _ -> Int64 in
      time += Int64.random(in: 25...75, using: &random)
      return time
    }
    var watcher = Watcher()
    watcher.take(Self.sizes + Self.stream(times, keyFrames: 2000))
    // A part may be short, if the next picture would make it too long.
    let violations = watcher.violations.filter { !$0.contains("85 %") }
    #expect(violations.isEmpty && watcher.packager.window.partTarget == 350, "\(violations)")
    #expect(watcher.brokenHints.isEmpty)
    #expect(watcher.seen.values.count { $0 < 0.27 } < watcher.seen.count / 2)
  }

  @Test("a group of pictures longer than a segment is cut into parts that follow at the same pace")
  func longGroup() {
    var watcher = Watcher()
    watcher.take(Self.sizes + GeneratedStream.span(0..<16_100, keyFrames: 8000))
    #expect(watcher.violations.isEmpty && watcher.brokenHints.isEmpty, "\(watcher.violations)")
    let segments = watcher.packager.window.listed
    #expect(segments.map(\.duration) == [8000, 8000] && segments.allSatisfy { $0.parts.count == 25 })
    #expect(segments.allSatisfy { $0.parts.map(\.isIndependent) == [true] + Array(repeating: false, count: 24) })
    #expect(segments.allSatisfy { $0.parts.dropLast().allSatisfy { $0.duration == 320 } })
  }

  @Test("audio alone has parts, each of which can be played alone")
  func soundAlone() {
    var watcher = Watcher()
    watcher.take([Self.sizes[1]] + GeneratedStream.span(0..<20_000, video: false))
    #expect(watcher.violations.isEmpty && watcher.brokenHints.isEmpty && watcher.deltas > 0, "\(watcher.violations)")
    #expect(watcher.last?.segments.flatMap(\.parts).allSatisfy(\.isIndependent) == true)
  }

  @Test("another picture format and a publisher that returns are discontinuities, and the rules hold at each moment")
  func changes() throws {
    var watcher = Watcher()
    watcher.take(Self.sizes + GeneratedStream.span(0..<6000))
    watcher.take(GeneratedStream.headers(at: 6000, level: 0x1f) + GeneratedStream.span(6000..<9000))
    watcher.take(GeneratedStream.span(14_000..<22_000))
    let violations = watcher.violations.filter { !$0.contains("85 %") }
    #expect(violations.isEmpty && watcher.brokenHints.isEmpty, "\(violations)")
    let segments = try #require(watcher.last?.segments)
    #expect(segments.count { $0.isDiscontinuous } == 2 && watcher.deltas > 0)
    #expect(segments.filter { $0.map != nil }.count == 2, "the returning publisher has the same format")
    #expect(segments.first { $0.isDiscontinuous && $0.map == nil }?.date == "2023-11-14T22:13:34.000Z")
  }

  @Test("renditions with one epoch have the same dates, whenever they begin")
  func epoch() {
    var (early, late) = (Watcher(epoch: 1_600_000_000_000), Watcher(epoch: 1_600_000_000_000))
    early.take(Self.sizes + GeneratedStream.span(0..<10_000))
    late.take(GeneratedStream.headers(at: 4000) + GeneratedStream.span(4000..<10_000))
    #expect(early.last?.segments.last?.date == late.last?.segments.last?.date)
    #expect(late.last?.segments.first?.date == "2020-09-13T12:26:44.000Z")
  }

  @Test("a delta update has version 9 and keeps six target durations; a short playlist and an ended one are whole")
  func delta() {
    var watcher = Watcher(HLSSettings(window: 12))
    watcher.take(Self.sizes + GeneratedStream.span(0..<13_000))
    #expect(watcher.deltas == 0)
    watcher.take(GeneratedStream.span(13_000..<27_000))
    let playlist = HLSPlaylist(watcher.packager.window, epoch: 0, folder: "studio")
    let text = playlist.text(skips: true)
    #expect(text.hasPrefix("#EXTM3U\n#EXT-X-VERSION:9\n#EXT-X-TARGETDURATION:2\n"))
    #expect(text.contains(",CAN-SKIP-UNTIL=12.000\n"))
    // 24.88 s, of which 12 s and a part of a segment remain.
    let delta = HLSRules(text)
    #expect(delta.skipped == 6 && delta.segments.first?.uri == "studio/seg-850000007.m4s", "\(text)")
    #expect(delta.sequence == 850_000_001 && delta.segments.first?.map == nil)
    watcher.finish()
    #expect(playlist.text == playlist.text(skips: false))
    #expect(!HLSPlaylist(watcher.packager.window, epoch: 0, folder: "studio").text(skips: true).contains("SKIP"))
  }

  @Test("a rendition report names the newest part of another rendition")
  func report() {
    let line = HLSPlaylist.report(of: "studio_640_360_15", query: "wsTime=5f", at: HLSPosition(number: 7, part: 2))
    #expect(line == "#EXT-X-RENDITION-REPORT:URI=\"studio_640_360_15.m3u8?wsTime=5f\",LAST-MSN=7,LAST-PART=2\n")
    var watcher = Watcher()
    watcher.take(Self.sizes + GeneratedStream.span(0..<2700))
    #expect(watcher.packager.window.lastPart == HLSPosition(number: 850_000_001, part: 1))
  }
}
