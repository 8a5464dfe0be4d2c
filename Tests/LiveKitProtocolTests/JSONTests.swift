import Foundation
import RoomLiveKitProtocol
import Testing

@Suite("LiveKit's messages as JSON")
struct JSONTests {
  private func text(_ message: some Message, _ style: JSONStyle) -> String {
    String(decoding: message.json(style), as: UTF8.self)
  }

  private func read<M: Message>(_ text: String, as type: M.Type = M.self) throws -> M { try M(json: Data(text.utf8)) }

  @Test("an answer of Twirp has all fields by the schema's names") func twirp() {
    let request = LiveKit.ListEgressRequest { $0.roomName = "a" }
    #expect(text(request, .twirp) == #"{"room_name":"a","egress_id":"","active":false,"page_token":null}"#)
    #expect(text(LiveKit.UpdateIngressRequest(), .twirp).contains("enabled") == false)
    #expect(text(LiveKit.ListRoomsResponse(), .twirp) == #"{"rooms":[]}"#)
  }

  @Test("a webhook has only what is set, in camel case, and 64-bit numbers as text") func webhook() {
    let event = LiveKit.WebhookEvent {
      $0.event = "room_started"
      $0.createdAt = 1_700_000_000
      $0.room = LiveKit.Room {
        $0.name = "a\"\n\u{1}é"
        $0.numParticipants = 2
      }
    }
    #expect(
      text(event, .webhook)
        == #"{"event":"room_started","room":{"name":"a\"\u000a\u0001é","numParticipants":2},"createdAt":"1700000000"}"#)
  }

  @Test("members are read by both names; unknown ones and null are ignored") func names() throws {
    let expected = LiveKit.MuteRoomTrackRequest {
      $0.room = "a"
      $0.trackSID = "TR_1"
      $0.muted = true
    }
    #expect(try read(#"{"room":"a","trackSid":"TR_1","muted":true,"new":[{"a":1}],"identity":null}"#) == expected)
    #expect(try read(#"{"room":"a","track_sid":"TR_1","muted":true}"#) == expected)
  }

  @Test("numbers are read as numbers and as text") func numbers() throws {
    let texts = [#""7""#, "7", "7.0", "0.7e1"]
    for text in texts {
      #expect(try read("{\"createdAt\": \(text)}", as: LiveKit.WebhookEvent.self).createdAt == 7)
      #expect(try read("{\"emptyTimeout\": \(text)}", as: LiveKit.CreateRoomRequest.self).emptyTimeout == 7)
    }
    #expect(try read(#"{"startTime": 18446744073709551615}"#, as: LiveKit.UserPacket.self).startTime == .max)
    #expect(try read(#"{"level": "Infinity"}"#, as: LiveKit.SpeakerInfo.self).level == .infinity)
    for text in ["-1", "4294967296", "1.5", #""x""#, #""""#, "true", "[]"] {
      #expect(throws: MessageError.wrongValue(field: "empty_timeout")) {
        try read("{\"emptyTimeout\": \(text)}", as: LiveKit.CreateRoomRequest.self)
      }
    }
  }

  @Test("an enumeration is read as a name and as a number, and an unknown name is ignored") func enumerations() throws {
    #expect(try read(#"{"source": "CAMERA"}"#, as: LiveKit.TrackInfo.self).source == .camera)
    #expect(try read(#"{"source": 3}"#, as: LiveKit.TrackInfo.self).source == .screenShare)
    #expect(try read(#"{"source": "HOLOGRAM"}"#, as: LiveKit.TrackInfo.self).source == .unknown)
    #expect(
      try read(#"{"canPublishSources": ["CAMERA", "X", 2]}"#, as: LiveKit.ParticipantPermission.self).canPublishSources
        == [.camera, .microphone])
    #expect(text(LiveKit.TrackInfo { $0.source = LiveKit.TrackSource(rawValue: 9) }, .webhook) == #"{"source":9}"#)
  }

  @Test("bytes are read as base64 of both alphabets", arguments: ["+/8=", "-_8=", "-_8", "+/8"]) func base64(text: String)
    throws
  {
    #expect(try read("{\"data\": \"\(text)\"}", as: LiveKit.SendDataRequest.self).data == [0xFB, 0xFF])
  }

  @Test("a choice is read by its member's name") func choice() throws {
    let request = try read(
      #"{"roomName":"a","template":{"layout":"grid"},"preset":"PASSTHROUGH"}"#, as: LiveKit.StartEgressRequest.self)
    #expect(request.source == .template(LiveKit.TemplateSource { $0.layout = "grid" }))
    #expect(request.encoding == .preset(.passthrough))
  }

  @Test("texts that are no object, or too deep, or too large, are refused") func refused() {
    for text in ["", "[]", "7", "{", #"{"a":}"#, "null"] {
      #expect(throws: MessageError.notJSON) { try read(text, as: LiveKit.Room.self) }
    }
    let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
    #expect(throws: MessageError.notJSON) { try read("{\"x\":\(deep)}", as: LiveKit.Room.self) }
    let long = #"{"names":["# + Array(repeating: #""""#, count: 5000).joined(separator: ",") + "]}"
    #expect(throws: MessageError.tooLarge) { try read(long, as: LiveKit.ListRoomsRequest.self) }
    #expect(throws: MessageError.tooLarge) {
      try LiveKit.Room(json: Data(repeating: 0x20, count: 11), limits: MessageLimits(bytes: 10))
    }
  }
}
