import Glibc
import RoomCLinux
import RoomNodeLink
import RoomRTP

/// Measures what a record costs that crosses a link between two nodes: sealed and opened in memory, then over UDP on 127.0.0.1.
@main struct LinkCosts {
  static let secret = [UInt8](repeating: 7, count: 32)
  static let ends = (LinkEnd(node: "near", incarnation: 1), LinkEnd(node: "far", incarnation: 1))

  static func main() throws {
    let nearKeys = try LinkKeys(secret: secret, local: ends.0, remote: ends.1)
    let farKeys = try LinkKeys(secret: secret, local: ends.1, remote: ends.0)
    print("In memory, ns a record:")
    for (bytes, together) in [(1100, 1), (100, 8)] {
      let (sealing, opening) = try memory(nearKeys, farKeys, bytes: bytes, together: together)
      print("  \(bytes) bytes, \(together) a datagram: written and sealed \(sealing), opened and delivered \(opening)")
    }
    print("Over 127.0.0.1:")
    try ports(nearKeys, farKeys, name: "one record each 10 ms", bytes: 1100, burst: 1, pause: 10_000, rounds: 300)
    for segments in [true, false] {
      try ports(
        nearKeys, farKeys, name: "20 records each ms\(segments ? "" : ", no GSO")", bytes: 1100, burst: 20, pause: 1_000,
        rounds: 4_000, segments: segments)
    }
    try ports(nearKeys, farKeys, name: "40 records of 100 bytes each ms", bytes: 100, burst: 40, pause: 1_000, rounds: 4_000)
  }

  /// Returns the nanoseconds of a record at the sending and at the receiving end.
  private static func memory(_ nearKeys: LinkKeys, _ farKeys: LinkKeys, bytes: Int, together: Int) throws -> (Int64, Int64) {
    var now = Instant(microseconds: 0)
    var near = try Link(nearKeys, now: now)
    var far = try Link(farKeys, now: now)
    let payload = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes, alignment: 64)
    payload.initializeMemory(as: UInt8.self, repeating: 7)
    let datagrams = 64
    let slab = UnsafeMutableRawBufferPointer.allocate(byteCount: datagrams * Link.longestDatagram, alignment: 64)
    defer {
      payload.deallocate()
      slab.deallocate()
    }
    var lengths = [Int](repeating: 0, count: datagrams)
    var (sealing, opening, records, delivered) = (Int64(0), Int64(0), 0, 0)
    func slot(_ index: Int) -> UnsafeMutableRawBufferPointer {
      UnsafeMutableRawBufferPointer(rebasing: slab[(index * Link.longestDatagram)..<((index + 1) * Link.longestDatagram)])
    }
    for _ in 0..<4_000 {
      now = now.advanced(microseconds: 500)
      let start = nanoseconds()
      var count = 0
      for _ in 0..<48 {
        for _ in 0..<together {
          _ = near.write(
            LinkRecord(stream: 1, kind: 1, sequence: Int64(records)), UnsafeRawBufferPointer(payload), now: now)
          records += 1
        }
        near.flush(now: now)
        lengths[count] = near.next(into: slot(count), now: now)
        count += 1
      }
      sealing += nanoseconds() - start
      let middle = nanoseconds()
      for index in 0..<count {
        far.receive(UnsafeRawBufferPointer(rebasing: slot(index)[..<lengths[index]]), now: now) { _, _ in delivered += 1 }
      }
      opening += nanoseconds() - middle
    }
    guard delivered == records else { fatalError("\(delivered) of \(records) records were delivered") }
    return (sealing / Int64(records), opening / Int64(records))
  }

  /// Prints the times on the link, and the CPU of each thread.
  private static func ports(
    _ nearKeys: LinkKeys, _ farKeys: LinkKeys, name: String, bytes: Int, burst: Int, pause: Int64, rounds: Int,
    segments: Bool = true
  ) throws {
    let local = try NodeAddress(host: "127.0.0.1", port: 0)
    let near = try LinkPort(bind: local, segments: segments)
    let far = try LinkPort(bind: local)
    let nearLink = try near.open(to: far.address, nearKeys) { _ in }
    let farLink = try far.open(to: near.address, farKeys) { _ in }
    let (source, sink) = (ReleasedSource(bytes: bytes), TimedSink())
    farLink.receive(1, into: sink)
    nearLink.send(source, as: 1)
    usleep(300_000)
    let before = (near.counters, far.counters)
    var next = linux_now_us()
    for _ in 0..<rounds {
      source.release(burst)
      near.wake()
      next += pause
      let rest = next - linux_now_us()
      if rest > 0 { usleep(UInt32(rest)) }
    }
    usleep(300_000)
    let after = (near.counters, far.counters)
    let records = Double(rounds * burst)
    func microseconds(_ before: PortCounters, _ after: PortCounters) -> Double {
      (Double(after.cpuMicroseconds - before.cpuMicroseconds) / records * 100).rounded() / 100
    }
    print(
      "  \(name): \(sink.count) of \(rounds * burst) records, p50 \(sink.percentile(0.5)) µs, p99 \(sink.percentile(0.99)) µs;",
      "CPU of a record: sending \(microseconds(before.0, after.0)) µs, receiving \(microseconds(before.1, after.1)) µs;",
      "\(after.0.datagramsSent - before.0.datagramsSent) datagrams in \(after.0.messagesSent - before.0.messagesSent) messages,",
      "\(nearLink.status.counters.resent) resent")
    near.stop()
    far.stop()
  }

  /// The CPU time of this thread.
  private static func nanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
