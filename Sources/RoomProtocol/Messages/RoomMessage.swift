/// What kind of message it is; clients show them differently.
public enum MessageKind: String, Codable, Sendable, Hashable, CaseIterable {
  case text
  case like
  case gift
  /// A text that flies over the picture.
  case barrage
  /// The app's own: a type and JSON.
  case custom
}

/// A message as it was told in the room.
public struct RoomMessage: Codable, Sendable, Hashable {
  /// Its number among the room's events: messages are ordered by it.
  public var seq: Int
  /// Who sent it; empty for the API.
  public var userId: UserID
  public var kind: MessageKind
  public var text: String?
  /// Which gift; the app's name for a custom message.
  public var type: String?
  /// JSON, as text.
  public var data: String?
  /// How many likes or gifts.
  public var count: Int?
  /// The only receiver; absent where it went to all.
  public var to: UserID?
  /// Milliseconds since 1970.
  public var at: Int64

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

  /// Bytes of what its sender wrote.
  public var size: Int { (text?.utf8.count ?? 0) + (type?.utf8.count ?? 0) + (data?.utf8.count ?? 0) }

  /// Whether newcomers get it: likes and messages to one user are for the moment.
  public var isKept: Bool { kind != .like && to == nil }
}

extension [RoomMessage] {
  /// Adds a message to those that newcomers get, and forgets the oldest beyond the limits.
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

/// A message to send.
public struct MessageParams: Codable, Sendable, Hashable {
  public var kind: MessageKind
  /// Of `text` and `barrage`, where it is needed; of others where the app likes. At most 4096 bytes.
  public var text: String?
  /// Needed for `gift` and `custom`. At most 64 bytes.
  public var type: String?
  /// JSON as text, needed for `custom`. At most 65,536 bytes.
  public var data: String?
  /// 1 to 1,000,000; likes and gifts that were gathered.
  public var count: Int?
  /// The only receiver; all if absent.
  public var to: UserID?

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

  /// What is wrong with it, with the field's name; nil where nothing is.
  public var complaint: String? {
    for (name, value, most) in [("text", text, 4096), ("type", type, 64), ("data", data, 65536)] {
      if let value, value.utf8.count > most { return "\(name): \(value.utf8.count) bytes, at most \(most) are sent" }
    }
    if let count, !(1...1_000_000).contains(count) { return "count: \(count), where 1 to 1000000 is possible" }
    if let data, !JSONText.isWhole(data) { return "data: it is no JSON, or nested deeper than \(JSONText.depth)" }
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

public struct MessageResult: Codable, Sendable, Hashable {
  /// The message's number.
  public var seq: Int
  /// Milliseconds since 1970.
  public var at: Int64

  public init(seq: Int, at: Int64) {
    self.seq = seq
    self.at = at
  }
}
