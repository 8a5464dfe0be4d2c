public import RoomRTMP

/// The queue for a slow receiver. The queue is bounded in time: video is dropped, audio never.
///
/// Above the limit, video is dropped up to the next queued key frame, or up to the next one to arrive, so that the receiver
/// never gets a broken picture. Sequence headers are always kept.
public struct SendQueue: Sendable {
  /// Counters of dropped frames.
  public struct Counters: Sendable, Hashable {
    /// Video frames dropped.
    public var droppedFrames: UInt64 = 0
    /// The number of times that frames were dropped.
    public var drops: UInt64 = 0
  }

  /// Counters since the start.
  public private(set) var counters = Counters()
  /// The maximum ``duration`` in ms.
  public let limit: Int
  /// Whether video waits for a key frame, which should be requested from the source.
  public private(set) var needsKeyFrame = false
  /// The payload size of the queued messages in bytes.
  public private(set) var byteCount = 0

  private struct Item: Sendable {
    var message: MediaMessage
    var role: Role
  }
  private enum Role: Sendable { case sound, configuration, keyFrame, frame }
  private var items: [Item] = []
  private var head = 0

  /// - Parameter limit: The limit in ms, at least 100.
  public init(limit: Int = 2000) { self.limit = max(100, limit) }

  /// The number of queued messages.
  public var count: Int { items.count - head }
  /// The time between the oldest and the newest queued picture or sound in ms.
  public var duration: Int {
    // Metadata has the time 0 at any time of the stream.
    let waiting = items[head...]
    guard let oldest = waiting.first(where: { $0.message.kind != .data }),
      let newest = waiting.last(where: { $0.message.kind != .data })
    else { return 0 }
    return Int(Int32(bitPattern: newest.message.timestamp &- oldest.message.timestamp))
  }
  /// Whether the receiver is considered dead: audio alone exceeds ten times the limit.
  public var isStuck: Bool { duration > limit * 10 }

  /// Appends a message.
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

  /// Removes and returns the oldest message.
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

  /// Removes all messages; video resumes at the next key frame. Used for a new connection.
  public mutating func removeAll() {
    items.removeAll()
    head = 0
    byteCount = 0
    needsKeyFrame = true
  }

  private mutating func thin() {
    let waiting = items[head...]
    guard waiting.contains(where: { $0.role == .frame || $0.role == .keyFrame }) else { return }
    // Video resumes at the newest queued key frame; the pictures before it are dropped.
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
