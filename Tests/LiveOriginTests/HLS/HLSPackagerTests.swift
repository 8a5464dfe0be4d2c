import RoomRTMP
import Testing

@testable import RoomLiveOrigin

@Suite struct HLSPackagerTests {
  /// 2023-11-14T22:13:20Z, when the last message of the first batch arrived.
  private let unixTime: Int64 = 1_700_000_000_000

  private func packager(_ batch: [LiveMedia], _ settings: HLSSettings = HLSSettings()) -> HLSPackager {
    let packager = HLSPackager(settings)
    for message in batch { packager.take([message], unixTime: unixTime + message.time.milliseconds) }
    return packager
  }

  private func text(_ packager: HLSPackager, query: String = "") -> String {
    HLSPlaylist(packager.window, epoch: packager.epoch ?? 0, folder: "studio", query: query).text
  }

  @Test("segments end at key frames and consist of parts, and their numbers come from the time of day")
  func cutting() {
    let packager = packager(GeneratedStream.headers() + GeneratedStream.span(0..<8700))
    let window = packager.window
    #expect(window.listed.map(\.number) == [850_000_000, 850_000_001, 850_000_002, 850_000_003])
    #expect(window.listed.map(\.duration) == [2000, 2000, 2000, 2000])
    #expect(window.listed.map(\.start.milliseconds) == [0, 2000, 4000, 6000])
    for segment in window.listed {
      #expect(segment.parts.map(\.duration) == [320, 320, 320, 320, 320, 320, 80])
      #expect(segment.parts.map(\.isIndependent) == [true] + Array(repeating: false, count: 6))
      #expect(segment.parts.map(\.bytes.count).reduce(0, +) == segment.bytes.count)
    }
    #expect(window.growing?.parts.map(\.duration) == [320, 320] && window.targetDuration == 2 && window.partTarget == 350)
    #expect(packager.counters.discontinuities == 0 && packager.counters.dropped == 0)
  }

  @Test("the exact playlist")
  func golden() {
    let settings = HLSSettings(segmentLength: 1000, partLength: 500, window: 3)
    let picture = [GeneratedStream.header(.video, GeneratedStream.pictureHeader, at: 0)]
    let packager = packager(picture + GeneratedStream.span(0..<4900, keyFrames: 1000, audio: false), settings)
    #expect(
      text(packager, query: "wsSecret=ab&wsTime=5f") == """
        #EXTM3U
        #EXT-X-VERSION:6
        #EXT-X-TARGETDURATION:1
        #EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.500,CAN-SKIP-UNTIL=6.000
        #EXT-X-PART-INF:PART-TARGET=0.500
        #EXT-X-INDEPENDENT-SEGMENTS
        #EXT-X-MEDIA-SEQUENCE:1700000001
        #EXT-X-MAP:URI="studio/init-1700000000.mp4?wsSecret=ab&wsTime=5f"
        #EXT-X-PROGRAM-DATE-TIME:2023-11-14T22:13:21.000Z
        #EXT-X-PART:DURATION=0.480,URI="studio/part-1700000001.0.m4s?wsSecret=ab&wsTime=5f",INDEPENDENT=YES
        #EXT-X-PART:DURATION=0.480,URI="studio/part-1700000001.1.m4s?wsSecret=ab&wsTime=5f"
        #EXT-X-PART:DURATION=0.040,URI="studio/part-1700000001.2.m4s?wsSecret=ab&wsTime=5f"
        #EXTINF:1.000,
        studio/seg-1700000001.m4s?wsSecret=ab&wsTime=5f
        #EXT-X-PROGRAM-DATE-TIME:2023-11-14T22:13:22.000Z
        #EXT-X-PART:DURATION=0.480,URI="studio/part-1700000002.0.m4s?wsSecret=ab&wsTime=5f",INDEPENDENT=YES
        #EXT-X-PART:DURATION=0.480,URI="studio/part-1700000002.1.m4s?wsSecret=ab&wsTime=5f"
        #EXT-X-PART:DURATION=0.040,URI="studio/part-1700000002.2.m4s?wsSecret=ab&wsTime=5f"
        #EXTINF:1.000,
        studio/seg-1700000002.m4s?wsSecret=ab&wsTime=5f
        #EXT-X-PROGRAM-DATE-TIME:2023-11-14T22:13:23.000Z
        #EXT-X-PART:DURATION=0.480,URI="studio/part-1700000003.0.m4s?wsSecret=ab&wsTime=5f",INDEPENDENT=YES
        #EXT-X-PART:DURATION=0.480,URI="studio/part-1700000003.1.m4s?wsSecret=ab&wsTime=5f"
        #EXT-X-PART:DURATION=0.040,URI="studio/part-1700000003.2.m4s?wsSecret=ab&wsTime=5f"
        #EXTINF:1.000,
        studio/seg-1700000003.m4s?wsSecret=ab&wsTime=5f
        #EXT-X-PROGRAM-DATE-TIME:2023-11-14T22:13:24.000Z
        #EXT-X-PART:DURATION=0.480,URI="studio/part-1700000004.0.m4s?wsSecret=ab&wsTime=5f",INDEPENDENT=YES
        #EXT-X-PRELOAD-HINT:TYPE=PART,URI="studio/part-1700000004.1.m4s?wsSecret=ab&wsTime=5f"

        """)
    packager.finish()
    let ended = text(packager)
    #expect(ended.hasSuffix("#EXTINF:0.920,\nstudio/seg-1700000004.m4s\n#EXT-X-ENDLIST\n") && !ended.contains("PART"))
  }

  @Test("without parts the playlist does not mention them")
  func withoutParts() {
    let text = text(
      packager(GeneratedStream.headers() + GeneratedStream.span(0..<4500), HLSSettings(partLength: nil)))
    #expect(!text.contains("PART") && !text.contains("CONTROL") && text.contains("#EXTINF:2.000,\nstudio/seg-850000001.m4s\n"))
  }

  @Test("another configuration is a discontinuity with its own section, and is counted when it leaves the playlist")
  func configurationChange() throws {
    let settings = HLSSettings(window: 3)
    let before = GeneratedStream.headers() + GeneratedStream.span(0..<4000)
    let packager = packager(
      before + GeneratedStream.headers(at: 4000, level: 0x1f) + GeneratedStream.span(4000..<8100), settings)
    #expect(packager.window.listed.map(\.isDiscontinuous) == [false, true, false])
    let text = text(packager)
    let lines = text.split(separator: "\n")
    let mark = try #require(lines.firstIndex(of: "#EXT-X-DISCONTINUITY"))
    #expect(lines[mark + 1] == "#EXT-X-MAP:URI=\"studio/init-850000002.mp4\"")
    #expect(packager.window.initialisation(850_000_000) != nil && packager.window.initialisation(850_000_002) != nil)
    #expect(packager.window.initialisation(850_000_000) != packager.window.initialisation(850_000_002))
    for message in GeneratedStream.span(8100..<14_100) { packager.take([message], unixTime: 0) }
    #expect(self.text(packager).contains("#EXT-X-DISCONTINUITY-SEQUENCE:1\n"))
  }

  @Test("the playlist that ends a form announces the next one before hinting at its first part")
  func hintBehindChange() throws {
    let before = GeneratedStream.headers() + GeneratedStream.span(0..<4000)
    let change = GeneratedStream.headers(at: 4000, level: 0x1f) + [GeneratedStream.picture(4000, isKeyFrame: true)]
    let packager = packager(before + change)
    #expect(packager.window.growing?.parts.isEmpty == true, "no part of the new form is there yet")
    let lines = text(packager).split(separator: "\n")
    let hint = try #require(lines.firstIndex { $0.hasPrefix("#EXT-X-PRELOAD-HINT") })
    #expect(lines[hint].contains("part-850000002.0.m4s"))
    #expect(
      lines[(hint - 3)..<hint].elementsEqual([
        "#EXT-X-DISCONTINUITY", "#EXT-X-MAP:URI=\"studio/init-850000002.mp4\"",
        "#EXT-X-PROGRAM-DATE-TIME:2023-11-14T22:13:24.000Z",
      ]))
    // A segment of the same form is hinted at without any of these tags.
    let same = self.packager(before + [GeneratedStream.picture(4000, isKeyFrame: true)])
    let tail = text(same).split(separator: "\n").suffix(2)
    #expect(tail.first?.hasPrefix("studio/seg-") == true && tail.last?.hasPrefix("#EXT-X-PRELOAD-HINT") == true)
  }

  @Test("for VLC a change is not marked: one section, and no discontinuity")
  func unmarkedChanges() throws {
    let after = GeneratedStream.headers(at: 4000, level: 0x1f) + GeneratedStream.span(4000..<8100)
    let packager = packager(GeneratedStream.headers() + GeneratedStream.span(0..<4000) + after, HLSSettings(window: 3))
    let text = HLSPlaylist(packager.window, epoch: 0, folder: "studio", changes: .unmarked).text
    #expect(!text.contains("DISCONTINUITY"))
    let lines = text.split(separator: "\n")
    #expect(lines.filter { $0.hasPrefix("#EXT-X-MAP") } == ["#EXT-X-MAP:URI=\"studio/init-850000000.mp4\""])
    let marked = self.text(packager).split(separator: "\n").filter { $0.hasPrefix("studio/") }
    #expect(lines.filter { $0.hasPrefix("studio/") } == marked, "the segments are the same")
  }

  @Test("a publisher that returns after a while leaves a marked gap in one timeline and one form")
  func hole() {
    let after = GeneratedStream.span(9000..<9990).filter { $0.media.kind == .audio } + GeneratedStream.span(9990..<16_100)
    let packager = packager(GeneratedStream.headers() + GeneratedStream.span(0..<5000) + after)
    let listed = packager.window.listed
    #expect(listed.map(\.isDiscontinuous) == [false, false, false, true, false, false])
    #expect(listed.map(\.start.milliseconds) == [0, 2000, 4000, 10_000, 12_000, 14_000], "audio waits for the picture")
    #expect(listed.map(\.initialisation) == Array(repeating: 850_000_000, count: 6))
    #expect(abs(listed[2].duration - 1000) < 30)
  }

  @Test("without key frames, segments are cut anyway")
  func noKeyFrames() {
    let packager = packager(GeneratedStream.headers() + GeneratedStream.span(0..<25_000, keyFrames: 1_000_000))
    #expect(packager.window.listed.map(\.duration) == [10_000, 10_000] && packager.window.targetDuration == 10)
    #expect(packager.window.listed.last?.parts.first?.isIndependent == false)
  }

  @Test("audio alone is cut by time, and waits for video only for a limited time")
  func soundAlone() {
    let sound = GeneratedStream.span(0..<9000, video: false)
    let alone = packager([GeneratedStream.header(.audio, GeneratedStream.soundHeader, at: 0)] + sound)
    #expect(alone.window.listed.count == 4 && alone.window.listed.allSatisfy { (2000...2022).contains($0.duration) })
    #expect(alone.window.listed[0].parts.allSatisfy { $0.isIndependent && $0.duration <= 350 })
    let hoping = packager(GeneratedStream.headers() + sound)
    #expect(hoping.window.listed.count == 2 && (hoping.window.listed.first?.start.milliseconds ?? 0) > 3000)
    for message in GeneratedStream.span(9000..<14_200) { hoping.take([message], unixTime: 0) }
    #expect(hoping.window.listed.map(\.isDiscontinuous) == [false, false, false, false, true, false])
  }

  @Test("a camera that is switched off leaves the audio, and returns at a key frame")
  func cameraOff() {
    let packager = packager(
      GeneratedStream.headers() + GeneratedStream.span(0..<4500) + GeneratedStream.span(4500..<12_500, video: false)
        + GeneratedStream.span(12_500..<18_100))
    let listed = packager.window.listed
    #expect(listed.filter(\.isDiscontinuous).map(\.start).count == 2)
    #expect(listed.contains { $0.start.milliseconds == 14_000 && $0.isDiscontinuous })
    #expect(packager.tracks.video != nil && packager.tracks.audio != nil)
  }

  @Test("audio that stops is no longer announced, because players would wait for it")
  func soundStops() {
    let packager = packager(
      GeneratedStream.headers() + GeneratedStream.span(0..<4500) + GeneratedStream.span(4500..<12_100, audio: false))
    #expect(packager.tracks.audio == nil && packager.tracks.video != nil && packager.counters.discontinuities == 1)
  }

  @Test("segments that take too much memory are removed, and an endless segment is cut")
  func bounds() {
    let settings = HLSSettings(window: 6, bytes: 3 << 20)
    let packager = packager(GeneratedStream.headers() + GeneratedStream.span(0..<20_000, bytes: 40_000), settings)
    #expect(packager.window.keptBytes <= 3 << 20 && packager.window.keptBytes > 1 << 20)
    #expect(packager.window.listed.allSatisfy { $0.bytes.count < 3 << 20 })
    #expect(packager.window.isPlayable && packager.counters.dropped == 0)
  }

  @Test("a segment can be loaded for a while after leaving the playlist")
  func lateLoading() {
    let packager = packager(GeneratedStream.headers() + GeneratedStream.span(0..<40_600), HLSSettings(window: 3))
    let first = packager.window.listed[0].number
    #expect(packager.window.segment(first - 4) != nil && packager.window.segment(first - 5) == nil)
    #expect(packager.window.part(1, of: first - 1)?.isEmpty == false && packager.window.part(9, of: first) == nil)
    #expect(packager.window.part(0, of: first + 3)?.isEmpty == false && packager.window.segment(first + 3) == nil)
  }

  @Test("only file names from the playlist are valid")
  func names() {
    for resource in [HLSResource.initialisation(3), .segment(850_000_000), .part(12, of: 7)] {
      #expect(HLSResource(resource.name) == resource)
    }
    for name in [
      "", "seg-.m4s", "seg-1.mp4", "seg-1.2.m4s", "seg--1.m4s", "part-1.m4s", "part-1.2.3.m4s", "part-.1.m4s", "init-1.m4s",
      "seg-99999999999999999999.m4s", "../seg-1.m4s", "seg-1.m4s?",
    ] { #expect(HLSResource(name) == nil, "\(name)") }
  }

  @Test("dates match the calendar")
  func dates() {
    #expect(HLSPlaylist.date(0) == "1970-01-01T00:00:00.000Z")
    #expect(HLSPlaylist.date(951_782_399_999) == "2000-02-28T23:59:59.999Z")
    #expect(HLSPlaylist.date(951_868_800_007) == "2000-03-01T00:00:00.007Z")
    #expect(HLSPlaylist.date(1_709_210_096_789) == "2024-02-29T12:34:56.789Z")
    #expect(HLSPlaylist.date(4_107_542_399_000) == "2100-02-28T23:59:59.000Z")
  }
}
