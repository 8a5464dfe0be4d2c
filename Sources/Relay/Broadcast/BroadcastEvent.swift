public import RoomPush
public import RoomRTMP

/// A destination of a broadcast's messages besides or instead of an RTMP server: this server's origin, or a file.
public protocol BroadcastOutlet: AnyObject, Sendable {
  /// Sends the next message. Called in order from one thread.
  func send(_ message: MediaMessage)
  /// Called after the last message.
  func close()
}

/// The reason why a program is no longer on air.
public enum ProgramEnd: Sendable, Hashable {
  /// Another job on the same URL took over.
  case takenOver(by: ProgramID)
  /// The program was stopped by a request.
  case stopped
  /// The program had no track for longer than the settings allow.
  case noTracks
  /// The push to the server failed permanently.
  case push(PushFailure)
}

/// An event of a broadcast.
public enum BroadcastEvent: Sendable {
  /// The program's audio and video are being sent, and the server of the push has accepted the connection.
  case onAir(ProgramID)
  /// The program on air changed its source: to this mix, or to a participant's tracks if nil.
  case continued(ProgramID, as: LiveMix?)
  case ended(ProgramID, ProgramEnd)
  case state(PushState, PushFailure?)
  /// The last program ended and the connection closed; carries the final status.
  case over(LiveBroadcast.Status)
}
