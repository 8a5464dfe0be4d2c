/// The address, token and options with which a room is joined.
struct JoinRequest: Sendable {
  var url: String
  var token: String
  var options: RoomOptions
}
