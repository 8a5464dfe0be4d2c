import Foundation
import RoomRTP
import RoomWebRTC
import Testing

@testable import RoomLoadtest

@Suite("The report of loadtest network")
struct NetworkReportTests {
  private func result(_ server: NetworkServerKind, frozen: Double, isTrustworthy: Bool = true) -> NetworkResult {
    NetworkResult(
      NetworkSubject(scenario: "n1-thin", server: server), seconds: 40,
      figures: [.frozen: frozen, .fpsP50: 20, .lateness: 0.1, .publisherLateness: isTrustworthy ? 1 : 51],
      limits: [.most(.frozen, 2)])
  }

  @Test("a run becomes JSON with the names of its figures, and comes back")
  func json() throws {
    let text = try Series([result(.janusApp, frozen: 3)]).json()
    #expect(text.contains("\"frozen_percent\" : 3") && text.contains("\"server\" : \"janus-app\""))
    let back = try JSONDecoder().decode(NetworkResult.self, from: Data(text.utf8))
    #expect(back.target == NetworkSubject(scenario: "n1-thin", server: .janusApp) && back[.frozen] == 3)
    #expect(back.broken == ["frozen_percent <= 2: 3"])
  }

  @Test("medians are those of a scenario on a server, and the chart has a bar for each")
  func medians() {
    let series = Series([1.0, 5, 3].flatMap { [result(.roomserver, frozen: $0), result(.janus, frozen: 10 * $0)] })
    #expect(series.medians.count == 2)
    #expect(series.text.contains("| 3 | n1-thin janus |"))
    #expect(series.panels.first?.bars.map(\.value) == [3, 30])
  }

  @Test("only this server has to meet the limits, and no run counts whose link or publisher was late")
  func validity() {
    #expect(result(.roomserver, frozen: 1).isValid)
    #expect(!result(.roomserver, frozen: 3).isValid)
    #expect(result(.janus, frozen: 3).isValid)
    #expect(!result(.janus, frozen: 1, isTrustworthy: false).isValid)
    #expect(Series([result(.janus, frozen: 1, isTrustworthy: false)]).text.contains("does not count"))
  }

  @Test("a simulcast offer announces each layer's streams, which are sent without a MID")
  func simulcast() throws {
    let local = TransportParameters(credentials: .random(), fingerprints: [try Certificate().fingerprint], role: .client)
    var offer = PublishOffer(local: local, cname: "bot")
    let video = try offer.add(.vp8, trackID: "camera")
    let layers = SimulcastOffer(video, count: 3)
    let text = layers.announce(in: offer.makeOffer())
    let ssrcs = layers.encodings.compactMap { $0.ssrc.map { "\($0)" } }
    #expect(ssrcs.count == 3 && text.contains("a=ssrc-group:SIM \(ssrcs.joined(separator: " "))\r\n"))
    #expect(text.components(separatedBy: "a=ssrc-group:FID ").count == 4)
    let senders = layers.senders([video])
    #expect(senders.map(\.mid.rawValue) == ["0", "0-1", "0-2"])
    #expect(senders.map { $0.headerExtensions[.mid] != nil } == [true, false, false])
    #expect(SimulcastOffer(video, count: 1).announce(in: text) == text)
  }
}
