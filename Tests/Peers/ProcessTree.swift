import Foundation

/// The processes that a process has started, and those that they have started.
public enum ProcessTree {
  /// Returns the CPU time of all that run now, the process itself not included; s.
  public static func cpu(under root: pid_t) -> Double {
    var parents: [pid_t: pid_t] = [:]
    var ticks: [pid_t: Double] = [:]
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
      guard let process = pid_t(name), let text = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
        // The name of the program may contain anything.
        let fields = text.lastIndex(of: ")").map({ text[$0...].split(separator: " ") }), fields.count > 13
      else { continue }
      parents[process] = pid_t(fields[2])
      ticks[process] = (Double(fields[12]) ?? 0) + (Double(fields[13]) ?? 0)
    }
    var sum = 0.0
    for (process, used) in ticks where process != root {
      var ancestor = parents[process]
      for _ in 0..<64 where ancestor != root { ancestor = ancestor.flatMap { parents[$0] } }
      if ancestor == root { sum += used }
    }
    return sum / Double(sysconf(CInt(_SC_CLK_TCK)))
  }
}
