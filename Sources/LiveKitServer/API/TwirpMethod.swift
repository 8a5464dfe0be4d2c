import RoomHTTPServer
import RoomLiveKitProtocol
import RoomProtocol
import RoomServer
import RoomToken

/// A method of a Twirp service: what a call needs, and what it does.
struct TwirpMethod: Sendable {
  /// What a token has to permit.
  enum Permission: Sendable {
    case createRooms, listRooms
    /// To manage the room of the call.
    case manageRoom
    /// To record and to send streams, of any room.
    case record
    /// To manage the streams of encoders.
    case manageIngress

    /// - Parameter room: the room of the call; nil if it names none.
    func isGiven(by grants: VideoGrants, _ room: ForeignName?) -> Bool {
      switch self {
      case .createRooms: grants.roomCreate
      case .listRooms: grants.roomList
      case .manageRoom: grants.roomAdmin && room != nil && grants.room == room
      case .record: grants.roomRecord
      case .manageIngress: grants.ingressAdmin
      }
    }
  }

  /// The other room of a call.
  enum Destination: Sendable {
    case none
    /// Nil if the request does not name it.
    case room(ForeignName?)

    func isPermitted(by grants: VideoGrants) -> Bool {
      switch self {
      case .none: true
      case .room(let room): room != nil && grants.destinationRoom == room
      }
    }
  }

  /// The call of one request.
  struct Call: Sendable {
    let permission: Permission
    /// The room that it is about; nil if it names none.
    let room: ForeignName?
    /// The other room of a call that needs two.
    var destination: Destination = .none
    /// Finds the room of a call that does not name it: the room's node performs the call. Nil if any node does.
    var locate: (@Sendable () async -> RoomName?)?
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

  /// A method about a room and another one, in which the token also permits it.
  /// - Parameters:
  ///   - room: the member of the request that names the room.
  ///   - destination: the member that names the other one.
  init<Request: Message>(
    _ name: String, _ permission: Permission, in room: KeyPath<Request, String> & Sendable,
    to destination: KeyPath<Request, String> & Sendable,
    _ perform: @escaping @Sendable (Request, ForeignName, ForeignName) async throws(TwirpError) -> some Message
  ) {
    self.name = name
    read = { (form, body) throws(TwirpError) in
      let request = try form.read(Request.self, from: body)
      let (named, other) = (ForeignName(request[keyPath: room]), ForeignName(request[keyPath: destination]))
      return Call(permission: permission, room: named, destination: .room(other)) { () throws(TwirpError) in
        guard let named, let other else {
          throw TwirpError(.invalidArgument, "a room's name has 1 to \(ForeignName.maximumBytes) bytes")
        }
        return try await perform(request, named, other)
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

  /// A method about something in a room that the request does not name.
  /// - Parameter locate: returns the room; nil if there is none.
  init<Request: Message>(
    _ name: String, _ permission: Permission, locatedBy locate: @escaping @Sendable (Request) async -> RoomName?,
    _ perform: @escaping @Sendable (Request) async throws(TwirpError) -> some Message
  ) {
    self.name = name
    read = { (form, body) throws(TwirpError) in
      let request = try form.read(Request.self, from: body)
      return Call(permission: permission, room: nil, locate: { await locate(request) }) { () throws(TwirpError) in
        try await perform(request)
      }
    }
  }
}
