public import RTMP

/// The destination of a broadcast's messages beside or instead of an RTMP server: the origin of this server, or a file.
public protocol BroadcastOutlet: AnyObject, Sendable {
  /// Takes the next message; called from one thread, in order.
  func send(_ message: MediaMessage)
  /// Nothing more comes.
  func close()
}

/// Why a program is no longer on air.
public enum ProgramEnd: Sendable, Hashable {
  /// Another job on the same URL took over.
  case takenOver(by: ProgramID)
  /// It was stopped on request.
  case stopped
  /// No track of it was there for the time that the settings allow.
  case noTracks
  /// The way to the server is given up.
  case push(PushFailure)
}

/// What happens to a broadcast.
public enum BroadcastEvent: Sendable {
  /// The program's pictures and sound are what goes out.
  case onAir(ProgramID)
  /// The program that is on air has changed what it sends: to this mix, or to a participant's tracks if nil.
  case continued(ProgramID, as: LiveMix?)
  case ended(ProgramID, ProgramEnd)
  case state(PushState, PushFailure?)
  /// The last program has ended, and so has the connection; how it went.
  case over(LiveBroadcast.Status)
}
