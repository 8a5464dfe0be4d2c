import RoomCLinux
import RoomNodeLink
import RoomRTP
import Synchronization

/// Records that the main thread releases. Lock-free.
final class ReleasedSource: LinkSource {
  private let released = Atomic<Int>(0)
  private let taken = Atomic<Int>(0)
  /// When the newest record was released, in microseconds.
  private let releasedAt = Atomic<Int64>(0)
  private let payload: [UInt8]

  init(bytes: Int) { payload = [UInt8](repeating: 7, count: bytes) }

  func release(_ records: Int) {
    releasedAt.store(linux_now_us(), ordering: .relaxed)
    released.add(records, ordering: .releasing)
  }

  func read(_ body: (LinkRecord, UnsafeRawBufferPointer) -> Void) -> Bool {
    let next = taken.load(ordering: .relaxed)
    guard next < released.load(ordering: .acquiring) else { return false }
    let time = UInt64(releasedAt.load(ordering: .relaxed))
    payload.withUnsafeBytes { body(LinkRecord(stream: 0, kind: 1, sequence: Int64(next), time: time), $0) }
    taken.store(next + 1, ordering: .relaxed)
    return true
  }

  func wished(_ wish: StreamWish?) {}
}

/// Counts records and how late they are.
final class TimedSink: LinkSink {
  /// Counts by microseconds; the last one counts all longer times.
  private static let longest = 20_000
  private let received = Atomic<Int>(0)
  private let times = Mutex([Int](repeating: 0, count: TimedSink.longest + 1))

  var wish: StreamWish { StreamWish() }
  var count: Int { received.load(ordering: .relaxed) }

  func write(_ record: LinkRecord, _ payload: UnsafeRawBufferPointer) {
    let time = Int(clamping: linux_now_us() - Int64(clamping: record.time))
    // Nobody else takes the lock during a run.
    times.withLock { $0[min(max(0, time), Self.longest)] += 1 }
    received.add(1, ordering: .relaxed)
  }

  func commit() {}

  /// Returns a percentile in microseconds.
  func percentile(_ share: Double) -> Int {
    times.withLock { times in
      let total = times.reduce(0, +)
      var seen = 0
      for (time, count) in times.enumerated() {
        seen += count
        if Double(seen) >= Double(total) * share { return time }
      }
      return Self.longest
    }
  }
}
