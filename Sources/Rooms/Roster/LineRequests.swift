import RoomWebRTC

/// What the next offer of a client with a single connection needs: m-lines besides those that it has.
package struct LineRequest: Sendable, Hashable {
  package var audio: Int
  package var video: Int

  package init(audio: Int, video: Int) { (self.audio, self.video) = (audio, video) }
}

/// Decides when a client is asked for an offer.
///
/// One request is open at a time. A client whose offers lack the m-lines is asked a few times, and then once more for each new track.
struct LineRequests: Sendable {
  /// M-lines that are requested at once, of each kind.
  static let mostLines = 16
  /// Requests for the same m-lines.
  private static let mostAttempts = 4

  /// M-lines of the last offer without a track.
  private var free: [RTPParameters.Kind: Int] = [:]
  /// M-lines that it may have in addition.
  private var available = 0
  /// Whether an m-line has no track any more, which only an answer tells the client.
  private var hasVacated = false
  private var isOpen = false
  private var attempts = 0
  /// Whether an offer was answered. A client makes its first one unasked.
  private var hasAnswered = false

  /// A track is wanted.
  mutating func wanted() { attempts = 0 }

  /// An m-line lost its track.
  mutating func vacated() { hasVacated = true }

  /// An offer was answered.
  /// - Parameters:
  ///   - free: the m-lines without a track.
  ///   - available: the m-lines that further offers may have in addition.
  ///   - isComplete: whether each wanted track has an m-line.
  mutating func answered(free: [RTPParameters.Kind: Int], available: Int, isComplete: Bool) {
    (self.free, self.available) = (free, available)
    (hasVacated, isOpen, hasAnswered) = (false, false, true)
    if isComplete { attempts = 0 }
  }

  /// The last request may have been lost.
  mutating func repeatLast() { isOpen = false }

  /// Returns the request to send now; nil for none.
  /// - Parameter missing: the kinds of the tracks without an m-line.
  mutating func next(missing: [RTPParameters.Kind]) -> LineRequest? {
    guard hasAnswered, !isOpen, hasVacated || !missing.isEmpty && attempts < Self.mostAttempts else { return nil }
    isOpen = true
    if !missing.isEmpty { attempts += 1 }
    func lacking(_ kind: RTPParameters.Kind) -> Int {
      min(max(0, missing.count { $0 == kind } - free[kind, default: 0]), Self.mostLines)
    }
    let audio = min(lacking(.audio), available)
    return LineRequest(audio: audio, video: min(lacking(.video), available - audio))
  }
}
