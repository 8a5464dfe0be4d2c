import RoomHTTPServer
import RoomLiveKitProtocol
import RoomToken

/// A method of a Twirp service: what a call needs, and what it does.
struct TwirpMethod: Sendable {
  /// What a token has to permit.
  enum Permission: Sendable {
    case createRooms, listRooms
    /// To manage the room of the call.
    case manageRoom

    /// - Parameter room: the room of the call; nil if it names none.
    func isGiven(by grants: VideoGrants, _ room: ForeignName?) -> Bool {
      switch self {
      case .createRooms: grants.roomCreate
      case .listRooms: grants.roomList
      case .manageRoom: grants.roomAdmin && room != nil && grants.room == room
      }
    }
  }

  /// The call of one request.
  struct Call: Sendable {
    let permission: Permission
    /// The room that it is about; nil if it names none.
    let room: ForeignName?
    let perform: @Sendable () async throws(TwirpError) -> any Message
  }

  /// The name in the path.
  let name: String
  /// Reads the body of a request.
  let read: @Sendable (TwirpForm, [UInt8]) throws(TwirpError) -> Call

  /// A method about one room.
  /// - Parameter room: the member of the request that names it.
  init<Request: Message>(
    _ name: String, _ permission: Permission, in room: KeyPath<Request, String> & Sendable,
    _ perform: @escaping @Sendable (Request, ForeignName) async throws(TwirpError) -> some Message
  ) {
    self.name = name
    read = { (form, body) throws(TwirpError) in
      let request = try form.read(Request.self, from: body)
      let named = ForeignName(request[keyPath: room])
      return Call(permission: permission, room: named) { () throws(TwirpError) in
        guard let named else { throw TwirpError(.invalidArgument, "a room's name has 1 to \(ForeignName.maximumBytes) bytes") }
        return try await perform(request, named)
      }
    }
  }

  /// A method about all rooms.
  init<Request: Message>(
    _ name: String, _ permission: Permission,
    _ perform: @escaping @Sendable (Request) async throws(TwirpError) -> some Message
  ) {
    self.name = name
    read = { (form, body) throws(TwirpError) in
      let request = try form.read(Request.self, from: body)
      return Call(permission: permission, room: nil) { () throws(TwirpError) in try await perform(request) }
    }
  }
}
