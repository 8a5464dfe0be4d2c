import RoomProtocol

/// The parameters of a measurement: the number of participants and how often each action is done.
struct CrowdPlan: Sendable {
  var people = 1000
  /// Number of final joins that are measured separately, with the room nearly full.
  var lastJoins = 100
  /// Number of messages to the whole room, each from a different sender as far as possible.
  var messages = 50
  /// Length of a message's text, in bytes.
  var messageBytes = 50
  /// Number of participants that publish one audio track each.
  var publishes = 20
  /// Number of participants whose connections are lost and resumed.
  var losses = 50
  var leaves = 50
  /// CPU below which the server counts as idle, as a percentage of one core.
  var restingPercent = 4.0

  /// The number of the participant whose track is offered to everyone else. It has not published before.
  var offering: Int { min(publishes, people - 1) }

  /// Number of participants that leave: the offering participant stays, and at least one to receive its track.
  var leaving: Int { max(0, min(leaves, people - max(2, offering + 1))) }

  static func user(_ number: Int) -> UserID { "person-\(number)" }
}

/// The server to measure.
struct CrowdTarget: Sendable {
  /// The server's name in reports.
  var name: String
  var host: String
  var port: UInt16
  var isSecure = false
  /// Path of the signalling socket.
  var path = "/v1/signal"
  var tokens: TokenMint
  var room: RoomName
  var pid: Int32
}
