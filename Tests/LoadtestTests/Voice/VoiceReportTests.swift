import Foundation
import Testing

@testable import RoomLoadtest

@Suite("The report of loadtest voice")
struct VoiceReportTests {
  private func result(_ target: VoiceServerKind, perListener: Double) -> VoiceResult {
    VoiceResult(
      target: target, speakers: 8, listeners: 100, seconds: 20, cpuPercent: 10 + 100 * perListener, cpuPercentSpeakers: 10,
      cpuPercentPerListener: perListener, cpuPercentPerParticipant: 0.5, othersPercent: 1, botsPercent: 20,
      packets: 100_000, packetsPerListenerPerSecond: 50, lostPackets: 0, gaps: 2, silentListeners: 0, receiverDrops: 0,
      unauthentic: 0, heardByListener: 8, heardBySpeakers: 7, echoes: 0, residentMegabytes: 50, kilobytesPerListener: 100)
  }

  @Test("the medians of pairs are compared, the first target with the others")
  func medians() throws {
    let series = Series(
      [0.1, 0.4, 0.2].flatMap { [result(.roomserver, perListener: $0), result(.janus, perListener: 10 * $0)] })
    #expect(series.medians.map(\.target) == [.roomserver, .janus])
    #expect(series.medians[0].cpuPercentPerListener == 0.2)
    #expect(abs((series.cpuRatios.first?.ratio ?? 0) - 0.1) < 1e-9)
    let table = series.text
    #expect(table.contains("| 2 | janus |"))
    #expect(table.contains("roomserver : janus = 0.100 (1/10.0)"))
  }

  @Test("one run is a JSON object with the documented names, several are a series")
  func json() throws {
    let one = try Series([result(.janus, perListener: 1)]).json()
    for name in ["cpu_percent_per_listener", "audio_gaps", "packets_received", "others_heard_by_speakers"] {
      #expect(one.contains("\"\(name)\""))
    }
    #expect(try JSONDecoder().decode(VoiceResult.self, from: Data(one.utf8)).isValid)
    let two = try Series([result(.roomserver, perListener: 1), result(.janus, perListener: 2)]).json()
    #expect(two.contains("\"cpu_ratios\""))
  }

  @Test("silence, echo and loss are reported and make the run invalid")
  func unsound() {
    var bad = result(.roomserver, perListener: 1)
    bad.echoes = 1
    bad.silentListeners = 2
    #expect(!bad.isValid)
    let table = Series([bad]).text
    #expect(table.contains("1 themselves") && table.contains("2 receive nothing"))
    bad = result(.roomserver, perListener: 1)
    bad.heardBySpeakers = 6
    #expect(!bad.isValid)
  }
}
