import Foundation
import NIOCore
import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomEngine

@Suite("A join's answer as JSON")
struct SnapshotWritingTests {
  private func written(_ answer: JoinResult) throws -> String {
    var memory = WrittenParticipants()
    return String(buffer: try SignalWriter.joined(answer, id: 7, &memory))
  }

  private func encoded(_ answer: JoinResult) throws -> String {
    String(decoding: try JSON.encoder().encode(SignalAnswer.result(id: 7, answer)), as: UTF8.self)
  }

  private func answer(to participant: ParticipantInfo) -> JoinResult {
    JoinResult(
      sessionId: "s", resumed: false, room: RoomSnapshot(name: "r", createdAt: 5), me: participant, participants: [],
      limits: RoomLimits(), pingInterval: 5000)
  }

  private func track(_ random: inout some RandomNumberGenerator) -> TrackInfo {
    var track = TrackInfo(trackId: "TR_\(UInt16.random(in: 0...9, using: &random))", kind: .audio)
    track.kind = Bool.random(using: &random) ? .audio : .video
    track.tag = ["", "camera", "a/b \"c\"", "ü\n"].randomElement(using: &random) ?? ""
    track.master = .random(using: &random)
    track.muted = .random(using: &random)
    if Bool.random(using: &random) { track.codec = .opus }
    if Bool.random(using: &random) { track.width = 1280 }
    if Bool.random(using: &random) { track.height = -720 }
    if Bool.random(using: &random) { track.fps = 30 }
    if Bool.random(using: &random) { track.bitrate = .max }
    if Bool.random(using: &random) { track.name = "ü \"n\"" }
    return track
  }

  private func participant(_ number: Int, _ random: inout some RandomNumberGenerator) -> ParticipantInfo {
    ParticipantInfo(
      userId: "user-\(number)", grants: Grants(rawValue: .random(in: 0..<32, using: &random)),
      joinedAt: .random(in: .min ... .max, using: &random), connected: .random(using: &random),
      tracks: (0..<Int.random(in: 0...3, using: &random)).map { _ in track(&random) },
      profile: .random(using: &random)
        ? nil : ParticipantProfile(name: "Ann", metadata: "{\"a\":1}", attributes: ["b": "", "B": "x", "a10": "1", "a9": "ü"]),
      kind: .random(using: &random) ? nil : .encoder)
  }

  @Test("it equals Codable's output for any content")
  func snapshots() throws {
    var random = SeededGenerator(seed: 1)
    for count in [0, 1, 2, 50] {
      for _ in 0..<20 {
        var answer = JoinResult(
          sessionId: "a \"secret\"", resumed: .random(using: &random),
          room: RoomSnapshot(name: "r", createdAt: 5, attributes: ["k/1": "v"]), me: participant(0, &random),
          participants: (0..<count).map { participant($0, &random) }, limits: RoomLimits(), pingInterval: 5000)
        if Bool.random(using: &random) { answer.replayed = .random(using: &random) }
        if Bool.random(using: &random) { answer.iceServers = [ICEServer(urls: ["turn:h?transport=udp"])] }
        if Bool.random(using: &random) {
          answer.room.messages = [RoomMessage(seq: 1, userId: "u", kind: .text, text: "a\\b", at: 1)]
        }
        #expect(try written(answer) == encoded(answer))
      }
    }
  }

  @Test("output cached for an earlier join stays correct after joins, leaves and changes")
  func again() throws {
    var random = SeededGenerator(seed: 1)
    var all: [ParticipantInfo] = []
    var memory = WrittenParticipants()
    for number in 0..<500 {
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where !all.isEmpty: all.remove(at: .random(in: all.indices, using: &random))
        case 1 where !all.isEmpty:
          let index = Int.random(in: all.indices, using: &random)
          all[index].connected.toggle()
          if Bool.random(using: &random) { all[index].tracks.append(track(&random)) }
        case 2 where all.count > 20: all = []
        default: all.append(participant(number, &random))
        }
      }
      var answer = answer(to: participant(0, &random))
      answer.participants = all
      if !all.isEmpty, Bool.random(using: &random) {
        answer.participants.remove(at: .random(in: all.indices, using: &random))
      }
      let written = String(buffer: try SignalWriter.joined(answer, id: 7, &memory))
      #expect(try written == encoded(answer))
    }
  }

  @Test("every character is encoded as by Codable")
  func characters() throws {
    let scalars = (0...0x2FF).map { $0 } + [0x2028, 0x2029, 0xD7FF, 0xE000, 0xFEFF, 0xFFFF, 0x1F600, 0x10FFFF]
    for value in scalars {
      guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
      let answer = answer(to: ParticipantInfo(userId: UserID("a\(Character(scalar))b"), grants: [.publish], joinedAt: 0))
      #expect(try written(answer) == encoded(answer), "U+\(String(value, radix: 16))")
    }
    for text in ["", "e\u{301}", "👩‍👩‍👧", "\r\n", "\"\\/"] {
      let answer = answer(to: ParticipantInfo(userId: UserID(text), grants: [], joinedAt: 0))
      #expect(try written(answer) == encoded(answer))
    }
  }
}
