import RoomEngine
import RoomProtocol
import RoomServer
import RoomWebRTC

/// A node's request for the tracks that a room lends to one of its rooms during a PK. The answer comes when the tracks are other
/// than those that the node knows, or after some seconds.
struct LendingRequest: Codable, Sendable {
  /// The anchor whose tracks are lent.
  var user: UserID
  /// The borrowing room.
  var to: RoomName
  /// Whether the borrowing room shows the user as its own participant, instead of as the anchor of a PK; nil for false.
  var forwarded: Bool?
  /// The incarnation of the requesting node.
  var node: String
  /// The version of the last answer; 0 for none.
  var known: Int
}

extension LendingRequest {
  var borrower: Borrower { Borrower(to, forwarded: forwarded == true ? user : nil) }
}

/// A request to show a participant of another room as one of this node's room.
struct ForwardRequest: Codable, Sendable {
  var user: UserID
  var source: RoomName
  var profile: ParticipantProfile?
}

/// The tracks that are lent now.
struct LendingAnswer: Codable, Sendable {
  struct Track: Codable, Sendable {
    var info: TrackInfo
    var codecs: [Codec]
    var cname: String
    /// The stream of its first layer on the link between both nodes. Those of the others follow.
    var stream: UInt32
    var layers: Int
  }

  struct Codec: Codable, Sendable {
    var name: String
    var payloadType: UInt8
    var rtx: UInt8?
    var red: UInt8?
    var clockRate: UInt32
    var channels: UInt8
    var parameters: [String: String]
    var feedback: UInt8
  }

  /// Never 0, and another one for each list.
  var version: Int
  var tracks: [Track]
}

extension LendingAnswer.Codec {
  init(_ codec: RTPCodec) {
    self.init(
      name: codec.name, payloadType: codec.payloadType, rtx: codec.rtxPayloadType, red: codec.redPayloadType,
      clockRate: codec.clockRate, channels: codec.channels, parameters: codec.parameters, feedback: codec.feedback.rawValue)
  }

  var codec: RTPCodec {
    RTPCodec(
      name: name, payloadType: payloadType, rtxPayloadType: rtx, redPayloadType: red, clockRate: clockRate,
      channels: channels, parameters: parameters, feedback: RTCPFeedback(rawValue: feedback))
  }
}

extension LendingAnswer.Track {
  /// What the borrowing room needs; the SSRCs and extensions are those of the other node's transport.
  var parameters: RTPParameters {
    RTPParameters(
      mid: "", kind: info.kind == .video ? .video : .audio, codecs: codecs.map(\.codec), cname: cname)
  }
}
