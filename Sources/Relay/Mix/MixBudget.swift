import Synchronization

/// What mixes cost and how much of the machine they may take: one that would not fit is refused before it makes the others late.
///
/// What a mix will cost is guessed by its pixels; the guess is as good as the mixes that run are measured to be.
public final class MixBudget: Sendable {
  /// What does not fit, with the figures.
  public struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// Shares of a core.
    public var needed: Double
    /// Shares of a core.
    public var used: Double
    /// Shares of a core.
    public var limit: Double

    public var description: String {
      "the mix needs about \(Self.text(needed)) cores; of the \(Self.text(limit)) that mixes may take, \(Self.text(used)) are taken"
    }

    private static func text(_ value: Double) -> String {
      let hundredths = Int((value * 100).rounded())
      return "\(hundredths / 100).\(hundredths % 100 / 10)\(hundredths % 10)"
    }
  }

  /// As it is now.
  public struct Snapshot: Sendable, Hashable {
    public var mixes = 0
    /// Cores that are taken: measured, or guessed of those that have just begun.
    public var used = 0.0
    public var refused: UInt64 = 0
  }

  private struct Entry {
    var guess: Double
    /// What the guess would be with no measurement at all.
    var model: Double
    var measured: Double?
  }

  private struct State {
    var entries: [UInt64: Entry] = [:]
    var next: UInt64 = 0
    var refused: UInt64 = 0
    /// What is measured against what was guessed by the model.
    var correction = 1.0

    func used(_ decoding: DecodingCounters) -> Double {
      entries.values.reduce(decoding.snapshot.load) { $0 + ($1.measured ?? $1.guess) }
    }
  }

  /// Cores.
  public let limit: Double
  private let decoding: DecodingCounters
  private let state = Mutex(State())

  /// - Parameters:
  ///   - limit: cores that mixes may take.
  ///   - decoding: of their sources, which counts with them.
  public init(limit: Double, decoding: DecodingCounters) {
    self.limit = limit
    self.decoding = decoding
  }

  /// As it is now.
  public var snapshot: Snapshot {
    state.withLock { Snapshot(mixes: $0.entries.count, used: $0.used(decoding), refused: $0.refused) }
  }

  /// Makes room for a mix.
  /// - Throws: ``Refusal`` where there is none.
  public func reserve(_ picture: MixPicture?, sources: Int) throws(Refusal) -> Share {
    let model = Self.model(picture, sources: sources)
    let result: Result<UInt64, Refusal> = state.withLock { state in
      let needed = model * state.correction
      let used = state.used(decoding)
      guard used + needed <= limit else {
        state.refused += 1
        return .failure(Refusal(needed: needed, used: used, limit: limit))
      }
      state.next += 1
      state.entries[state.next] = Entry(guess: needed, model: model)
      return .success(state.next)
    }
    return Share(self, number: try result.get())
  }

  /// Cores, on a machine of 2023: nanoseconds for each pixel that is encoded, with a decoded one for each, and for each source's sound.
  private static func model(_ picture: MixPicture?, sources: Int) -> Double {
    let sound = 0.005 + 0.003 * Double(sources)
    guard let picture else { return sound }
    let nanoseconds: Double =
      switch picture.speed {
      case .ultrafast: 3.5
      case .superfast: 5
      case .veryfast: 8
      case .faster: 13
      case .fast: 18
      case .medium: 24
      }
    return sound + Double(picture.width * picture.height * picture.fps) * nanoseconds / 1e9
  }

  /// A mix' part of the machine.
  public final class Share: Sendable {
    private let budget: MixBudget
    private let number: UInt64

    fileprivate init(_ budget: MixBudget, number: UInt64) {
      self.budget = budget
      self.number = number
    }

    deinit { release() }

    /// What it takes now, in cores; smoothed here.
    func measured(_ cores: Double) {
      budget.state.withLock { state in
        guard var entry = state.entries[number] else { return }
        let smooth = entry.measured.map { $0 + (cores - $0) / 4 } ?? cores
        entry.measured = smooth
        state.entries[number] = entry
        let model = max(entry.model, 0.001)
        state.correction += (min(max(smooth / model, 0.2), 5) - state.correction) / 16
      }
    }

    /// It is over.
    public func release() { budget.state.withLock { $0.entries[number] = nil } }
  }
}
