import RoomProtocol

/// What is measured: how many people are in the room, and how often each thing happens.
struct CrowdPlan: Sendable {
  var people = 1000
  /// The joins at the end that are measured apart, with nearly everybody in the room.
  var lastJoins = 100
  /// Messages to the whole room, each from another sender while there are enough.
  var messages = 50
  /// Bytes of a message's text.
  var messageBytes = 50
  /// People that publish one audio track each.
  var publishes = 20
  /// People whose connections are lost and taken up again.
  var losses = 50
  var leaves = 50
  /// Percent of one core below which the server rests.
  var restingPercent = 4.0

  /// The number of the person whose track everybody else is offered: it has not published before.
  var offering: Int { min(publishes, people - 1) }

  static func user(_ number: Int) -> UserID { "person-\(number)" }
}

/// The server that is measured.
struct CrowdTarget: Sendable {
  /// As reports call it.
  var name: String
  var host: String
  var port: UInt16
  var isSecure = false
  /// Of the signalling socket.
  var path = "/v1/signal"
  var tokens: TokenMint
  var room: RoomName
  var pid: Int32
}
