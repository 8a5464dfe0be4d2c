import RoomCluster
import RoomEngine
import RoomLiveOrigin
import RoomRTP
import RoomServer

/// What the directory of streams has answered recently, and how often it may be asked: requests for unknown names do not flood
/// it. Sans-I/O.
struct StreamLookups: Sendable {
  enum Answer: Sendable, Hashable {
    /// The publisher, nil if the stream has none.
    case known(Incarnation?)
    case ask
    case tooMany
  }

  /// How long an answer is used, positive or not; µs.
  static let validity: Int64 = 1_000_000
  /// Answers that are kept; above it the older half is removed.
  static let capacity = 8192
  /// Questions a second, and in a burst.
  static let rate = (perSecond: 500.0, burst: 1000)

  private var answers: [StreamPath: (publisher: Incarnation?, at: Instant)] = [:]
  private var bucket: TokenBucket

  init(now: Instant) { bucket = TokenBucket(perSecond: Self.rate.perSecond, burst: Self.rate.burst, now: now) }

  var count: Int { answers.count }

  mutating func answer(for path: StreamPath, now: Instant) -> Answer {
    if let answer = answers[path], now - answer.at < Self.validity { return .known(answer.publisher) }
    return bucket.take(now: now) ? .ask : .tooMany
  }

  mutating func learned(_ publisher: Incarnation?, of path: StreamPath, now: Instant) {
    answers[path] = (publisher, now)
    guard answers.count > Self.capacity else { return }
    answers = answers.filter { now - $0.value.at < Self.validity }
    guard answers.count > Self.capacity else { return }
    let middle = answers.values.map(\.at).sorted()[answers.count / 2]
    answers = answers.filter { $0.value.at > middle }
  }
}
