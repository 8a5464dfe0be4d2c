/// The kind of a message. Clients show each kind differently.
public enum MessageKind: String, Codable, Sendable, Hashable, CaseIterable {
  /// A chat text.
  case text
  /// One or more likes. New participants do not receive them.
  case like
  /// One or more gifts of a type that the app defines.
  case gift
  /// A text that moves across the picture.
  case barrage
  /// A message that the app defines: a type and JSON.
  case custom
}

/// A message that was sent in the room.
public struct RoomMessage: Codable, Sendable, Hashable {
  /// The message's number among the room's changes. Messages are ordered by it.
  public var seq: Int
  /// The sender; empty for a REST API call.
  public var userId: UserID
  /// The kind of the message.
  public var kind: MessageKind
  /// The text; nil if the message has none.
  public var text: String?
  /// The type of a gift or of a custom message; nil for other kinds.
  public var type: String?
  /// The JSON of a custom message, as text.
  public var data: String?
  /// The number of likes or gifts.
  public var count: Int?
  /// The only recipient; nil for a message to all.
  public var to: UserID?
  /// The time of the message, in milliseconds since 1970.
  public var at: Int64

  /// Creates a message.
  public init(
    seq: Int, userId: UserID, kind: MessageKind, text: String? = nil, type: String? = nil, data: String? = nil,
    count: Int? = nil, to: UserID? = nil, at: Int64
  ) {
    self.seq = seq
    self.userId = userId
    self.kind = kind
    self.text = text
    self.type = type
    self.data = data
    self.count = count
    self.to = to
    self.at = at
  }

  /// The size of ``text``, ``type`` and ``data`` in bytes of UTF-8.
  public var size: Int { (text?.utf8.count ?? 0) + (type?.utf8.count ?? 0) + (data?.utf8.count ?? 0) }

  /// Whether new participants receive the message: false for likes and for messages to one user.
  public var isKept: Bool { kind != .like && to == nil }
}

extension [RoomMessage] {
  /// Adds a message to the history for new participants, and removes the oldest ones beyond the limits.
  ///
  /// Ignores a message that is not kept; see ``RoomMessage/isKept``.
  public mutating func keep(_ message: RoomMessage, limits: RoomLimits) {
    guard message.isKept else { return }
    append(message)
    var bytes = reduce(0) { $0 + $1.size }
    while let first, count > limits.historyMessages || bytes > limits.historyBytes {
      bytes -= first.size
      removeFirst()
    }
  }
}

/// The parameters of a message to send.
public struct MessageParams: Codable, Sendable, Hashable {
  /// The kind of the message.
  public var kind: MessageKind
  /// The text, at most 4096 bytes of UTF-8. Required for `text` and `barrage`, optional for other kinds.
  public var text: String?
  /// The type, at most 64 bytes. Required for `gift` and `custom`.
  public var type: String?
  /// JSON as text, at most 65,536 bytes and 64 levels. Required for `custom`.
  public var data: String?
  /// The number of likes or gifts that the message stands for, 1…1,000,000; nil means one.
  public var count: Int?
  /// The only recipient; nil for all.
  public var to: UserID?

  /// Creates the parameters. The parameters are not validated; see ``validationError``.
  public init(
    _ kind: MessageKind, text: String? = nil, type: String? = nil, data: String? = nil, count: Int? = nil, to: UserID? = nil
  ) {
    self.kind = kind
    self.text = text
    self.type = type
    self.data = data
    self.count = count
    self.to = to
  }

  /// The first validation error, which begins with the field's name; nil if the message is valid.
  public var validationError: String? {
    for (name, value, most) in [("text", text, 4096), ("type", type, 64), ("data", data, 65536)] {
      if let value, value.utf8.count > most { return "\(name): \(value.utf8.count) bytes, at most \(most) are allowed" }
    }
    if let count, !(1...1_000_000).contains(count) { return "count: \(count); must be 1 to 1000000" }
    if let data, !JSONText.isWhole(data) { return "data: not valid JSON, or nested deeper than \(JSONText.depth)" }
    switch kind {
    case .text, .barrage: return text?.isEmpty ?? true ? "text: a \(kind.rawValue) message needs one" : nil
    case .like: return nil
    case .gift: return type?.isEmpty ?? true ? "type: a gift needs one" : nil
    case .custom:
      if type?.isEmpty ?? true { return "type: a custom message needs one" }
      return data == nil ? "data: a custom message needs some" : nil
    }
  }
}

/// The result of sending a message.
public struct MessageResult: Codable, Sendable, Hashable {
  /// The message's number among the room's changes.
  public var seq: Int
  /// The time of the message, in milliseconds since 1970.
  public var at: Int64

  /// Creates the result.
  public init(seq: Int, at: Int64) {
    self.seq = seq
    self.at = at
  }
}
