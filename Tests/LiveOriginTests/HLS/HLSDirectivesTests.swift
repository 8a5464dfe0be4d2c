import RoomRTP
import Testing

@testable import RoomLiveOrigin

@Suite struct HLSDirectivesTests {
  private func packager(_ times: Range<Int64>, _ settings: HLSSettings = HLSSettings(partLength: 500)) -> HLSPackager {
    let packager = HLSPackager(settings)
    for message in GeneratedStream.headers() + GeneratedStream.span(times) { packager.take([message], unixTime: 0) }
    return packager
  }

  @Test("a playlist request can wait for a segment or a part")
  func reload() throws {
    let packager = packager(0..<4700)
    let growing = try #require(packager.window.growing?.number)
    func reached(_ query: String) throws -> Bool? { try HLSDirectives(query: query).reload?.isReached(by: packager.window) }
    #expect(try reached("a=b") == nil)
    #expect(try reached("_HLS_msn=\(growing - 1)") == true)
    #expect(try reached("_HLS_msn=\(growing - 1)&_HLS_part=99") == true)
    #expect(try reached("_HLS_msn=\(growing)") == false)
    #expect(try reached("x=1&_HLS_msn=\(growing)&_HLS_part=0") == true)
    #expect(try reached("_HLS_msn=\(growing)&_HLS_part=1") == false)
    for message in GeneratedStream.span(4700..<5000) { packager.take([message], unixTime: 0) }
    #expect(try reached("_HLS_msn=\(growing)&_HLS_part=1") == true)
  }

  @Test("a request more than two segments, or more than the advance part limit, ahead is rejected")
  func tooFarAhead() throws {
    let packager = packager(0..<4700)
    let growing = try #require(packager.window.growing?.number)
    // One part exists; three seconds of parts of 500 ms are six.
    for (number, part) in [(growing + 1, nil), (growing + 1, 5), (growing, 6), (growing - 1, 900), (growing, nil)] {
      try HLSReload(number: number, part: part).check(against: packager.window)
    }
    for (number, part) in [(growing + 2, nil), (growing + 2, 0), (growing + 1, 6), (growing, 7)] as [(Int, Int?)] {
      #expect(throws: HLSReload.Refusal.tooFarAhead, "\(number) \(part ?? -1)") {
        try HLSReload(number: number, part: part).check(against: packager.window)
      }
    }
    packager.finish()
    try HLSReload(number: growing + 9, part: nil).check(against: packager.window)
  }

  @Test(
    "invalid directives are rejected, unknown ones are ignored",
    arguments: [
      "_HLS_msn=", "_HLS_msn=-1", "_HLS_msn=x", "_HLS_part=1", "_HLS_msn=1&_HLS_msn=2", "_HLS_msn=99999999999999999999",
      "_HLS_skip=NO", "_HLS_skip", "_HLS_skip=YES&_HLS_skip=YES", "_HLS_msn=1&_HLS_part=", "_HLS_msn=1&_HLS_part=٣",
    ])
  func malformed(query: String) throws {
    #expect(throws: HLSReload.Refusal.malformed) { try HLSDirectives(query: query) }
    #expect(try HLSDirectives(query: "_HLS_report=x&a=_HLS_msn&_hls_msn=x") == HLSDirectives(query: ""))
  }

  @Test("a player may accept delta updates with or without a reload")
  func skip() throws {
    #expect(try HLSDirectives(query: "_HLS_skip=YES").skips && HLSDirectives(query: "_HLS_skip=v2").skips)
    let both = try HLSDirectives(query: "wsTime=5&_HLS_skip=YES&_HLS_msn=7&_HLS_part=0")
    #expect(both.skips && both.reload == HLSReload(number: 7, part: 0))
    #expect(try !HLSDirectives(query: "_HLS_msn=7").skips)
  }

  @Test("the URLs in a playlist repeat the query without directives, and nothing that ends a quoted string")
  func remainder() {
    #expect(
      HLSDirectives.remainder(ofQuery: "wsSecret=a&_HLS_msn=3&b=\"x&wsTime=5&c=\n#EXT&_HLS_skip=YES") == "wsSecret=a&wsTime=5")
  }
}
