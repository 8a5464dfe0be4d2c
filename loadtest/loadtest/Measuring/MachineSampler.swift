import Foundation
import Glibc

/// Records once a second the CPU use of the server, the bots and the rest of the machine.
struct MachineSampler: Sendable {
  let stage: Stage
  /// Whether the server runs on this machine, so that its CPU is not counted as that of other processes.
  let isLocal: Bool

  private struct Server: Decodable {
    struct Process: Decodable {
      var cpuSeconds: Double
      var residentBytes: Int64
    }
    var process: Process
  }

  private struct Moment {
    var clock = ContinuousClock.now
    var server: Server.Process?
    var bots: Double
    var machine = MachineUsage()

    init(_ server: Server.Process?) {
      self.server = server
      var time = timespec()
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
      bots = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
  }

  /// Runs until the task is cancelled.
  func run() async {
    var last = await moment()
    while (try? await Task.sleep(for: .seconds(1))) != nil {
      let now = await moment()
      tell(from: last, to: now)
      last = now
    }
  }

  private func moment() async -> Moment {
    Moment(try? await stage.read(Server.self, "v1/server").process)
  }

  private func tell(from last: Moment, to now: Moment) {
    let seconds = (now.clock - last.clock) / .seconds(1)
    guard seconds > 0.1 else { return }
    let recorder = stage.recorder
    let bots = (now.bots - last.bots) / seconds * 100
    recorder.record(.botsCPU, bots)
    guard let server = now.server else { return }
    recorder.record(.serverMemory, Double(server.residentBytes) / 1e6)
    guard let before = last.server else { return }
    let cpu = (server.cpuSeconds - before.cpuSeconds) / seconds * 100
    recorder.record(.serverCPU, cpu)
    guard isLocal else { return }
    let ticks = Double(now.machine.busy - last.machine.busy) / Double(sysconf(Int32(_SC_CLK_TCK)))
    recorder.record(.othersCPU, max(0, ticks / seconds * 100 - cpu - bots))
  }
}
