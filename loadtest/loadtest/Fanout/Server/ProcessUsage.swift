import Foundation
import Glibc

/// What a process has used of the machine, as the kernel counts it.
struct ProcessUsage: Sendable {
  /// Nanoseconds of CPU, user and system of all threads, those that ended too.
  var cpu: Int64
  /// The share of it that was spent in the kernel; in ticks of 10 ms, so good for a share and no more.
  var userTicks: Int64
  var systemTicks: Int64
  /// Resident bytes, and the process' part of them where pages are shared.
  var resident: Int64
  var proportional: Int64

  /// Reads it now; throws where the process is gone, or is somebody else's.
  init(of process: Int32) throws(FanoutError) {
    var clock = clockid_t()
    var time = timespec()
    guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
      throw .server("the server's process \(process) is gone")
    }
    cpu = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    // The name, in parentheses, may hold anything; utime and stime are the 12th and 13th fields behind it (proc(5)).
    let fields = (ProcFile.text("/proc/\(process)/stat") ?? "").split(separator: ")").last?.split(separator: " ") ?? []
    userTicks = fields.count > 12 ? Int64(fields[11]) ?? 0 : 0
    systemTicks = fields.count > 12 ? Int64(fields[12]) ?? 0 : 0
    let memory = ProcFile.text("/proc/\(process)/smaps_rollup") ?? ""
    guard let resident = ProcFile.kilobytes("Rss:", in: memory), let proportional = ProcFile.kilobytes("Pss:", in: memory)
    else {
      throw .server("the memory of process \(process) can't be read")
    }
    self.resident = resident * 1024
    self.proportional = proportional * 1024
  }
}

/// How busy the machine was altogether.
struct MachineUsage: Sendable {
  /// Ticks of 10 ms of all processors, and those of them that were not idle.
  var ticks: Int64
  var busy: Int64

  init() {
    let line = ProcFile.text("/proc/stat")?.split(separator: "\n").first ?? ""
    let values = line.split(separator: " ").dropFirst().prefix(8).compactMap { Int64($0) }
    ticks = values.reduce(0, +)
    // Fourth and fifth: idle, and waiting for a disk.
    busy = ticks - values.dropFirst(3).prefix(2).reduce(0, +)
  }
}

/// Datagrams that this machine's sockets had no room for: a loss there is the receiver's, not the server's.
enum SocketDrops {
  /// Of the UDP sockets of this process; what sockets lost that are closed by now is not in it.
  static func ofThisProcess() -> Int {
    var inodes: Set<String> = []
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
      guard let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)"),
        link.hasPrefix("socket:[")
      else { continue }
      inodes.insert(String(link.dropFirst(8).dropLast()))
    }
    var drops = 0
    for path in ["/proc/self/net/udp", "/proc/self/net/udp6"] {
      for line in (ProcFile.text(path) ?? "").split(separator: "\n").dropFirst() {
        // sl local remote st queues timer retransmits uid timeout inode … drops
        let fields = line.split(separator: " ")
        guard fields.count > 9, inodes.contains(String(fields[9])), let last = fields.last else { continue }
        drops += Int(last) ?? 0
      }
    }
    return drops
  }
}

enum ProcFile {
  /// The whole file; nil where it can't be read.
  static func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

  /// The number of kB behind a name.
  static func kilobytes(_ name: String, in text: String) -> Int64? {
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int64($0) }
  }
}
