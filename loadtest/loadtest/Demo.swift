import ArgumentParser
import Foundation
import RoomClient
import RoomMedia
import RoomProtocol

/// Starts a few bots in one room. Each publishes a moving test picture and a tone, and receives all others.
struct Demo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run bots with a moving test picture and a tone in one room until Ctrl-C.",
    discussion: "Each bot shows the time of day, has its own colour and its own pitch, and receives all the others.")

  @OptionGroup var connection: ConnectionOptions

  @Option(help: "The room to join.")
  var room = "demo"

  @Option(help: "Number of bots, 1 to 50.")
  var bots = 2

  @Option(help: "Video codec: h264 or vp8.")
  var codec = VideoCodec.h264

  @Option(help: "Width in pixels, even.")
  var width = 640

  @Option(help: "Height in pixels, even.")
  var height = 360

  @Option(help: "Frames per second.")
  var fps = 24

  @Option(help: "Video bitrate in kbps.")
  var kbps = 600

  @Option(help: "Seconds between reports.")
  var interval = 3.0

  @Option(help: "End after this many seconds.")
  var duration: Double?

  func validate() throws {
    guard (1...50).contains(bots) else { throw ValidationError("--bots must be 1 to 50, not \(bots)") }
    guard interval >= 0.1, interval <= 3600 else { throw ValidationError("--interval must be 0.1 to 3600 seconds") }
    guard (duration ?? 1) > 0 else { throw ValidationError("--duration must be greater than 0 seconds") }
    do { try video.check() } catch { throw ValidationError(error.description) }
  }

  private var video: VideoConfiguration {
    VideoConfiguration(
      codec: codec,
      .init(width: width, height: height, fps: fps, bitrate: kbps.multipliedReportingOverflow(by: 1000).partialValue))
  }

  func run() async throws {
    let stop = StopSignal()
    let tokens = try await connection.tokens()
    var crew: [Bot] = []
    for number in 0..<bots {
      crew.append(
        try Bot(
          name: "bot-\(number + 1)", number: number, url: connection.url,
          token: try tokens.token(for: "bot-\(number + 1)", in: RoomName(room)),
          video: video))
    }
    let report = StatusReport()
    report.line("\(bots) bots join room \"\(room)\" at \(connection.url)")
    let outcome = await live(crew, report, stop)
    for bot in crew { await bot.leave() }
    report.finish()
    switch outcome {
    case .stopped: report.line("the bots have left")
    case .ended(let name, let reason):
      report.line("\(name) was disconnected: \(reason)")
      throw ExitCode.failure
    }
  }

  private enum Outcome: Sendable {
    case stopped
    case ended(name: String, reason: String)
  }

  /// Runs until a signal arrives, the time is over or a bot ends.
  private func live(_ crew: [Bot], _ report: StatusReport, _ stop: StopSignal) async -> Outcome {
    await withTaskGroup(of: Outcome.self) { group in
      for bot in crew { group.addTask { .ended(name: bot.name, reason: await bot.run()) } }
      group.addTask {
        await stop.wait()
        return .stopped
      }
      if let duration {
        group.addTask {
          try? await Task.sleep(for: .seconds(duration))
          return .stopped
        }
      }
      let interval = interval
      group.addTask {
        while (try? await Task.sleep(for: .seconds(interval))) != nil {
          var lines: [String] = []
          for bot in crew { lines.append(await bot.status()) }
          report.update(lines)
        }
        return .stopped
      }
      let first = await group.next() ?? .stopped
      group.cancelAll()
      return first
    }
  }
}

extension VideoCodec: ExpressibleByArgument {}
