import Foundation
import Glibc

/// Resource use of a process, as counted by the kernel.
struct ProcessUsage: Sendable {
  /// CPU time in nanoseconds, user and system, of all threads including those that exited.
  var cpu: Int64
  /// User and kernel time in ticks of 10 ms, precise enough only for the kernel's share.
  var userTicks: Int64
  var systemTicks: Int64
  /// Resident memory in bytes, and its proportional set size, which divides shared pages among their processes.
  var resident: Int64
  var proportional: Int64

  /// CPU time of this process, in nanoseconds.
  static var ownCPU: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Reads the current values.
  /// - Throws: ``LoadtestError`` if the process has exited or belongs to another user.
  init(of process: Int32) throws(LoadtestError) {
    var clock = clockid_t()
    var time = timespec()
    guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
      throw .server("the server's process \(process) has exited")
    }
    cpu = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    // The name, in parentheses, may contain any character; utime and stime are the 12th and 13th fields after it (proc(5)).
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

/// CPU use of the whole machine.
struct MachineUsage: Sendable {
  /// Ticks of 10 ms of all processors, in total and not idle.
  var ticks: Int64
  var busy: Int64

  init() {
    let line = ProcFile.text("/proc/stat")?.split(separator: "\n").first ?? ""
    let values = line.split(separator: " ").dropFirst().prefix(8).compactMap { Int64($0) }
    ticks = values.reduce(0, +)
    // Fourth and fifth field: idle and iowait.
    busy = ticks - values.dropFirst(3).prefix(2).reduce(0, +)
  }
}

/// Datagrams dropped because this machine's socket buffers were full: a loss at the receiver, not at the server.
enum SocketDrops {
  /// Returns the drops of this process's open UDP sockets. Closed sockets are not included.
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
  /// Returns the whole file, or nil if it can't be read.
  static func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

  /// Returns the number of kB that follows a name.
  static func kilobytes(_ name: String, in text: String) -> Int64? {
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int64($0) }
  }
}
