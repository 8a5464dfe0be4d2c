import RoomRTP

extension SSRC {
  /// Returns a number of the generator that is not used, or else the next one that is not; never 0.
  static func unused(besides used: Set<SSRC>, by random: () -> SSRC) -> SSRC {
    var ssrc = random()
    while ssrc == 0 || used.contains(ssrc) { ssrc = SSRC(ssrc.rawValue &+ 1) }
    return ssrc
  }
}

extension RTPParameters {
  /// The SSRCs of its streams and of their repair.
  var ssrcs: [SSRC] { encodings.flatMap { [$0.ssrc, $0.rtxSSRC].compactMap { $0 } } }
}
