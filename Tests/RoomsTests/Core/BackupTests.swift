import RoomPeers
import RoomProtocol
import RoomRTP
import RoomSFU
import RoomWebRTC
import Testing

@testable import RoomEngine

@Suite("Video that its publisher sends in a second codec when it is asked to")
struct BackupTests {
  /// A room in which ann publishes VP9, and has announced VP8.
  private struct Scene {
    var room = VirtualRoom()
    var publisher = TestPublisher()
    /// What ann is to send of her track, by codec, as she learned last.
    var wanted: [CodecName: [String]?] = [:]
    /// The media that ann publishes.
    var media: [MediaTrackID: String] = [:]
    var renditions: Set<MediaTrackID> = []
    var muted: Set<MediaTrackID> = []
    var subscribed: [MediaTrackID] = []
    var offers: [OfferData] = []
    var announced = 0

    init(backups: [CodecName] = [.vp8]) throws {
      room.join("ann", [.publish, .subscribe], traits: [.choosesTrackIDs])
      settle()
      var params = try publisher.publish([.vp9(profile: 0)])
      params.tracks[0].trackId = "TR_a"
      params.tracks[0].backups = backups
      try publish(params)
    }

    mutating func settle() {
      (subscribed, offers) = ([], [])
      for output in room.settle() {
        switch output {
        case .deliver(.codecsWanted("TR_a", let codecs), _):
          wanted = Dictionary(codecs.map { ($0.codec, $0.layers) }) { first, _ in first }
        case .media(.publish(let track, _, let parameters)): media[track] = parameters.codecs.first?.name
        case .media(.unpublish(let track)):
          media[track] = nil
          renditions.remove(track)
        case .media(.mute(let track, let isMuted)): if isMuted { muted.insert(track) } else { muted.remove(track) }
        case .media(.subscribe(_, let track, _, _, _)): subscribed.append(track)
        case .program(.makeRendition(let track, _, _)): renditions.insert(track)
        case .send(.offer(let offer), _): offers.append(offer)
        case .broadcast(.published, _): announced += 1
        case .answer(_, _, .success(let result as PublishResult)): try? publisher.accept(result)
        default: break
        }
      }
    }

    mutating func publish(_ params: PublishParams) throws {
      try room.call(.publish(params), by: "ann")
      settle()
    }

    mutating func pass(seconds: Int) {
      for _ in 0..<seconds {
        room.pass(.seconds(1))
        settle()
      }
    }

    mutating func view() throws -> SessionResourceID {
      let answer = try room.core.view(room.token("fan", [.subscribe]), .user("ann"), offer: HTTPOffer.view(.opus, .vp8))
      room.core.viewerConnected(answer.resource.id)
      settle()
      return answer.resource.id
    }

    /// Opens an m-line for the backup. Returns its media; nil if the room ignores it.
    mutating func open(_ codec: RTPCodec = .vp8) throws -> (media: MediaTrackID?, mid: String) {
      let before = Set(media.keys)
      var params = try publisher.publish([codec])
      let mid = try #require(params.tracks.first?.mid)
      (params.tracks, params.backups) = ([], [BackupLine(mid: mid, trackId: "TR_a")])
      try publish(params)
      return (media.keys.first { !before.contains($0) }, mid)
    }

    mutating func arrive(_ media: MediaTrackID) {
      room.core.handle(.firstPacket(media))
      settle()
    }

    /// Whether ann is asked for VP8.
    var isAsked: Bool { wanted[.vp8].map { $0 != [] } ?? false }
  }

  @Test("the publisher is asked once, its packets pass to all who need them, and ten seconds after the last it is to stop")
  func asked() throws {
    var scene = try Scene()
    #expect(scene.wanted.isEmpty && scene.announced == 1)
    let first = try scene.view()
    #expect(scene.isAsked && scene.wanted[.vp9] == .some(nil) && scene.subscribed.isEmpty && scene.renditions.isEmpty)
    let second = try scene.view()
    let backup = try #require(try scene.open().media)
    #expect(scene.subscribed.isEmpty, "an m-line is no picture yet")
    scene.arrive(backup)
    #expect(scene.subscribed == [backup, backup])
    scene.pass(seconds: 30)
    #expect(scene.renditions.isEmpty && scene.isAsked)
    #expect(scene.room.core.roster["ann"]?.tracks.map(\.info.trackId) == ["TR_a"] && scene.announced == 1)
    try scene.room.core.finish(first, of: "fan", .view)
    scene.pass(seconds: 12)
    #expect(scene.isAsked)
    try scene.room.core.finish(second, of: "fan", .view)
    scene.pass(seconds: 9)
    #expect(scene.isAsked, "a page that is reloaded finds it")
    scene.pass(seconds: 3)
    #expect(!scene.isAsked && scene.wanted[.vp9] == .some(nil))
    // The m-line is still there.
    _ = try scene.view()
    #expect(scene.isAsked && scene.subscribed == [backup])
  }

  @Test("without packets for three seconds the server transcodes, until they arrive") func late() throws {
    var scene = try Scene()
    _ = try scene.view()
    let backup = try #require(try scene.open().media)
    scene.pass(seconds: 2)
    #expect(scene.renditions.isEmpty)
    scene.pass(seconds: 1)
    let rendition = try #require(scene.renditions.first)
    #expect(scene.subscribed == [rendition])
    scene.pass(seconds: 20)
    #expect(scene.isAsked && scene.renditions == [rendition])
    scene.arrive(backup)
    #expect(scene.subscribed == [backup])
    scene.pass(seconds: 12)
    #expect(scene.renditions.isEmpty && scene.isAsked)
  }

  @Test("when the publisher leaves the backup, the server transcodes at once; when it leaves the track, both end")
  func left() throws {
    var scene = try Scene()
    _ = try scene.view()
    let opened = try scene.open()
    let backup = try #require(opened.media)
    scene.arrive(backup)
    scene.publisher.remove(mid: opened.mid)
    try scene.publish(try scene.publisher.publish([]))
    #expect(scene.media[backup] == nil && scene.renditions.count == 1 && scene.subscribed == Array(scene.renditions))
    let again = try #require(try scene.open().media)
    scene.arrive(again)
    #expect(scene.subscribed == [again], "it may return")
    try scene.room.call(.unpublish(TrackSelection(trackIds: ["TR_a"])), by: "ann")
    scene.settle()
    #expect(scene.media.isEmpty && scene.renditions.isEmpty && scene.room.core.backups.isEmpty)
  }

  @Test("a participant that rejects the codec is offered the backup under the same id, which is muted with the track")
  func participant() throws {
    var scene = try Scene()
    scene.room.join("bob", [.subscribe])
    scene.settle()
    try scene.room.answer("bob") { $0.name != "vp9" }
    scene.settle()
    #expect(scene.isAsked && scene.offers.allSatisfy { $0.tracks.isEmpty })
    let backup = try #require(try scene.open().media)
    scene.arrive(backup)
    #expect(scene.offers.last?.tracks.map(\.rendition) == [.vp8] && scene.offers.last?.tracks.first?.trackId == "TR_a")
    try scene.room.answer("bob") { $0.name != "vp9" }
    scene.settle()
    #expect(scene.subscribed == [backup])
    try scene.room.call(.mute(MuteParams(trackId: "TR_a", muted: true)), by: "ann")
    scene.settle()
    #expect(scene.muted.contains(backup) && scene.muted.count == 2)
    scene.room.core.handle(.layersWanted(backup, ["q"]))
    scene.settle()
    #expect(scene.wanted[.vp8] == ["q"] && scene.wanted[.vp9] == .some(nil))
    scene.room.core.leave("ann")
    scene.settle()
    #expect(scene.room.core.backups.isEmpty && scene.renditions.isEmpty)
  }

  @Test("a participant that rejects the backup too is offered a rendition of the server") func rejected() throws {
    var scene = try Scene(backups: [.h264])
    scene.room.join("bob", [.subscribe])
    scene.settle()
    try scene.room.answer("bob") { $0.name == "vp8" }
    scene.settle()
    scene.arrive(try #require(try scene.open(.h264(.constrainedBaseline, level: .level31)).media))
    #expect(scene.offers.last?.tracks.map(\.rendition) == [.h264])
    try scene.room.answer("bob") { $0.name == "vp8" }
    scene.settle()
    #expect(scene.offers.last?.tracks.map(\.rendition) == [.vp8])
    try scene.room.answer("bob") { $0.name == "vp8" }
    scene.settle()
    #expect(scene.subscribed == Array(scene.renditions))
  }

  @Test("a codec that was not announced is not asked for, and not taken") func notAnnounced() throws {
    var scene = try Scene(backups: [])
    _ = try scene.view()
    #expect(scene.wanted.isEmpty && scene.renditions.count == 1)
    #expect(try scene.open().media == nil)
    scene = try Scene()
    #expect(try scene.open(.h264(.constrainedBaseline, level: .level31)).media == nil)
    _ = try #require(try scene.open().media)
    #expect(scene.wanted[.vp8] == [], "it is to stop, because nobody needs it")
  }
}
