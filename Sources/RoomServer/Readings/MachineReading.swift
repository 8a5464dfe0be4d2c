import Foundation
import RoomCLinux

/// The use of the machine: its processors, its memory and the disk of recordings.
package struct MachineReading: Sendable, Hashable {
  /// The ticks of all processors since the start of the machine.
  package struct Processor: Sendable, Hashable {
    package var busy: UInt64
    package var total: UInt64

    /// Returns the busy share since an earlier reading, 0 to 1; nil if no tick has passed.
    package func load(since before: Processor) -> Double? {
      guard total > before.total, busy >= before.busy else { return nil }
      return Double(busy - before.busy) / Double(total - before.total)
    }
  }

  package var processor: Processor?
  /// The used share of the machine's memory or of the control group's limit, whichever is fuller, 0 to 1.
  package var memory: Double?
  /// The used share of the disk of recordings, 0 to 1; nil if nothing is recorded.
  package var disk: Double?

  package init() {}

  /// Reads files and a file system. Blocks.
  package init(recordings: String?) {
    processor = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8)).flatMap(Self.processor)
    let machine = (try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8)).flatMap(Self.memory)
    let group = Self.groupLimit().map { Double(linux_resident_bytes()) / Double($0) }
    memory = [machine, group].compactMap { $0 }.max()
    disk = recordings.flatMap(Self.disk)
  }

  /// Reads the first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal (proc(5)).
  package static func processor(_ text: String) -> Processor? {
    guard let line = text.split(separator: "\n", maxSplits: 1).first, line.hasPrefix("cpu ") else { return nil }
    let ticks = line.split(separator: " ").dropFirst().prefix(8).compactMap { UInt64($0) }
    guard ticks.count >= 5 else { return nil }
    let total = ticks.reduce(0, &+)
    return Processor(busy: total &- ticks[3] &- ticks[4], total: total)
  }

  /// Reads `/proc/meminfo`: the share of memory that is not available.
  package static func memory(_ text: String) -> Double? {
    func value(_ name: String) -> Double? {
      text.split(separator: "\n").first { $0.hasPrefix(name) }
        .flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Double($0) }
    }
    guard let total = value("MemTotal:"), let available = value("MemAvailable:"), total > 0 else { return nil }
    return 1 - available / total
  }

  /// Returns the limit of the control group (version 2) in bytes; nil without one.
  private static func groupLimit() -> Int64? {
    guard let text = try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("0::/") })
    else { return nil }
    let limit = try? String(contentsOfFile: "/sys/fs/cgroup\(line.dropFirst(3))/memory.max", encoding: .utf8)
    return limit.flatMap { Int64($0.trimmingCharacters(in: .whitespacesAndNewlines)) }.flatMap { $0 > 0 ? $0 : nil }
  }

  /// The share that is not free for a process without privileges, as `df` computes it.
  private static func disk(of path: String) -> Double? {
    var system = statvfs()
    guard statvfs(path, &system) == 0, system.f_blocks > 0, system.f_blocks >= system.f_bfree else { return nil }
    let used = Double(system.f_blocks - system.f_bfree)
    let usable = used + Double(system.f_bavail)
    return usable > 0 ? used / usable : nil
  }
}
