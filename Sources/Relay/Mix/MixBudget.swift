import Synchronization

/// Limits the CPU that mixes may use. A mix that does not fit is rejected before it delays the others.
///
/// The cost of a new mix is estimated from its pixel rate. Measurements of the running mixes correct the estimate.
public final class MixBudget: Sendable {
  /// The error for a mix that exceeds the budget, with the figures.
  public struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The CPU the mix needs, in cores.
    public var needed: Double
    /// The CPU in use, in cores.
    public var used: Double
    /// The CPU that mixes may use, in cores.
    public var limit: Double

    public var description: String {
      "the mix needs about \(Self.text(needed)) cores; \(Self.text(used)) of \(Self.text(limit)) cores are in use"
    }

    private static func text(_ value: Double) -> String {
      let hundredths = Int((value * 100).rounded())
      return "\(hundredths / 100).\(hundredths % 100 / 10)\(hundredths % 10)"
    }
  }

  /// The current state of the budget.
  public struct Snapshot: Sendable, Hashable {
    public var mixes = 0
    /// Cores in use: measured, or estimated for mixes that have just started.
    public var used = 0.0
    public var refused: UInt64 = 0
  }

  private struct Entry {
    var guess: Double
    /// The estimate before any correction by measurements.
    var model: Double
    var measured: Double?
  }

  private struct State {
    var entries: [UInt64: Entry] = [:]
    var next: UInt64 = 0
    var refused: UInt64 = 0
    /// The ratio of the measured cost to the model's estimate.
    var correction = 1.0

    func used(_ decoding: DecodingCounters) -> Double {
      entries.values.reduce(decoding.snapshot.load) { $0 + ($1.measured ?? $1.guess) }
    }
  }

  /// The limit in cores.
  public let limit: Double
  private let decoding: DecodingCounters
  private let state = Mutex(State())

  /// Creates a budget.
  /// - Parameters:
  ///   - limit: The number of cores that mixes may use.
  ///   - decoding: Counters of the decoding of their sources, which counts towards the limit.
  public init(limit: Double, decoding: DecodingCounters) {
    self.limit = limit
    self.decoding = decoding
  }

  /// The current state.
  public var snapshot: Snapshot {
    state.withLock { Snapshot(mixes: $0.entries.count, used: $0.used(decoding), refused: $0.refused) }
  }

  /// Reserves CPU for a mix.
  /// - Parameter isAdmitted: Whether the mix replaces one that had a share, so that the limit does not apply.
  /// - Throws: ``Refusal`` if the mix does not fit.
  public func reserve(_ picture: MixPicture?, sources: Int, isAdmitted: Bool = false) throws(Refusal) -> Share {
    let model = Self.model(picture, sources: sources)
    let result: Result<UInt64, Refusal> = state.withLock { state in
      let needed = model * state.correction
      let used = state.used(decoding)
      guard used + needed <= limit || isAdmitted else {
        state.refused += 1
        return .failure(Refusal(needed: needed, used: used, limit: limit))
      }
      state.next += 1
      state.entries[state.next] = Entry(guess: needed, model: model)
      return .success(state.next)
    }
    return Share(self, number: try result.get())
  }

  /// Returns an estimate in cores for a machine of 2023. The estimate counts nanoseconds per encoded pixel, including the
  /// decoding of one pixel for each, plus a fixed cost per audio source.
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

  /// A mix's share of the machine.
  public final class Share: Sendable {
    private let budget: MixBudget
    private let number: UInt64

    fileprivate init(_ budget: MixBudget, number: UInt64) {
      self.budget = budget
      self.number = number
    }

    deinit { release() }

    /// Records the measured CPU use in cores. The value is smoothed here.
    public func measured(_ cores: Double) {
      budget.state.withLock { state in
        guard var entry = state.entries[number] else { return }
        let smooth = entry.measured.map { $0 + (cores - $0) / 4 } ?? cores
        entry.measured = smooth
        state.entries[number] = entry
        let model = max(entry.model, 0.001)
        state.correction += (min(max(smooth / model, 0.2), 5) - state.correction) / 16
      }
    }

    /// Releases the share when the mix is over.
    public func release() { budget.state.withLock { $0.entries[number] = nil } }
  }
}
