import RoomRTP

// `import RoomClient` is the only import that an app needs: the messages of the protocol, and the types of lower modules that the
// API of this module names.
@_exported import RoomProtocol

/// An encoded video frame or audio packet, as tracks send and receive it.
public typealias EncodedFrame = RoomRTP.EncodedFrame
/// A point in time on a track's clock.
public typealias MediaTime = RoomRTP.MediaTime
