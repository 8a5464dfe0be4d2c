/// The address, token and options with which a room is joined.
struct RoomEntry: Sendable {
  var url: String
  var token: String
  var options: RoomOptions
}
