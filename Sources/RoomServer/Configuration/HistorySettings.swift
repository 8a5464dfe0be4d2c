/// How much of its history a server keeps.
public struct HistorySettings: Sendable, Hashable {
  /// The maximum number of events, of sessions and of lives, each.
  public var rows = 100_000
  /// The age at which an event, or an ended session or live, is removed.
  public var longestAge: Duration = .seconds(30 * 86_400)

  public init() {}
}
