/// The transport protocol of media.
public enum MediaProtocol: Sendable, Hashable {
  /// UDP, or TCP if UDP gets no answer for two seconds and the server offers TCP.
  case automatic
  /// UDP only.
  case udp
  /// TCP only, for networks that block everything else.
  case tcp
}
