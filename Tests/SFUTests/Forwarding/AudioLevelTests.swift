import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomSFU

@Suite("forwarder: audio levels")
struct AudioLevelTests {
  @Test("levels are reported every 200 ms during sound, silence once; a speaker stays for a second after the last sound")
  func levels() throws {
    let network = try VirtualNetwork()
    let alice = try network.connectedClients(1)[0]
    let track = MediaTrackID(7)
    network.order(.publish(track, on: alice.id, Parameters.audio(ssrc: 2222)))
    let start = network.now
    for number in 0..<100 as Range<UInt16> {
      alice.sendRTP(
        payloadType: 111, sequence: number, timestamp: UInt32(number) * 960, ssrc: 2222, payload: [1],
        level: number % 5 == 0 ? 20 : 60)
      network.run(milliseconds: 20)
    }
    let end = network.now
    network.run(milliseconds: 5000)
    let sounds = network.events.filter { $0.event == .audioLevels([TrackLevel(track: track, level: -20)]) }.map(\.at)
    #expect((10...11).contains(sounds.count), "the loudest of each interval, for two seconds")
    #expect(zip(sounds.dropFirst(), sounds).allSatisfy { (200_000...210_000).contains($0 - $1) })
    let silences = network.events.filter { $0.event == .audioLevels([TrackLevel(track: track, level: -127)]) }
    #expect(silences.count == 1)
    let speakers = network.events.compactMap { entry in
      if case .activeSpeakers(let speakers) = entry.event { (entry.at, speakers) } else { nil }
    }
    #expect(speakers.map(\.1) == [[track], []])
    #expect((0...220_000).contains(speakers[0].0 - start))
    #expect((800_000...1_300_000).contains(speakers[1].0 - end))
  }

  @Test("the loudest speaker is first, and one who becomes louder takes over")
  func ranking() throws {
    let network = try VirtualNetwork()
    let clients = try network.connectedClients(2)
    for client in clients {
      network.order(
        .publish(MediaTrackID(client.id.rawValue), on: client.id, Parameters.audio(ssrc: 2222)))
    }
    func speak(_ levels: [UInt8], from first: UInt16) {
      for number in first..<(first + 50) {
        for (client, level) in zip(clients, levels) {
          client.sendRTP(
            payloadType: 111, sequence: number, timestamp: UInt32(number) * 960, ssrc: 2222, payload: [1], level: level)
        }
        network.run(milliseconds: 20)
      }
    }
    var last: [MediaTrackID] {
      network.events.reversed().lazy.compactMap { if case .activeSpeakers(let all) = $0.event { all } else { nil } }.first ?? []
    }
    speak([20, 40], from: 0)
    #expect(last == [MediaTrackID(1), MediaTrackID(2)])
    speak([40, 20], from: 50)
    #expect(last == [MediaTrackID(2), MediaTrackID(1)])
  }
}
