/// The parameters that add a gift to this room's score, exactly once for each gift.
public struct PKGiftParams: Codable, Sendable, Hashable {
  /// The gift's id of 1…64 bytes, chosen by the caller: a repeated call with the same id changes nothing.
  public var giftId: String
  /// The name of the gift in ``PKRules/gifts``; nil if ``points`` are given.
  public var gift: String?
  /// How many of them, 1…1000000; nil means 1.
  public var count: Int?
  /// The points of the gift, 1…1000000000; nil if ``gift`` is named.
  public var points: Int?

  /// Creates the parameters. The values are not validated; see ``validationError``.
  /// - Parameters:
  ///   - giftId: the gift's id.
  ///   - gift: the name of the gift in the rules.
  ///   - count: how many of them.
  ///   - points: the points of a gift that the rules do not name.
  public init(giftId: String, gift: String? = nil, count: Int? = nil, points: Int? = nil) {
    self.giftId = giftId
    self.gift = gift
    self.count = count
    self.points = points
  }

  /// The points of one gift.
  public static let pointRange = 1...1_000_000_000

  /// The first validation error, in a sentence that names the field; nil if the values are valid.
  public var validationError: String? {
    if !(1...64).contains(giftId.utf8.count) { return "giftId: 1 to 64 bytes" }
    if (gift == nil) == (points == nil) { return "gift, points: one of both" }
    if let points, !Self.pointRange.contains(points) { return "points: 1 to 1000000000" }
    if let count, !(1...1_000_000).contains(count) { return "count: 1 to 1000000" }
    return nil
  }
}

/// The result of a gift in a PK.
public struct PKGiftResult: Codable, Sendable, Hashable {
  /// This room's score.
  public var score: Int
  /// Whether this call changed the score; false if the gift was counted before.
  public var counted: Bool

  /// Creates the result.
  public init(score: Int, counted: Bool) {
    self.score = score
    self.counted = counted
  }
}
