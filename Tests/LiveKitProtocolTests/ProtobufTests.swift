import Foundation
import RoomLiveKitProtocol
import RoomTestSupport
import Testing

@Suite("LiveKit's messages as protobuf")
struct ProtobufTests {
  @Test("an offer has the bytes of the schema") func bytes() throws {
    let request = LiveKit.SignalRequest { request in
      request.message = .offer(
        LiveKit.SessionDescription {
          $0.type = "offer"
          $0.sdp = "v=0"
          $0.id = 300
        })
    }
    let bytes: [UInt8] = [0x0A, 15, 0x0A, 5] + "offer".utf8 + [0x12, 3] + "v=0".utf8 + [0x18, 0xAC, 0x02]
    #expect(request.protobuf == bytes)
    #expect(try LiveKit.SignalRequest(protobuf: bytes) == request)
  }

  @Test("zero and nothing are not written, except in a choice and in an optional value") func zero() throws {
    #expect(LiveKit.TrackInfo().protobuf == [])
    #expect(LiveKit.SignalRequest { $0.message = .ping(0) }.protobuf == [14 << 3, 0])
    #expect(LiveKit.UserPacket { $0.topic = "" }.protobuf == [4 << 3 | 2, 0])
    #expect(try LiveKit.UserPacket(protobuf: [4 << 3 | 2, 0]).topic == "")
  }

  @Test("a negative number has ten bytes, and is read back") func negative() throws {
    let layer = LiveKit.VideoLayer { $0.spatialLayer = -1 }
    #expect(layer.protobuf.count == 11)
    #expect(try LiveKit.VideoLayer(protobuf: layer.protobuf) == layer)
  }

  @Test("lists of numbers are read packed, one by one, and mixed") func packed() throws {
    let mixed: [UInt8] = [18 << 3 & 0x7F | 0x80 | 2, 1, 2, 0, 1, 18 << 3 & 0x7F | 0x80, 1, 5]
    #expect(try LiveKit.ParticipantInfo(protobuf: mixed).kindDetails == [.cloudAgent, .forwarded, .simulation])
  }

  @Test("unknown fields and known ones of another wire type are skipped") func skipped() throws {
    var writer = ProtobufWriter()
    writer.tag(1, .varint)
    writer.varint(7)
    writer.tag(900, .fixed64)
    writer.fixed64(1)
    writer.tag(901, .fixed32)
    writer.fixed32(1)
    writer.tag(902, .run)
    writer.run([1, 2, 3])
    writer.tag(2, .run)
    writer.run("room".utf8)
    #expect(try LiveKit.Room(protobuf: writer.bytes) == LiveKit.Room { $0.name = "room" })
  }

  @Test("a message that is there twice is merged, and of a choice the last one counts") func merged() throws {
    let first = LiveKit.SignalRequest { $0.message = .mute(LiveKit.MuteTrackRequest { $0.sid = "TR_1" }) }
    let second = LiveKit.SignalRequest { $0.message = .mute(LiveKit.MuteTrackRequest { $0.muted = true }) }
    let both = LiveKit.MuteTrackRequest {
      $0.sid = "TR_1"
      $0.muted = true
    }
    #expect(try LiveKit.SignalRequest(protobuf: first.protobuf + second.protobuf).message == .mute(both))
    let third = LiveKit.SignalRequest { $0.message = .ping(3) }
    #expect(try LiveKit.SignalRequest(protobuf: first.protobuf + third.protobuf).message == .ping(3))
  }

  @Test("an enumeration keeps a newer value") func newerValue() throws {
    let track = LiveKit.TrackInfo { $0.source = LiveKit.TrackSource(rawValue: 40) }
    #expect(try LiveKit.TrackInfo(protobuf: track.protobuf).source.rawValue == 40)
  }

  @Test("a map is written in the order of its keys") func map() throws {
    let participant = LiveKit.ParticipantInfo { $0.attributes = ["seat": "2", "a": "", "": "x"] }
    #expect(try LiveKit.ParticipantInfo(protobuf: participant.protobuf) == participant)
    #expect(participant.protobuf == participant.protobuf)
  }

  @Test("a routed packet keeps a content that the server does not know") func routed() throws {
    var writer = ProtobufWriter()
    writer.tag(4, .run)
    writer.run("ann".utf8)
    writer.tag(77, .run)
    writer.run([1, 2, 3])
    writer.tag(78, .varint)
    writer.varint(300)
    var packet = try LiveKit.RoutedPacket(protobuf: writer.bytes)
    #expect(packet.participantIdentity == "ann")
    packet.participantIdentity = ""
    #expect(packet.protobuf == Array(writer.bytes.dropFirst(5)))
  }

  @Test("bytes that end within a field, and tags and numbers that protobuf does not allow, are refused")
  func malformed() {
    let room = LiveKit.Room { $0.name = "a room" }.protobuf
    for count in 1..<room.count {
      #expect(throws: MessageError.truncated) { try LiveKit.Room(protobuf: Array(room.prefix(count))) }
    }
    #expect(throws: MessageError.malformed) { try LiveKit.Room(protobuf: [0]) }
    #expect(throws: MessageError.malformed) { try LiveKit.Room(protobuf: [0x0B]) }
    #expect(throws: MessageError.malformed) { try LiveKit.Room(protobuf: Array(repeating: 0xFF, count: 11)) }
    #expect(throws: MessageError.truncated) {
      try LiveKit.Room(protobuf: [0x0A] + Array(repeating: 0xFF, count: 9) + [0x01])
    }
    #expect(throws: MessageError.notText) { try LiveKit.Room(protobuf: [0x12, 2, 0xC3, 0x28]) }
  }

  @Test("more bytes, members or levels than the limits allow are refused") func limits() throws {
    let participants = LiveKit.ParticipantUpdate { $0.participants = Array(repeating: LiveKit.ParticipantInfo(), count: 50) }
    let bytes = participants.protobuf
    #expect(bytes.count == 100)
    #expect(try LiveKit.ParticipantUpdate(protobuf: bytes) == participants)
    #expect(throws: MessageError.tooLarge) {
      try LiveKit.ParticipantUpdate(protobuf: bytes, limits: MessageLimits(elements: 49))
    }
    #expect(throws: MessageError.tooLarge) { try LiveKit.ParticipantUpdate(protobuf: bytes, limits: MessageLimits(bytes: 99)) }
    let nested = LiveKit.SignalResponse { $0.message = .roomUpdate(LiveKit.RoomUpdate { $0.room = LiveKit.Room() }) }
    #expect(throws: MessageError.tooLarge) {
      try LiveKit.SignalResponse(protobuf: nested.protobuf, limits: MessageLimits(depth: 1))
    }
  }

  @Test("random and mutated bytes never trap") func random() {
    var generator = RandomMessage(SeededGenerator(seed: 7))
    for type in outerMessages {
      for _ in 0..<20 {
        var bytes = generator.protobuf(type)
        for _ in 0..<3 where !bytes.isEmpty {
          bytes[Int.random(in: bytes.indices, using: &generator.random)] = UInt8.random(in: 0...255, using: &generator.random)
        }
        _ = try? type.init(protobuf: bytes, limits: MessageLimits())
      }
    }
  }
}
