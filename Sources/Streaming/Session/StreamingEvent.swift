/// An event of a session. New versions of the library may add cases, so a `switch` should have a `default`.
public enum StreamingEvent: Sendable, Hashable {
  /// The state changed. A failure is its reason: with `error` the push is over, with `autoReconnecting` another try follows.
  case state(StreamingState, StreamingFailure?)
  /// The report of an interval of ``StreamingOptions/statusInterval``.
  case status(StreamingStatus)
}
