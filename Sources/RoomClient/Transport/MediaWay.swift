/// How media reaches the server.
public enum MediaWay: Sendable, Hashable {
  /// By UDP; over TCP where UDP gets no answer for two seconds and the server offers it.
  case automatic
  /// By UDP alone.
  case udp
  /// Over TCP alone: for networks that let nothing else out.
  case tcp
}
