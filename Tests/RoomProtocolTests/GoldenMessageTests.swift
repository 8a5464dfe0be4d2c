import Foundation
import RoomProtocol
import Testing

/// The wire format as documented in `api/signalling.md`. A change here affects every client.
@Suite struct GoldenMessageTests {
  func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  /// Expects that the value encodes to the text, and that the text decodes to the value.
  func check<Value: Codable & Equatable>(_ value: Value, _ text: String) throws {
    #expect(try json(value) == text)
    #expect(try JSONDecoder().decode(Value.self, from: Data(text.utf8)) == value)
  }

  private let camera = TrackInfo(
    trackId: "TR_1", kind: .video, tag: "camera", codec: .vp8, width: 640, height: 360, fps: 25, bitrate: 800_000)

  @Test("requests")
  func requests() throws {
    try check(
      SignalRequest(id: 1, call: .join(JoinParams(token: "eyJ", autoSubscribe: true))),
      #"{"id":1,"method":"join","params":{"autoSubscribe":true,"token":"eyJ","version":1}}"#)
    try check(SignalRequest(id: 2, call: .ping), #"{"id":2,"method":"ping"}"#)
    try check(
      SignalRequest(id: 1, call: .join(JoinParams(token: "eyJ", resume: "S", since: 41))),
      #"{"id":1,"method":"join","params":{"resume":"S","since":41,"token":"eyJ","version":1}}"#)
    try check(
      SignalRequest(id: 4, call: .confirmTracks(ConfirmParams(trackIds: ["TR_1"]))),
      #"{"id":4,"method":"confirmTracks","params":{"trackIds":["TR_1"]}}"#)
    try check(
      SignalRequest(
        id: 6,
        call: .setReception(
          ReceptionParams(tracks: [
            TrackReception(trackId: "TR_1", maxWidth: 320, maxHeight: 240, maxFps: 15, priority: 3, paused: false)
          ]))),
      #"{"id":6,"method":"setReception","params":{"tracks":[{"maxFps":15,"maxHeight":240,"maxWidth":320,"paused":false,"priority":3,"trackId":"TR_1"}]}}"#
    )
    try check(
      SignalRequest(id: 5, call: .setAudioLevels(AudioLevelsParams(enabled: true))),
      #"{"id":5,"method":"setAudioLevels","params":{"enabled":true}}"#)
    try check(
      SignalRequest(
        id: 3,
        call: .publish(PublishParams(sdp: "v=0\r\n", tracks: [NewTrack(mid: "0", kind: .audio, tag: "mic", master: true)]))),
      #"{"id":3,"method":"publish","params":{"sdp":"v=0\r\n","tracks":[{"kind":"audio","master":true,"mid":"0","tag":"mic"}]}}"#
    )
  }

  @Test("the join result")
  func joinResult() throws {
    let me = ParticipantInfo(userId: "ann", grants: [.publish, .subscribe], joinedAt: 1_700_000_000_000)
    let bob = ParticipantInfo(
      userId: "bob", grants: [.publish, .subscribe, .admin], joinedAt: 1_699_999_999_000, tracks: [camera])
    try check(
      JoinResult(
        sessionId: "S", resumed: false, room: RoomSnapshot(name: "demo", createdAt: 1_699_999_990_000), me: me,
        participants: [bob], limits: RoomLimits(), pingInterval: 5000),
      #"{"limits":{"historyBytes":131072,"historyMessages":50,"messageBytes":262144,"participantsPerRoom":1000,"tracksPerParticipant":16},"#
        + #""me":{"connected":true,"grants":["publish","subscribe"],"joinedAt":1700000000000,"tracks":[],"userId":"ann"},"#
        + #""participants":[{"connected":true,"grants":["publish","subscribe","admin"],"joinedAt":1699999999000,"tracks":["#
        + #"{"bitrate":800000,"codec":"vp8","fps":25,"height":360,"kind":"video","master":true,"muted":false,"tag":"camera","#
        + #""trackId":"TR_1","width":640}],"userId":"bob"}],"pingInterval":5000,"resumed":false,"#
        + #""room":{"attributes":{},"createdAt":1699999990000,"invitations":[],"jobs":[],"layout":{"canvas":{"height":1280,"width":720},"#
        + #""frames":[{"cornerRadius":0,"height":1,"width":1,"x":0,"y":0,"zIndex":0},{"cornerRadius":0.06,"height":0.3,"width":0.3,"#
        + #""x":0.66,"y":0.1,"zIndex":1}],"type":"oneToOne"},"messages":[],"name":"demo","pkInvitations":[],"requests":[],"seats":[],"#
        + #""seq":0},"#
        + #""sessionId":"S","version":1}"#)
  }

  @Test("ICE servers in the join result match RTCPeerConnection's format")
  func iceServers() throws {
    try check(
      [
        ICEServer(urls: ["stun:stun.example.org"]),
        ICEServer(urls: ["turn:turn.example.org:3478"], username: "1800000000:ann", credential: "c2VjcmV0"),
      ],
      #"[{"urls":["stun:stun.example.org"]},"#
        + #"{"credential":"c2VjcmV0","urls":["turn:turn.example.org:3478"],"username":"1800000000:ann"}]"#)
  }

  @Test("answers: a result, an empty one, and an error with and without an id")
  func answers() throws {
    #expect(try json(SignalAnswer.result(id: 2, Empty())) == #"{"id":2,"result":{}}"#)
    let published = PublishResult(
      sdp: "v=0", tracks: [PublishedTrackInfo(mid: "0", track: TrackInfo(trackId: "TR_2", kind: .audio))])
    let text =
      #"{"id":3,"result":{"sdp":"v=0","tracks":[{"mid":"0","track":{"kind":"audio","master":true,"muted":false,"tag":"","trackId":"TR_2"}}]}}"#
    #expect(try json(SignalAnswer.result(id: 3, published)) == text)
    let read = try JSONDecoder().decode(SignalAnswer<PublishResult>.self, from: Data(text.utf8))
    guard case .result(3, published) = read else { return #expect(Bool(false), "\(read)") }

    let error = RoomError(.noPermission, "the token has no grant to publish")
    let refused = #"{"error":{"code":10003,"message":"the token has no grant to publish","name":"noPermission"},"id":4}"#
    #expect(try json(SignalAnswer<Empty>.error(id: 4, error)) == refused)
    guard case .error(4, error) = try JSONDecoder().decode(SignalAnswer<Empty>.self, from: Data(refused.utf8)) else {
      return #expect(Bool(false))
    }
    let anonymous = try json(SignalAnswer<Empty>.error(id: nil, RoomError(.unknownMessage, "the message is not JSON")))
    #expect(anonymous == #"{"error":{"code":10001,"message":"the message is not JSON","name":"unknownMessage"},"id":null}"#)
  }

  @Test("events")
  func events() throws {
    try check(
      SignalEvent.joined(ParticipantInfo(userId: "u", grants: [], joinedAt: 5)),
      #"{"data":{"connected":true,"grants":[],"joinedAt":5,"tracks":[],"userId":"u"},"event":"joined"}"#)
    try check(
      SignalEvent.left(LeftData(userId: "u", reason: .timedOut)), #"{"data":{"reason":"timedOut","userId":"u"},"event":"left"}"#
    )
    try check(
      SignalEvent.connectionChanged(ConnectionData(userId: "u", connected: false)),
      #"{"data":{"connected":false,"userId":"u"},"event":"connectionChanged"}"#)
    try check(
      SignalEvent.published(
        PublishedData(userId: "u", tracks: [TrackInfo(trackId: "t", kind: .audio, codec: .opus, layers: ["q", "f"])])),
      #"{"data":{"tracks":[{"codec":"opus","kind":"audio","layers":["q","f"],"master":true,"muted":false,"tag":"","trackId":"t"}],"#
        + #""userId":"u"},"event":"published"}"#)
    try check(
      SignalEvent.unpublished(UnpublishedData(userId: "u", trackIds: ["t"])),
      #"{"data":{"trackIds":["t"],"userId":"u"},"event":"unpublished"}"#)
    try check(
      SignalEvent.muteChanged(MuteData(userId: "u", trackId: "t", muted: true, by: "v")),
      #"{"data":{"by":"v","muted":true,"trackId":"t","userId":"u"},"event":"muteChanged"}"#)
    try check(
      SignalEvent.pkOnAir(PKOnAirData(pkId: "p", jobId: "live")), #"{"data":{"jobId":"live","pkId":"p"},"event":"pkOnAir"}"#)
    try check(SignalEvent.kicked(KickedData(userId: "u", by: "")), #"{"data":{"by":"","userId":"u"},"event":"kicked"}"#)
    try check(
      SignalEvent.offer(
        OfferData(offer: 1, sdp: "v=0", tracks: [OfferedTrack(mid: "0", userId: "u", trackId: "t")], restart: false)),
      #"{"data":{"offer":1,"restart":false,"sdp":"v=0","tracks":[{"mid":"0","trackId":"t","userId":"u"}]},"event":"offer"}"#)
    try check(
      SignalEvent.subscribeFailed(
        SubscribeFailedData(trackIds: ["t"], error: RoomError(.subscribeFailed, "no codec in common"))),
      #"{"data":{"error":{"code":80202,"message":"no codec in common","name":"subscribeFailed"},"trackIds":["t"]},"event":"subscribeFailed"}"#
    )
    try check(
      SignalEvent.layers(LayersData(layers: [WantedLayers(trackId: "t", wanted: ["q", "h"])])),
      #"{"data":{"layers":[{"trackId":"t","wanted":["q","h"]}]},"event":"layers"}"#)
    try check(
      SignalEvent.streams(
        StreamsData(streams: [
          StreamInfo(trackId: "t", state: .active, width: 320, height: 180),
          StreamInfo(trackId: "v", state: .paused, reason: .bandwidth),
        ])),
      #"{"data":{"streams":[{"height":180,"state":"active","trackId":"t","width":320},{"reason":"bandwidth","state":"paused","trackId":"v"}]},"event":"streams"}"#
    )
    try check(
      SignalEvent.networkQuality(
        NetworkQualityData(users: [UserQuality(userId: "u", uplink: .weak), UserQuality(userId: "v", downlink: .bad)])),
      #"{"data":{"users":[{"downlink":"good","uplink":"weak","userId":"u"},{"downlink":"bad","uplink":"good","userId":"v"}]},"event":"networkQuality"}"#
    )
    try check(
      SignalEvent.audioLevels(AudioLevelsData(levels: [AudioLevel(userId: "u", trackId: "t", level: -30)])),
      #"{"data":{"levels":[{"level":-30,"trackId":"t","userId":"u"}]},"event":"audioLevels"}"#)
    try check(
      SignalEvent.activeSpeakers(ActiveSpeakersData(userIds: ["u"])), #"{"data":{"userIds":["u"]},"event":"activeSpeakers"}"#)
    try check(
      SignalEvent.ended(EndedData(reason: .kickedOut, by: "admin")),
      #"{"data":{"by":"admin","reason":"kickedOut"},"event":"ended"}"#)
    try check(
      SignalEvent.ended(EndedData(reason: .duplicateLogin, error: RoomError(.duplicateLogin, "joined elsewhere"))),
      #"{"data":{"error":{"code":401003,"message":"joined elsewhere","name":"duplicateLogin"},"reason":"duplicateLogin"},"event":"ended"}"#
    )
  }

  @Test("an event, an error code and a field of a newer server are accepted")
  func newerServer() throws {
    let event = try JSONDecoder().decode(SignalEvent.self, from: Data(#"{"event":"fireworks","data":{"x":1}}"#.utf8))
    #expect(event == .unknown("fireworks"))
    let error = try JSONDecoder().decode(
      RoomError.self, from: Data(#"{"code":99999,"name":"tooNew","message":"m","hint":"h"}"#.utf8))
    #expect(error.code.rawValue == 99999 && error.name == "tooNew" && error.code.name == "unknown")
  }

  @Test("a grant that does not exist is an error")
  func unknownGrant() {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Grants.self, from: Data(#"["publish","fly"]"#.utf8)) }
  }
}
