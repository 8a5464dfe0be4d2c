public import RoomPush

/// The state of a push: `unknown` before the first start, `connecting`, `connected`, `disconnecting`, `disconnected` after a stop,
/// `autoReconnecting` while a lost connection is opened again, and `error` after the last try.
public typealias StreamingState = PushState
