import Foundation
import RoomProtocol
import Testing

/// Seats, messages, attributes and PK on the wire. A change here affects every client.
extension GoldenMessageTests {
  @Test(
    "requests for seats, messages, attributes and PK",
    arguments: [
      (.seats(.take(SeatParams(index: 2))), #""takeSeat","params":{"index":2}"#),
      (.seats(.leave), #""leaveSeat""#),
      (.seats(.kick(UserParams(userId: "bob"))), #""kickFromSeat","params":{"userId":"bob"}"#),
      (
        .seats(.set(SeatSwitches(index: 1, locked: true, muted: false, video: true, audio: false))),
        #""setSeat","params":{"audio":false,"index":1,"locked":true,"muted":false,"video":true}"#
      ),
      (.seats(.set(SeatSwitches(index: 1, audio: true))), #""setSeat","params":{"audio":true,"index":1}"#),
      (.seats(.setLayout(LayoutParams(.gridNine))), #""setLayout","params":{"type":"gridNine"}"#),
      (
        .seats(
          .setLayout(
            LayoutParams(
              .custom, canvas: CanvasSize(width: 640, height: 360), frames: [SeatFrame(x: 0, y: 0, width: 1, height: 0.5)]))),
        #""setLayout","params":{"canvas":{"height":360,"width":640},"#
          + #""frames":[{"cornerRadius":0,"height":0.5,"width":1,"x":0,"y":0,"zIndex":0}],"type":"custom"}"#
      ),
      (.seats(.request(SeatParams(index: -1))), #""requestSeat","params":{"index":-1}"#),
      (.seats(.cancelRequest), #""cancelRequest""#),
      (.seats(.acceptRequest(UserParams(userId: "u"))), #""acceptRequest","params":{"userId":"u"}"#),
      (.seats(.rejectRequest(UserParams(userId: "u"))), #""rejectRequest","params":{"userId":"u"}"#),
      (.seats(.listRequests), #""listRequests""#),
      (.seats(.invite(SeatInviteParams(userId: "u", index: 3))), #""inviteToSeat","params":{"index":3,"userId":"u"}"#),
      (.seats(.cancelInvitation(UserParams(userId: "u"))), #""cancelInvitation","params":{"userId":"u"}"#),
      (.seats(.acceptInvitation), #""acceptInvitation""#), (.seats(.rejectInvitation), #""rejectInvitation""#),
      (
        .pk(.invite(PKInviteParams(room: "b", userId: "bob", mode: .move))),
        #""invitePK","params":{"room":"b","userId":"bob","way":"move"}"#
      ),
      (.pk(.invite(PKInviteParams(room: "b"))), #""invitePK","params":{"room":"b"}"#),
      (
        .pk(.invite(PKInviteParams(room: "b", duration: 300))), #""invitePK","params":{"duration":300,"room":"b"}"#
      ),
      (
        .pk(.invite(.several)),
        #""invitePK","params":{"others":[{"room":"c","team":1}],"ownTeam":0,"room":"b","rules":{"punishment":30},"team":1}"#
      ),
      (.pk(.remove(PKRemoveParams(room: "c"))), #""removeFromPK","params":{"room":"c"}"#),
      (
        .pk(.mutePeer(PKMuteParams(muted: true, room: "c", forAll: true))),
        #""mutePKPeer","params":{"forAll":true,"muted":true,"room":"c"}"#
      ),
      (.pk(.rematch), #""rematchPK""#),
      (
        .pk(.addGift(PKGiftParams(giftId: "g1", gift: "rose", count: 3))),
        #""addPKGift","params":{"count":3,"gift":"rose","giftId":"g1"}"#
      ),
      (.pk(.addGift(PKGiftParams(giftId: "g2", points: 50))), #""addPKGift","params":{"giftId":"g2","points":50}"#),
      (.pk(.extend(PKExtendParams(seconds: 60))), #""extendPK","params":{"seconds":60}"#),
      (.pk(.cancel(PKParams(pkId: "p"))), #""cancelPK","params":{"pkId":"p"}"#),
      (.pk(.accept(PKParams(pkId: "p"))), #""acceptPK","params":{"pkId":"p"}"#),
      (.pk(.reject(PKRejectParams(pkId: "p", reason: "no"))), #""rejectPK","params":{"pkId":"p","reason":"no"}"#),
      (
        .pk(.match(PKMatchParams(mode: .move, duration: 300, tags: ["sing"], level: 7, levels: 5...9, wait: 30))),
        #""matchPK","params":{"duration":300,"level":7,"levels":[5,9],"tags":["sing"],"wait":30,"way":"move"}"#
      ),
      (.pk(.match(PKMatchParams())), #""matchPK","params":{}"#), (.pk(.cancelMatch), #""cancelMatch""#),
      (.pk(.mutePeer(PKMuteParams(muted: true))), #""mutePKPeer","params":{"muted":true}"#),
      (.pk(.setScore(PKScoreParams(score: 12))), #""setPKScore","params":{"score":12}"#),
      (.pk(.resume), #""resumePK""#), (.pk(.quit), #""quitPK""#),
      (
        .sendMessage(MessageParams(.text, text: "hi", to: "bob")),
        #""sendMessage","params":{"kind":"text","text":"hi","to":"bob"}"#
      ),
      (
        .sendMessage(MessageParams(.custom, type: "dice", data: #"{"n":6}"#, count: 1)),
        #""sendMessage","params":{"count":1,"data":"{\"n\":6}","kind":"custom","type":"dice"}"#
      ),
      (
        .setAttributes(AttributeParams(set: ["title": "x"], remove: ["old"])),
        #""setAttributes","params":{"remove":["old"],"set":{"title":"x"}}"#
      ),
    ] as [(SignalCall, String)])
  func roomRequests(call: SignalCall, text: String) throws {
    try check(SignalRequest(id: 7, call: call), #"{"id":7,"method":\#(text)}"#)
  }

  @Test("the seat index is optional")
  func anySeat() throws {
    for text in [#"{"id":7,"method":"takeSeat"}"#, #"{"id":7,"method":"takeSeat","params":{}}"#] {
      #expect(try JSONDecoder().decode(SignalRequest.self, from: Data(text.utf8)).call == .seats(.take(SeatParams())))
    }
    let request = try JSONDecoder().decode(SignalRequest.self, from: Data(#"{"id":7,"method":"requestSeat"}"#.utf8))
    #expect(request.call == .seats(.request(SeatParams())))
  }

  @Test("answers for seats, messages and PK")
  func roomAnswers() throws {
    #expect(try json(SignalAnswer.result(id: 1, SeatResult(index: 3))) == #"{"id":1,"result":{"index":3}}"#)
    let list = SeatRequestList(requests: [SeatRequest(userId: "u", index: -1, at: 5, expiresAt: 9)])
    #expect(
      try json(SignalAnswer.result(id: 1, list))
        == #"{"id":1,"result":{"requests":[{"at":5,"expiresAt":9,"index":-1,"userId":"u"}]}}"#)
    #expect(try json(SignalAnswer.result(id: 1, MessageResult(seq: 8, at: 5))) == #"{"id":1,"result":{"at":5,"seq":8}}"#)
    #expect(
      try json(SignalAnswer.result(id: 1, PKInviteResult(pkId: "p", expiresAt: 5)))
        == #"{"id":1,"result":{"expiresAt":5,"pkId":"p"}}"#)
  }

  private static let seat = #"{"audio":true,"index":1,"locked":false,"muted":true,"userId":"bob","video":false}"#
  private static let pk =
    #"{"connected":true,"host":"ann","inviter":true,"mutedByPeer":false,"peerConnected":false,"peerMuted":true,"#
    + #""peerScore":2,"pkId":"p","room":"b","score":1,"startedAt":5,"userId":"bob","way":"bridge"}"#

  @Test(
    "changes of the room with their numbers",
    arguments: [
      (
        .seatChanged(
          SeatChangedData(
            seat: SeatInfo(index: 1, userId: "bob", muted: true, video: false), cause: .taken, userId: "bob", by: "bob")),
        #"{"by":"bob","cause":"taken","seat":\#(seat),"userId":"bob"}"#
      ),
      (
        .layoutChanged(
          LayoutChangedData(
            layout: try Layout(.custom, frames: [SeatFrame(x: 0, y: 0, width: 1, height: 1)]), seats: [SeatInfo(index: 0)],
            off: ["bob"], by: "")),
        #"{"by":"","layout":{"canvas":{"height":1280,"width":720},"#
          + #""frames":[{"cornerRadius":0,"height":1,"width":1,"x":0,"y":0,"zIndex":0}],"type":"custom"},"#
          + #""off":["bob"],"seats":[{"audio":true,"index":0,"locked":false,"muted":false,"video":true}]}"#
      ),
      (
        .seatRequested(SeatRequest(userId: "u", index: 2, at: 5, expiresAt: 9)),
        #"{"at":5,"expiresAt":9,"index":2,"userId":"u"}"#
      ),
      (
        .seatRequestEnded(SeatEndedData(userId: "u", outcome: .accepted, index: 2, by: "ann")),
        #"{"by":"ann","index":2,"outcome":"accepted","userId":"u"}"#
      ),
      (
        .seatInvited(SeatInvitation(userId: "u", index: -1, by: "ann", at: 5, expiresAt: 9)),
        #"{"at":5,"by":"ann","expiresAt":9,"index":-1,"userId":"u"}"#
      ),
      (.seatInvitationEnded(SeatEndedData(userId: "u", outcome: .timedOut)), #"{"by":"","outcome":"timedOut","userId":"u"}"#),
      (
        .message(RoomMessage(seq: 17, userId: "u", kind: .gift, type: "rose", count: 3, at: 5)),
        #"{"at":5,"count":3,"kind":"gift","seq":17,"type":"rose","userId":"u"}"#
      ),
      (
        .attributesChanged(AttributesChangedData(set: ["a": "b"], removed: ["c"], by: "")),
        #"{"by":"","removed":["c"],"set":{"a":"b"}}"#
      ),
      (
        .pkInvited(
          PKInvitation(
            pkId: "p", from: PKSide(room: "a", userId: "ann"), to: PKSide(room: "b", userId: ""), mode: .move, by: "ann", at: 5,
            expiresAt: 9)),
        #"{"at":5,"by":"ann","expiresAt":9,"from":{"room":"a","userId":"ann"},"pkId":"p","to":{"room":"b","userId":""},"way":"move"}"#
      ),
      (
        .pkInvitationEnded(
          PKInvitationEndedData(pkId: "p", outcome: .failed, reason: "r", error: RoomError(.roomInPK, "m"), by: "ann")),
        #"{"by":"ann","error":{"code":10012,"message":"m","name":"roomInPK"},"outcome":"failed","pkId":"p","reason":"r"}"#
      ),
      (
        .pkMatching(PKTicket("t", PKMatchParams(duration: 300, level: 7, levels: 5...9, wait: 30), host: "ann", by: "", at: 5)),
        #"{"at":5,"by":"","duration":300,"expiresAt":30005,"level":7,"levels":[5,9],"tags":[],"ticket":"t","userId":"ann","way":"bridge"}"#
      ),
      (
        .pkMatchEnded(PKMatchEndedData(ticket: "t", outcome: .cancelled, by: "ann")),
        #"{"by":"ann","outcome":"cancelled","ticket":"t"}"#
      ),
      (
        .pkMatchEnded(
          PKMatchEndedData(
            ticket: "t", outcome: .matched,
            pk: PKInfo(pkId: "p", room: "b", userId: "bob", host: "ann", inviter: true, startedAt: 5))),
        #"{"by":"","outcome":"matched","pkId":"p","room":"b","ticket":"t","userId":"bob"}"#
      ),
      (
        .pkBegan(
          PKInfo(
            pkId: "p", room: "b", userId: "bob", host: "ann", inviter: true, startedAt: 5, score: 1, peerScore: 2,
            peerMuted: true, peerConnected: false)), pk
      ),
      (
        .pkChanged(
          PKInfo(
            pkId: "p", room: "b", userId: "bob", host: "ann", inviter: true, startedAt: 5, score: 1, peerScore: 2,
            peerMuted: true, peerConnected: false)), pk
      ),
      (
        .pkEnded(PKEndedData(pkId: "p", reason: .quit, room: "b", by: "bob", score: 1, peerScore: 2)),
        #"{"by":"bob","peerScore":2,"pkId":"p","reason":"quit","room":"b","score":1}"#
      ),
    ] as [(RoomChange, String)])
  func changes(change: RoomChange, data: String) throws {
    let numbered = NumberedChange(seq: 17, change: change)
    let text = #"{"data":\#(data),"event":"\#(change.name)","seq":17}"#
    try check(numbered, text)
    try check(SignalEvent.changed(numbered), text)
  }

  @Test("the token for a PK in another room")
  func pkToken() throws {
    try check(
      SignalEvent.pkToken(PKTokenData(pkId: "p", room: "b", token: "eyJ")),
      #"{"data":{"pkId":"p","room":"b","token":"eyJ"},"event":"pkToken"}"#)
  }

  @Test("a change without its number or with invalid data is an error; one of a newer server is unknown")
  func brokenChanges() throws {
    for text in [
      #"{"event":"message","data":{"seq":1,"userId":"u","kind":"text","at":5}}"#, #"{"event":"message","seq":1}"#,
      #"{"event":"message","seq":1,"data":{"seq":1,"userId":"u","kind":"smell","at":5}}"#,
    ] {
      #expect(throws: DecodingError.self) { try JSONDecoder().decode(SignalEvent.self, from: Data(text.utf8)) }
    }
    let newer = Data(#"{"event":"fireworks","seq":1,"data":{}}"#.utf8)
    #expect(try JSONDecoder().decode(SignalEvent.self, from: newer) == .unknown("fireworks"))
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(NumberedChange.self, from: newer) }
  }
}

extension PKInviteParams {
  /// Two rooms at once, in teams.
  fileprivate static var several: PKInviteParams {
    var params = PKInviteParams(room: "b")
    (params.others, params.team, params.ownTeam) = ([PKInvitee(room: "c", team: 1)], 1, 0)
    params.rules = PKRules(punishment: 30)
    return params
  }
}
