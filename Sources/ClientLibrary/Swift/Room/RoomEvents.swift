import RoomCClient
import RoomClient
import Synchronization

/// Delivers the events of a room to the app's callback.
///
/// Unchecked because of the context pointer: it is never read here, only passed to the callback, on the thread that the app
/// chose. All else is Sendable.
final class RoomEvents: @unchecked Sendable {
  private let callback: rc_on_event
  private let context: UnsafeMutableRawPointer?
  private let delivery: Delivery
  private let backlog: Int
  private let lost = Mutex<UInt64>(0)
  /// The room's own references to the handles of remote tracks; nil after the end.
  private let remotes = Mutex<[TrackID: UInt]?>([:])

  init(_ callback: rc_on_event, _ context: UnsafeMutableRawPointer?, on queue: EventQueue, backlog: Int) {
    self.callback = callback
    self.context = context
    self.backlog = backlog
    delivery = Delivery(queue)
  }

  /// The number of events that waited too long for the app.
  var dropped: UInt64 { lost.withLock { $0 } }

  func end() {
    delivery.end()
    let handles = remotes.withLock { remotes in
      defer { remotes = nil }
      return remotes ?? [:]
    }
    for remote in handles.values { try? HandleTable.shared.release(remote) }
  }

  func start(_ room: Room, as handle: UInt) {
    // A buffer of its own, because the room does not count what its streams lose.
    let (waiting, continuation) = AsyncStream.makeStream(of: RoomEvent.self, bufferingPolicy: .bufferingNewest(backlog))
    let events = room.events()
    Task { [self] in
      for await event in events {
        if case .dropped = continuation.yield(event) { lost.withLock { $0 += 1 } }
      }
      continuation.finish()
    }
    Task { await deliver(waiting, handle) }
  }

  private func deliver(_ events: AsyncStream<RoomEvent>, _ handle: UInt) async {
    for await event in events {
      guard let report = EventReport(event) else { continue }
      let remote = report.track.flatMap(remote)
      await delivery.run { [self] in send(report, handle, remote) }
      if case .trackUnsubscribed(let track) = event { forget(track) }
    }
  }

  /// Returns the handle of a track; nil after the end.
  private func remote(_ track: RemoteTrack) -> UInt? {
    remotes.withLock { remotes in
      guard remotes != nil else { return nil }
      if let known = remotes?[track.trackId] { return known }
      let new = HandleTable.shared.add(RemoteHandle(track))
      remotes?[track.trackId] = new
      return new
    }
  }

  private func forget(_ track: RemoteTrack) {
    let ended = remotes.withLock { $0?.removeValue(forKey: track.trackId) }
    if let ended { try? HandleTable.shared.release(ended) }
  }

  private func send(_ report: EventReport, _ handle: UInt, _ remote: UInt?) {
    guard let room = OpaquePointer(bitPattern: handle) else { return }
    let texts = CTexts()
    let levels = report.levels.map { level in
      rc_level(
        user_id: texts.add(level.userId.rawValue), track_id: texts.add(level.trackId.rawValue),
        level: Int32(clamping: level.level))
    }
    levels.withUnsafeBufferPointer { levels in
      var event = rc_event(
        type: report.type, name: texts.add(report.name), json: texts.add(report.json),
        track: remote.flatMap { OpaquePointer(bitPattern: $0) }, levels: levels.isEmpty ? nil : levels.baseAddress,
        level_count: levels.count)
      callback(context, room, &event)
    }
    withExtendedLifetime(texts) {}
  }
}

/// C copies of texts, which are freed with the object.
private final class CTexts {
  private var copies: [UnsafeMutablePointer<CChar>] = []

  func add(_ text: String) -> UnsafePointer<CChar> {
    let bytes = text.utf8CString
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    for (index, byte) in bytes.enumerated() { copy[index] = byte }
    copies.append(copy)
    return UnsafePointer(copy)
  }

  deinit { for copy in copies { copy.deallocate() } }
}
