import RoomLiveKitProtocol
import RoomProtocol
import Testing

@testable import RoomLiveKitServer
@testable import RoomServer

@Suite("The chat of LiveKit's components")
struct LiveKitChatTests {
  private static func header(_ length: Int, _ adjust: (inout LiveKit.StreamHeader) -> Void = { _ in })
    -> LiveKit.DataPacket.Value
  {
    var header = LiveKit.StreamHeader {
      ($0.streamID, $0.topic, $0.totalLength) = ("1", "lk.chat", UInt64(length))
      $0.contentHeader = .textHeader(LiveKit.StreamTextHeader())
    }
    adjust(&header)
    return .streamHeader(header)
  }

  private static func chunk(_ text: String, of id: String = "1") -> LiveKit.DataPacket.Value {
    .streamChunk(LiveKit.StreamChunk { ($0.streamID, $0.content) = (id, Array(text.utf8)) })
  }

  private static func trailer(_ reason: String = "", of id: String = "1") -> LiveKit.DataPacket.Value {
    .streamTrailer(LiveKit.StreamTrailer { ($0.streamID, $0.reason) = (id, reason) })
  }

  @Test("the parts of a short text become one message; what is beyond its length is cut off") func text() {
    var chat = LiveKitChat()
    #expect(chat.take(Self.header(5)) == .part && chat.take(Self.chunk("he")) == .part)
    #expect(chat.take(Self.chunk("llo and more")) == .part && chat.take(Self.trailer()) == .text("hello"))
    #expect(chat.take(Self.trailer()) == .other, "it is over")
  }

  @Test("a text that its sender gives up, or that is not complete, is no message") func incomplete() {
    var chat = LiveKitChat()
    _ = chat.take(Self.header(5))
    _ = chat.take(Self.chunk("hello"))
    #expect(chat.take(Self.trailer("gave up")) == .part)
    _ = chat.take(Self.header(5))
    _ = chat.take(Self.chunk("he"))
    #expect(chat.take(Self.trailer()) == .part)
  }

  @Test("other streams are passed on: of other topics, long, edits, with attachments, compressed, too many at a time")
  func others() {
    let adjustments: [(inout LiveKit.StreamHeader) -> Void] = [
      { $0.topic = "text" }, { $0.totalLength = 4097 }, { $0.totalLength = nil }, { $0.totalLength = 0 },
      { $0.contentHeader = .byteHeader(LiveKit.StreamByteHeader()) }, { $0.attributes = ["a": "b"] },
      { $0.contentHeader = .textHeader(LiveKit.StreamTextHeader { $0.operationType = .update }) },
      { $0.contentHeader = .textHeader(LiveKit.StreamTextHeader { $0.attachedStreamIDs = ["2"] }) },
      { $0.compression = .deflateRaw }, { $0.inlineContent = [1] },
    ]
    for adjust in adjustments {
      var chat = LiveKitChat()
      #expect(chat.take(Self.header(5, adjust)) == .other && chat.take(Self.chunk("hello")) == .other)
    }
    var chat = LiveKitChat()
    for number in 0..<8 { #expect(chat.take(Self.header(5) { $0.streamID = "\(number)" }) == .part) }
    #expect(chat.take(Self.header(5) { $0.streamID = "8" }) == .other && chat.take(Self.chunk("hello", of: "8")) == .other)
  }

  @Test("a message of others is a text; one to a single user, or of another kind, is none") func packets() throws {
    let message = RoomMessage(seq: 7, userId: "bob", kind: .text, text: "hello", at: 9)
    let packets = try LiveKitChat.packets(of: message, from: "bob", sid: "PA_bob").map {
      try LiveKit.DataPacket(protobuf: $0.payload)
    }
    #expect(packets.allSatisfy { $0.participantIdentity == "bob" && $0.participantSID == "PA_bob" })
    var chat = LiveKitChat()
    #expect(packets.compactMap(\.value).map { chat.take($0) } == [.part, .part, .text("hello")])
    var other = message
    other.to = "carl"
    #expect(LiveKitChat.packets(of: other, from: "bob", sid: "").isEmpty)
    other = message
    other.kind = .barrage
    #expect(LiveKitChat.packets(of: other, from: "bob", sid: "").isEmpty)
  }
}
