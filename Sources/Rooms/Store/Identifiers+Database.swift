import GRDB
import RoomProtocol

// Identifiers are TEXT in the database.
extension RoomName: DatabaseValueConvertible {}
extension UserID: DatabaseValueConvertible {}
