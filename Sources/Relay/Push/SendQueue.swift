public import RTMP

/// What waits for a slow receiver: bounded in time, at the cost of pictures, never of sound.
///
/// When more than the limit waits, video goes up to the next key frame that waits too, or up to one still to come, so that the
/// receiver never sees a broken picture. Sequence headers always stay.
public struct SendQueue: Sendable {
  /// What was lost.
  public struct Counters: Sendable, Hashable {
    /// Video frames dropped.
    public var droppedFrames: UInt64 = 0
    /// How often frames were dropped.
    public var drops: UInt64 = 0
  }

  /// Since the start.
  public private(set) var counters = Counters()
  /// Milliseconds between the oldest and the newest that may wait.
  public let limit: Int
  /// Whether video waits for a key frame, which the source should be asked for.
  public private(set) var needsKeyFrame = false
  /// Payload bytes that wait.
  public private(set) var byteCount = 0

  private struct Item: Sendable {
    var message: MediaMessage
    var role: Role
  }
  private enum Role: Sendable { case sound, configuration, keyFrame, frame }
  private var items: [Item] = []
  private var head = 0

  /// - Parameter limit: milliseconds, at least 100.
  public init(limit: Int = 2000) { self.limit = max(100, limit) }

  /// Messages that wait.
  public var count: Int { items.count - head }
  /// Milliseconds between the oldest and the newest that wait.
  public var duration: Int {
    guard count > 1 else { return 0 }
    return Int(Int32(bitPattern: items[items.count - 1].message.timestamp &- items[head].message.timestamp))
  }
  /// So much sound alone waits that the receiver is no receiver any more: ten times the limit.
  public var isStuck: Bool { duration > limit * 10 }

  /// Puts a message at the end.
  public mutating func append(_ message: MediaMessage) {
    let role = Self.role(of: message)
    if needsKeyFrame {
      if role == .frame {
        counters.droppedFrames += 1
        return
      }
      if role == .keyFrame { needsKeyFrame = false }
    }
    items.append(Item(message: message, role: role))
    byteCount += message.payload.count
    if duration > limit { thin() }
  }

  /// Takes the oldest.
  public mutating func next() -> MediaMessage? {
    guard head < items.count else { return nil }
    let message = items[head].message
    items[head].message.payload = []
    head += 1
    byteCount -= message.payload.count
    if head == items.count || head > 256 {
      items.removeFirst(head)
      head = 0
    }
    return message
  }

  /// Forgets all that waits; video goes on at the next key frame. For a connection that begins anew.
  public mutating func removeAll() {
    items.removeAll()
    head = 0
    byteCount = 0
    needsKeyFrame = true
  }

  private mutating func thin() {
    let waiting = items[head...]
    guard waiting.contains(where: { $0.role == .frame || $0.role == .keyFrame }) else { return }
    // The newest key frame that waits is where pictures go on; what leads up to it is lost.
    let newestKey = waiting.lastIndex { $0.role == .keyFrame }
    let isFirst = newestKey == waiting.firstIndex { $0.role == .frame || $0.role == .keyFrame }
    let keep = isFirst ? nil : newestKey
    var kept: [Item] = []
    kept.reserveCapacity(waiting.count)
    for index in waiting.indices {
      let item = waiting[index]
      let isPicture = item.role == .frame || item.role == .keyFrame
      guard isPicture, keep.map({ index < $0 }) ?? true else {
        kept.append(item)
        continue
      }
      counters.droppedFrames += 1
      byteCount -= item.message.payload.count
    }
    counters.drops += 1
    if keep == nil { needsKeyFrame = true }
    items = kept
    head = 0
  }

  private static func role(of message: MediaMessage) -> Role {
    guard message.kind == .video else { return message.kind == .audio ? .sound : .configuration }
    guard let tag = message.payload.withUnsafeBytes({ VideoTag(parsing: $0) }) else { return .configuration }
    if tag.isSequenceHeader { return .configuration }
    return tag.isKeyFrame ? .keyFrame : .frame
  }
}
