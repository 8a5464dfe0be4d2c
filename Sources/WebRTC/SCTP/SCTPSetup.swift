import RoomRTP

/// What this side says of itself while an association is set up, and the cookies that it gives out instead of storing anything
/// (RFC 9260 §5).
struct SCTPSetup {
  /// Signs cookies.
  private let secret = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
  let localTag = UInt32.random(in: 1 ... .max)
  let firstTSN = TSN(.random(in: .min ... .max))
  private let streams: UInt16
  private let window: UInt32

  init(_ configuration: SCTPConfiguration) {
    streams = configuration.streams
    window = UInt32(clamping: configuration.receiveWindow)
  }

  /// The content of this side's INIT.
  var initiation: Initiation {
    Initiation(tag: localTag, window: window, outgoingStreams: streams, incomingStreams: streams, firstTSN: firstTSN)
  }

  /// Returns the INIT-ACK that answers an INIT (§5.1 B, §5.2.1, §5.2.2).
  /// - Parameters:
  ///   - known: the other side, if this side has begun too.
  ///   - isConnected: whether the association has been established. A new tag then reveals a restart. Before, both directions of a
  ///     collision use the same tag.
  func answer(to theirs: Initiation, known: Initiation?, isConnected: Bool, now: Instant) -> Initiation {
    var answer = initiation
    if isConnected {
      answer.tag = .random(in: 1 ... .max)
      answer.firstTSN = TSN(.random(in: .min ... .max))
    }
    var cookie = StateCookie(localTag: answer.tag, localTSN: answer.firstTSN, remote: theirs, created: now)
    if let known { cookie.tieTags = (localTag, known.tag) }
    answer.cookie = cookie.signed(with: secret)
    return answer
  }

  /// What a COOKIE-ECHO means.
  enum Echo {
    /// The cookie is not one of this side, or not for this tag.
    case forged
    /// The cookie is too old, by these microseconds.
    case stale(StateCookie, excess: Int64)
    /// The other side began, alone or at the same time (§5.2.4 B).
    case begins(Initiation)
    /// The association exists already.
    case repeats
    /// Both tags are new, and the other side knew the old ones: it lost its state (§5.2.4 A).
    case restarts
    case unrelated
  }

  /// - Parameters:
  ///   - tag: the verification tag of the packet.
  ///   - known: the other side, if this side has begun too.
  ///   - isConnected: whether the association has been established.
  ///   - isOpen: whether the association is established and not shutting down.
  func echo(
    _ chunk: SCTPChunk, tag: UInt32, known: Initiation?, isConnected: Bool, isOpen: Bool, now: Instant
  ) -> Echo {
    guard let cookie = StateCookie(chunk.value, secret: secret), cookie.localTag == tag else { return .forged }
    let isKnown = known?.tag == cookie.remote.tag && cookie.localTag == localTag
    guard isKnown && isOpen || (0...StateCookie.lifetime).contains(now - cookie.created) else {
      return .stale(cookie, excess: now - cookie.created - StateCookie.lifetime)
    }
    guard isConnected else { return cookie.localTag == localTag ? .begins(cookie.remote) : .unrelated }
    if isKnown { return .repeats }
    guard cookie.localTag != localTag, let known, cookie.tieTags == (localTag, known.tag) else { return .unrelated }
    return .restarts
  }
}
