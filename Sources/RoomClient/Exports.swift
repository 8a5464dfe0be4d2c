import RoomRTP

// `import RoomClient` is the only import that an app needs: the messages of the protocol, and the types of lower modules that the
// API of this module names.
@_exported import RoomProtocol

public typealias EncodedFrame = RoomRTP.EncodedFrame
public typealias MediaTime = RoomRTP.MediaTime
