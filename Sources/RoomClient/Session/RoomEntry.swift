/// How a room is joined: where, by which right, and with which wishes.
struct RoomEntry: Sendable {
  var url: String
  var token: String
  var options: RoomOptions
}
