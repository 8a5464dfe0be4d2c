public import RoomRTP

/// The streams that this node publishes, and which of them the cluster's directory of streams contains. Decides what is written
/// next, one exchange at a time, so that the writes of a stream stay in order.
///
/// Sans-I/O: carry out the exchange that ``next(own:process:now:)`` returns, and pass its result.
public struct StreamClaims: Sendable {
  /// Entries to write and to remove, by the name of the stream.
  public struct Exchange: Sendable, Hashable {
    public var own: Incarnation
    /// The process of the store.
    public var process: String
    public var claimed: [String]
    public var released: [String]
  }

  /// The answer to a claim.
  public enum Verdict: Sendable, Hashable {
    case granted
    /// Another member publishes the stream, since the first such answer.
    case refused(since: Instant)
  }

  private struct Title: Hashable {
    var own: Incarnation
    var process: String
  }

  private struct Entry {
    /// The publishes of the stream, those that wait for an answer included.
    var publishes = 0
    /// Under which name the directory contains it, and since when.
    var written: (title: Title, at: Instant)?
    var refusedSince: Instant?
    var notBefore: Instant?
  }

  /// After this time an entry is written again, so that it does not expire; µs.
  static let refresh: Int64 = 1_200_000_000
  /// The wait after a refusal, and after an exchange without an answer; µs.
  static let retry: Int64 = 500_000
  /// The maximum number of entries in one exchange, so that none occupies the store for more than a few ms.
  static let atOnce = 500

  private var entries: [String: Entry] = [:]
  private var inFlight: Exchange?
  private var notBefore: Instant?

  public init() {}

  /// The number of streams that are published, or not removed from the directory yet.
  public var count: Int { entries.count }

  /// A publish of a stream begins, or asks whether it may. Returns whether the directory contains the stream already.
  public mutating func began(_ stream: String) -> Bool {
    var entry = entries[stream] ?? Entry()
    entry.publishes += 1
    entry.notBefore = nil
    entries[stream] = entry
    return entry.written != nil && inFlight?.released.contains(stream) != true
  }

  /// A publish has ended.
  public mutating func ended(_ stream: String) {
    guard var entry = entries[stream] else { return }
    entry.publishes -= 1
    entries[stream] = entry
    forget(stream)
  }

  /// Removes an entry without publishes that the directory does not contain.
  private mutating func forget(_ stream: String) {
    guard let entry = entries[stream], entry.publishes <= 0, entry.written == nil,
      inFlight?.claimed.contains(stream) != true
    else { return }
    entries[stream] = nil
  }

  /// Returns the next exchange; nil while one is under way, or there is nothing to write.
  /// - Parameters:
  ///   - own: this node; nil while it is no member.
  ///   - process: the process of the store that is connected; nil while there is none. A changed process may lack entries.
  public mutating func next(own: Incarnation?, process: String?, now: Instant) -> Exchange? {
    guard inFlight == nil, notBefore.map({ now >= $0 }) ?? true, let own, let process else { return nil }
    let title = Title(own: own, process: process)
    var exchange = Exchange(own: own, process: process, claimed: [], released: [])
    for (stream, entry) in entries {
      guard exchange.claimed.count + exchange.released.count < Self.atOnce else { break }
      if entry.publishes > 0 {
        let isCurrent = entry.written.map { $0.title == title && now - $0.at < Self.refresh } ?? false
        if !isCurrent, entry.notBefore.map({ now >= $0 }) ?? true { exchange.claimed.append(stream) }
      } else if entry.written?.title.own == own {
        exchange.released.append(stream)
      } else {
        // The entry of an incarnation that has ended counts for nobody.
        entries[stream] = nil
      }
    }
    guard !exchange.claimed.isEmpty || !exchange.released.isEmpty else { return nil }
    exchange.claimed.sort()
    exchange.released.sort()
    inFlight = exchange
    return exchange
  }

  /// The exchange was carried out. Returns the verdict on each claimed stream.
  /// - Parameter refused: the claimed streams that other members publish.
  public mutating func answered(refused: Set<String>, now: Instant) -> [String: Verdict] {
    guard let exchange = inFlight else { return [:] }
    inFlight = nil
    notBefore = nil
    var verdicts: [String: Verdict] = [:]
    for stream in exchange.released {
      entries[stream]?.written = nil
      forget(stream)
    }
    for stream in exchange.claimed {
      guard var entry = entries[stream] else { continue }
      if refused.contains(stream) {
        let since = entry.refusedSince ?? now
        entry.written = nil
        entry.refusedSince = since
        entry.notBefore = now.advanced(microseconds: Self.retry)
        verdicts[stream] = .refused(since: since)
      } else {
        entry.written = (Title(own: exchange.own, process: exchange.process), now)
        entry.refusedSince = nil
        verdicts[stream] = .granted
      }
      entries[stream] = entry
      forget(stream)
    }
    return verdicts
  }

  /// The exchange has no answer. The exchange's effect is unknown, so it is repeated.
  public mutating func failed(now: Instant) {
    guard let exchange = inFlight else { return }
    inFlight = nil
    notBefore = now.advanced(microseconds: Self.retry)
    for stream in exchange.claimed {
      // It may be written, and is removed if the publish has ended meanwhile.
      entries[stream]?.written = (Title(own: exchange.own, process: ""), now)
    }
  }
}
