import Foundation
import RoomProtocol
import Testing

@Suite struct RequestDecodingTests {
  private func decode(_ text: String) throws(UnreadableRequest) -> SignalRequest { try SignalRequest.decode(text.utf8) }

  @Test("every method is decoded with its parameters")
  func methods() throws {
    #expect(
      try decode(#"{"id":1,"method":"join","params":{"version":1,"token":"t","audioLevels":true}}"#)
        == SignalRequest(id: 1, call: .join(JoinParams(token: "t", audioLevels: true))))
    #expect(try decode(#"{"id":2,"method":"leave"}"#) == SignalRequest(id: 2, call: .leave))
    #expect(
      try decode(
        #"{"id":3,"method":"publish","params":{"sdp":"s","tracks":[{"mid":"0","kind":"video","tag":"screen","fps":15}]}}"#)
        == SignalRequest(
          id: 3, call: .publish(PublishParams(sdp: "s", tracks: [NewTrack(mid: "0", kind: .video, tag: "screen", fps: 15)]))))
    #expect(
      try decode(#"{"id":4,"method":"unpublish","params":{"trackIds":["a"]}}"#).call
        == .unpublish(TrackSelection(trackIds: ["a"])))
    #expect(
      try decode(#"{"id":5,"method":"subscribe","params":{"userIds":["u"]}}"#).call
        == .subscribe(TrackSelection(userIds: ["u"])))
    #expect(try decode(#"{"id":6,"method":"unsubscribe","params":{}}"#).call == .unsubscribe(TrackSelection()))
    #expect(
      try decode(#"{"id":7,"method":"answer","params":{"offer":2,"sdp":"s"}}"#).call
        == .answer(AnswerParams(offer: 2, sdp: "s")))
    #expect(try decode(#"{"id":8,"method":"resubscribe"}"#).call == .resubscribe)
    #expect(
      try decode(#"{"id":9,"method":"mute","params":{"trackId":"t","muted":true}}"#).call
        == .mute(MuteParams(trackId: "t", muted: true)))
    #expect(try decode(#"{"id":10,"method":"kick","params":{"userId":"u"}}"#).call == .kick(UserParams(userId: "u")))
    #expect(
      try decode(
        #"{"id":13,"method":"startMerge","params":{"jobId":"pk","publishUrl":"u","layouts":[{"userId":"a","gain":0.5}]}}"#
      ).call
        == .startMerge(MergeParams(jobId: "pk", publishUrl: "u", layouts: [TrackLayout(userId: "a", gain: 0.5)])))
    #expect(
      try decode(#"{"id":14,"method":"setLayouts","params":{"jobId":"pk","layouts":[]}}"#).call
        == .setLayouts(LayoutsParams(jobId: "pk", layouts: [])))
    #expect(
      try decode(#"{"id":15,"method":"confirmTracks","params":{"trackIds":["a"]}}"#).call
        == .confirmTracks(ConfirmParams(trackIds: ["a"])))
    #expect(
      try decode(#"{"id":16,"method":"setAudioLevels","params":{"enabled":true}}"#).call
        == .setAudioLevels(AudioLevelsParams(enabled: true)))
    #expect(
      try decode(#"{"id":17,"method":"setReceiving","params":{"enabled":false}}"#).call
        == .setReceiving(ReceivingParams(enabled: false)))
    #expect(
      try decode(#"{"id":18,"method":"getPlayUrls","params":{"width":640,"height":360}}"#).call
        == .getPlayURLs(PlayPicture(width: 640, height: 360)))
    #expect(try decode(#"{"id":-11,"method":"ping","params":{"any":[1]},"more":null}"#) == SignalRequest(id: -11, call: .ping))
    #expect(try decode(#"{"id":12,"method":"dance"}"#).call == .unknown("dance"))
  }

  @Test("the server decodes what a client encodes")
  func roundTrip() throws {
    let calls: [SignalCall] = [
      .join(JoinParams(token: "t", autoSubscribe: false, resume: "r")), .leave,
      .publish(PublishParams(sdp: "v=0\r\n", tracks: [NewTrack(mid: "a", kind: .audio, trackId: "TR")], restart: true)),
      .unpublish(TrackSelection(trackIds: ["x"])), .subscribe(TrackSelection(userIds: ["爱"])),
      .unsubscribe(TrackSelection()), .answer(AnswerParams(offer: 1, sdp: "\"\\\n")), .resubscribe,
      .mute(MuteParams(trackId: "t", muted: false)), .kick(UserParams(userId: "u")), .ping, .unknown("x"),
      .join(JoinParams(token: "t", confirmsTracks: true)), .confirmTracks(ConfirmParams(trackIds: ["x", "y"])),
      .setAudioLevels(AudioLevelsParams(enabled: false)), .setReceiving(ReceivingParams(enabled: true)),
      .getPlayURLs(PlayPicture(width: 1, height: 2, fps: 3)), .getPlayURLs(.original),
    ]
    for (id, call) in calls.enumerated() {
      let request = SignalRequest(id: id, call: call)
      #expect(try SignalRequest.decode(JSONEncoder().encode(request)) == request)
    }
  }

  @Test(
    "the error names the invalid field, and has the id if it could be decoded",
    arguments: [
      ("", nil, "not JSON"), ("{", nil, "not JSON"), ("[]", nil, "the document is not an object"), ("null", nil, "null"),
      (#"{"method":"ping"}"#, nil, "id is missing"), (#"{"id":"1","method":"ping"}"#, nil, "id is not an integer"),
      (#"{"id":1.5,"method":"ping"}"#, nil, "not an integer"), (#"{"id":1e400,"method":"ping"}"#, nil, "number"),
      (#"{"id":99999999999999999999,"method":"ping"}"#, nil, "number"), (#"{"id":null,"method":"ping"}"#, nil, "id is null"),
      (#"{"id":3}"#, 3, "method is missing"), (#"{"id":3,"method":7}"#, 3, "method is not a string"),
      (#"{"id":3,"method":"join"}"#, 3, "params is missing"),
      (#"{"id":3,"method":"join","params":[]}"#, 3, "params is not an object"),
      (#"{"id":3,"method":"join","params":{"version":1}}"#, 3, "params.token is missing"),
      (
        #"{"id":3,"method":"join","params":{"version":1,"token":"t","autoSubscribe":"yes"}}"#, 3,
        "params.autoSubscribe is not true or false"
      ),
      (#"{"id":3,"method":"publish","params":{"sdp":"s","tracks":{}}}"#, 3, "params.tracks is not an array"),
      (#"{"id":3,"method":"publish","params":{"sdp":"s","tracks":[{"mid":"0","kind":"smell"}]}}"#, 3, "params.tracks[0].kind"),
      (
        #"{"id":3,"method":"publish","params":{"sdp":"s","tracks":[{"mid":"0","kind":"audio"},{"mid":0,"kind":"audio"}]}}"#, 3,
        "params.tracks[1].mid is not a string"
      ),
      (#"{"id":3,"method":"answer","params":{"offer":1e30,"sdp":""}}"#, 3, "number"),
      (#"{"id":3,"method":"mute","params":{"trackId":"t","muted":1}}"#, 3, "params.muted is not true or false"),
      (#"{"id":3,"method":"takeSeat","params":{"index":"1"}}"#, 3, "params.index is not an integer"),
      (#"{"id":3,"method":"setSeat"}"#, 3, "params is missing"),
      (#"{"id":3,"method":"setLayout","params":{"type":"gridTen"}}"#, 3, "params.type"),
      (
        #"{"id":3,"method":"setLayout","params":{"type":"custom","frames":[{"x":0,"y":0,"width":1}]}}"#, 3,
        "params.frames[0].height is missing"
      ),
      (#"{"id":3,"method":"sendMessage","params":{"kind":"smell"}}"#, 3, "params.kind"),
      (#"{"id":3,"method":"sendMessage","params":{"kind":"custom","data":{}}}"#, 3, "params.data is not a string"),
      (#"{"id":3,"method":"setAttributes","params":{"set":{"a":1}}}"#, 3, "params.set.a is not a string"),
      (#"{"id":3,"method":"invitePK","params":{"room":"b","way":"jump"}}"#, 3, "params.way"),
      (#"{"id":3,"method":"setPKScore","params":{"score":1.5}}"#, 3, "not an integer"),
      (
        #"{"id":3,"method":"setLayouts","params":{"jobId":"a","layouts":[{"gain":1e999}]}}"#, 3,
        "params.layouts[0].gain: the number"
      ),
      (
        #"{"id":3,"method":"setLayouts","params":{"jobId":"a","layouts":[{"gain":1.5},{"x":0.5}]}}"#, 3,
        "params.layouts[0].gain or params.layouts[1].x: the number"
      ),
    ] as [(String, Int?, String)])
  func hostile(text: String, id: Int?, part: String) throws {
    let error = try #require(throws: UnreadableRequest.self) { try decode(text) }
    #expect(error.error.code == .unknownMessage && error.error.name == "unknownMessage")
    #expect(error.id == id)
    #expect(error.error.message.contains(part), "\(error.error.message)")
  }

  @Test("a message over the limit is rejected undecoded, one at the limit is decoded")
  func size() throws {
    let frame = #"{"id":1,"method":"ping","x":""}"#
    let fits = frame.replacing(#""x":"""#, with: #""x":"\#(String(repeating: "a", count: 256 * 1024 - frame.utf8.count))""#)
    #expect(fits.utf8.count == 256 * 1024)
    #expect(try decode(fits).call == .ping)
    let error = try #require(throws: UnreadableRequest.self) { try decode(fits + " ") }
    #expect(error.id == nil && error.error.message.contains("262145"))
  }

  @Test("deep nesting and invalid UTF-8 are ordinary errors")
  func deepAndBroken() {
    for depth in [600, 20000] {
      let text =
        #"{"id":1,"method":"ping","x":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
      #expect(throws: UnreadableRequest.self) { try decode(text) }
    }
    #expect(throws: UnreadableRequest.self) { try SignalRequest.decode([0x7B, 0x22, 0xFF, 0xFE, 0x22, 0x3A, 0x31, 0x7D]) }
    #expect(throws: UnreadableRequest.self) { try SignalRequest.decode([0, 0, 0, 0]) }
  }

  @Test("mutated messages never trap")
  func mutated() {
    let original = Array(
      #"{"id":3,"method":"publish","params":{"sdp":"v=0\r\n","tracks":[{"mid":"0","kind":"video","width":640}],"restart":true}}"#
        .utf8)
    var state: UInt64 = 11
    func random(_ below: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % below
    }
    for _ in 0..<2000 {
      var bytes = original
      for _ in 0...random(4) {
        let at = random(bytes.count)
        switch random(3) {
        case 0: bytes[at] = UInt8(random(256))
        case 1: bytes.remove(at: at)
        default: bytes.insert(contentsOf: bytes[at...].prefix(random(30)), at: at)
        }
        if bytes.isEmpty { bytes = [0x7B] }
      }
      _ = try? SignalRequest.decode(bytes)
    }
  }
}
