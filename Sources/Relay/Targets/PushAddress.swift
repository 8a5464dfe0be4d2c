public import RoomRTMP
public import RoomSRT

/// The address of a server that takes a broadcast, and the protocol to it.
public enum PushAddress: Sendable, Hashable {
  case rtmp(RTMPAddress)
  case srt(SRTAddress)

  /// A host name or an address; an IPv6 address has no brackets.
  var host: String {
    switch self {
    case .rtmp(let address): address.host
    case .srt(let address): address.host
    }
  }
}
