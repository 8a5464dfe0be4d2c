import RoomPeers
import RoomProtocol
import RoomRTP
import RoomRelay
import RoomSFU
import RoomWebRTC
import Testing

@testable import RoomEngine

@Suite("Video for subscribers that can't decode what is published")
struct RenditionTests {
  /// A room with an encoder's H.264 and Opus.
  private struct Scene {
    var room = VirtualRoom()
    /// The renditions that the room has made and not ended.
    var running: [MediaTrackID: TrackRendition.Codec] = [:]
    var subscribed: [MediaTrackID] = []
    var events: [SignalEvent] = []

    init() throws {
      try room.publish("obs", [.publish])
      settle()
    }

    mutating func settle() {
      (subscribed, events) = ([], [])
      for output in room.settle() {
        switch output {
        case .program(.makeRendition(let track, _, let codec)): running[track] = codec
        case .program(.endRendition(let track)): running[track] = nil
        case .media(.subscribe(_, let track, _, _, _)): subscribed.append(track)
        case .send(let event, _): events.append(event)
        default: break
        }
      }
    }

    mutating func pass(seconds: Int) {
      for _ in 0..<seconds {
        room.pass(.seconds(1))
        settle()
      }
    }

    mutating func view(_ codec: RTPCodec) throws -> SessionResourceID {
      let answer = try room.core.view(room.token("fan", [.subscribe]), .user("obs"), offer: HTTPOffer.view(.opus, codec))
      room.core.viewerConnected(answer.resource.id)
      settle()
      return answer.resource.id
    }
  }

  private static func without(_ codecs: String...) -> @Sendable (RTPCodec) -> Bool { { !codecs.contains($0.name) } }

  @Test("viewers without the codec share one rendition, which ends ten seconds after the last")
  func viewers() throws {
    var scene = try Scene()
    _ = try scene.view(.h264(.constrainedBaseline))
    #expect(scene.running.isEmpty && scene.subscribed.count == 2)
    let first = try scene.view(.vp8)
    let rendition = try #require(scene.running.first)
    #expect(rendition.value == .vp8 && scene.subscribed.contains(rendition.key) && scene.subscribed.count == 2)
    let second = try scene.view(.vp8)
    #expect(scene.running.count == 1 && scene.subscribed.contains(rendition.key))
    try scene.room.core.finish(first, of: "fan", .view)
    scene.room.pass(.seconds(30))
    scene.settle()
    #expect(scene.running.count == 1)
    try scene.room.core.finish(second, of: "fan", .view)
    scene.pass(seconds: 9)
    #expect(scene.running.count == 1, "a page that is reloaded finds it")
    scene.pass(seconds: 3)
    #expect(scene.running.isEmpty)
    // The next one makes it anew.
    _ = try scene.view(.vp8)
    #expect(scene.running.count == 1 && scene.running[rendition.key] == nil)
  }

  @Test("a participant that rejects the codec is offered another one, and learns which")
  func participant() throws {
    var scene = try Scene()
    scene.room.join("firefox", [.subscribe])
    scene.settle()
    try scene.room.answer("firefox", accepts: Self.without("h264"))
    scene.settle()
    #expect(scene.running.values.elementsEqual([.vp8]))
    let offer = try #require(scene.events.compactMap { if case .offer(let offer) = $0 { offer } else { nil } }.last)
    #expect(offer.tracks.compactMap(\.rendition) == [.vp8] && offer.tracks.count == 2)
    try scene.room.answer("firefox", accepts: Self.without("h264"))
    scene.settle()
    #expect(scene.subscribed == Array(scene.running.keys))
    #expect(!scene.events.contains { if case .subscribeFailed = $0 { true } else { false } })
    // Another track of the codec is offered in the right one at once.
    scene.room.join("other", [.subscribe])
    scene.settle()
    try scene.room.answer("other")
    scene.settle()
    #expect(scene.running.count == 1, "who decodes the track receives the track")
  }

  @Test("a client that rejects the rendition too is refused, with the reason")
  func nothing() throws {
    var scene = try Scene()
    scene.room.join("deaf", [.subscribe])
    scene.settle()
    try scene.room.answer("deaf", accepts: Self.without("h264", "vp8"))
    scene.settle()
    try scene.room.answer("deaf", accepts: Self.without("h264", "vp8"))
    scene.settle()
    #expect(scene.events.contains { if case .subscribeFailed = $0 { true } else { false } })
  }

  @Test("without room in the budget the client is refused with that reason, and a viewer receives the sound alone")
  func refused() throws {
    var scene = try Scene()
    scene.room.join("firefox", [.subscribe])
    scene.settle()
    try scene.room.answer("firefox", accepts: Self.without("h264"))
    scene.settle()
    try scene.room.answer("firefox", accepts: Self.without("h264"))
    scene.settle()
    _ = try scene.view(.vp8)
    let rendition = try #require(scene.running.keys.first)
    scene.room.core.renditionFailed(rendition, "the budget is used up")
    scene.settle()
    #expect(scene.running.isEmpty)
    try scene.room.answer("firefox", accepts: Self.without("h264"))
    scene.settle()
    let failed = scene.events.compactMap { if case .subscribeFailed(let data) = $0 { data.error.message } else { nil } }
    #expect(failed.count == 1 && failed.first?.contains("the budget is used up") == true, "\(failed)")
    let more = try scene.view(.vp8)
    #expect(scene.subscribed.count == 1 && scene.running.isEmpty, "a refused rendition is not tried for each viewer")
    _ = more
  }

  @Test("a rendition ends with its track")
  func ended() throws {
    var scene = try Scene()
    _ = try scene.view(.vp8)
    #expect(scene.running.count == 1)
    scene.room.core.encoderLost(try #require(scene.room.core.roster["obs"]?.connection))
    scene.settle()
    #expect(scene.running.isEmpty)
  }
}
