import ArgumentParser
import Foundation
import RoomLinkModel
import RoomLossyLink

/// Runs commands on both sides of a bad network.
struct Link: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run commands on both sides of a bad network, and record what it does to their packets.",
    discussion: """
      Makes two networks without a route to any other, with an IP link between them: the near side has the address \
      \(TunLink.nearText), the far side \(TunLink.farText). Everything is removed at the end. Requires root, or a user namespace: \
      unshare --user --map-root-user --net loadtest link …

        loadtest link --rate 1000 --queue 300 --delay 50 --near 'iperf3 -s -1' --far 'iperf3 -c \(TunLink.nearText) -R'

      The commands run with bash. When the far side's ends, the near side's is terminated; the exit status is that of the far \
      side's. The options describe both directions; rate and queue are those of packets to the far side, unless --up-rate is set.
      """)

  @Option(help: "The command on the near side, usually a server; it starts first.")
  var near: String?

  @Option(help: "The command on the far side.")
  var far: String

  @OptionGroup var conditions: LinkOptions

  @Option(help: ArgumentHelp("The file that the record is written into, as JSON.", valueName: "file"))
  var log: String?

  func run() async throws {
    let (nearSide, farSide) = (try NetworkNamespace(), try NetworkNamespace())
    let link = try TunLink(conditions.schedule, seed: conditions.seed, near: nearSide, far: farSide)
    defer { link.stop() }
    let server = try near.map { try SideProcess($0, in: nearSide) }
    defer { server?.terminate() }
    let client = try SideProcess(far, in: farSide)
    let stop = StopSignal()
    let status = await withTaskGroup(of: Int32?.self) { group in
      group.addTask { await client.status() }
      group.addTask {
        await stop.wait()
        client.terminate()
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
    let report = link.report
    if let log { try report.json().write(to: URL(filePath: log)) }
    FileHandle.standardError.write(Data((LinkTable.text(report) + "\n").utf8))
    guard status == 0 else { throw ExitCode(status ?? 1) }
  }
}

/// The conditions of a link on a command line.
struct LinkOptions: ParsableArguments {
  @Option(help: "Percent of packets lost, in each direction.")
  var loss = 0.0

  @Option(help: "Mean number of packets that are lost one after the other.")
  var burst = 1.0

  @Option(help: "Delay in ms, in each direction.")
  var delay = 0

  @Option(help: "Maximum additional delay of a packet in ms, in each direction.")
  var jitter = 0

  @Option(help: "Rate in kbit/s of packets to the far side; 0 is no limit.")
  var rate = 0

  @Option(help: "Rate in kbit/s of packets to the near side; 0 is no limit.")
  var upRate = 0

  @Option(help: "ms that packets wait for the rate before further ones are dropped.")
  var queue = 300

  @Option(
    help: ArgumentHelp(
      "The rates of RFC 8867 instead of --rate: \(RFC8867.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "case"
    ))
  var rates: String?

  @Option(help: "Seed of losses and jitter.")
  var seed: UInt64 = 1

  func validate() throws {
    guard (0...100).contains(loss) else { throw ValidationError("--loss must be from 0 to 100") }
    guard delay >= 0, jitter >= 0, rate >= 0, upRate >= 0, queue > 0 else {
      throw ValidationError("--delay, --jitter, --rate and --up-rate must not be negative, and --queue must be positive")
    }
    if let rates, RFC8867(rawValue: rates) == nil {
      throw ValidationError("--rates must be one of \(RFC8867.allCases.map(\.rawValue).joined(separator: ", "))")
    }
  }

  var schedule: LinkSchedule {
    let plain = LinkConditions(
      loss: loss / 100, burst: burst, delay: Int64(delay) * 1000, jitter: Int64(jitter) * 1000)
    var (down, up) = (plain, plain)
    if rate > 0 { down.limit(rate: Int64(rate) * 1000, queueing: Int64(queue)) }
    if upRate > 0 { up.limit(rate: Int64(upRate) * 1000, queueing: Int64(queue)) }
    guard let changing = rates.flatMap(RFC8867.init(rawValue:)) else { return LinkSchedule(down: down, up: up) }
    return changing.schedule(down: plain, up: up, queueing: Int64(queue))
  }
}
