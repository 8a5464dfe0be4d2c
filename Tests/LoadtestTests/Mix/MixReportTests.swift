import Foundation
import Testing

@testable import RoomLoadtest

@Suite("The report of loadtest mix")
struct MixReportTests {
  private func result(_ change: (inout MixResult) -> Void = { _ in }) -> MixResult {
    var result = MixResult(
      programs: 2, sources: 2, isShared: false, size: "720x1280", sourceSize: "360x640", fps: 24, kilobits: 1548, seconds: 20,
      steps: ["decode": 0.04, "compose": 0.05, "encode": 0.22, "sound": 0.04, "whole": 0.25, "overlay": 0.3], bareBefore: 0.24,
      bareAfter: 0.26, bare: 0.25, realTimeBefore: 0.27, realTimeAfter: 0.29, realTime: 0.28, cores: 0.6, coresPerProgram: 0.3,
      roomsPerProgram: 0.01, systemPercent: 5, ratio: 1.2, ratioToRealTime: 1.07, programsPerCore: 3.333,
      programFPS: [24, 23.9], frames: 960, skipped: 0, decodedTracks: 8,
      decodedUses: 8, decoded: 2960, undecodable: 0, refused: 0, botsPercent: 8, othersPercent: 2, residentMegabytes: 120)
    change(&result)
    return result
  }

  @Test("the JSON object has the names that scripts rely on")
  func object() throws {
    let data = Data(try result().json().utf8)
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(object["ratio_to_bare"] as? Double == 1.2 && object["programs_per_core"] as? Double == 3.333)
    #expect(object["bare_cores"] as? Double == 0.25 && object["server_cores_per_program"] as? Double == 0.3)
    #expect(object["bare_cores_before"] as? Double == 0.24 && object["bare_cores_after"] as? Double == 0.26)
    #expect(object["bare_real_time_cores"] as? Double == 0.28 && object["ratio_to_bare_real_time"] as? Double == 1.07)
    #expect((object["bare_steps"] as? [String: Double])?["encode"] == 0.22)
    #expect(object["program_fps"] as? [Double] == [24, 23.9] && object["skipped_frames"] as? Int == 0)
    #expect(object["decoded_tracks"] as? Int == 8 && object["decoded_uses"] as? Int == 8)
    #expect(object["programs"] as? Int == 2 && object["shared"] as? Bool == false && object["size"] as? String == "720x1280")
  }

  @Test("the table shows the costs in percent of a core, followed by the summary")
  func table() {
    let text = result().text
    #expect(text.contains("| ffmpeg: everything, at full speed, before and after the server | 24.0, 26.0 |"))
    #expect(text.contains("2 in parallel in real time, before and after | 27.0, 29.0 |"))
    #expect(text.contains("| **server: everything** | **30.0** |"))
    #expect(
      text.contains("server : ffmpeg = 1.200 at full speed, 1.070 in real time") && text.contains("3.33 programs per core"))
    #expect(text.contains("Sent: 24.0, 23.9 fps; 960 frames encoded, 0 skipped."))
    #expect(text.contains("8 tracks for 8 uses"))
  }

  @Test("values of an unknown process or unknown counters are dashes")
  func unknown() {
    let text = result {
      ($0.cores, $0.coresPerProgram, $0.ratio, $0.ratioToRealTime, $0.programsPerCore) = (nil, nil, nil, nil, nil)
      ($0.decodedTracks, $0.decodedUses) = (nil, nil)
    }.text
    #expect(text.contains("server : ffmpeg = –") && text.contains("– tracks for – uses"))
  }

  @Test("a run in which the server skipped frames is invalid")
  func unsound() {
    #expect(result().isValid)
    #expect(!result { $0.programFPS = [24, 20] }.isValid)
    #expect(!result { $0.programFPS = [24] }.isValid)
    #expect(!result { $0.skipped = 1 }.isValid)
    #expect(!result { $0.undecodable = 1 }.isValid)
    #expect(!result { $0.refused = 1 }.isValid)
  }
}
