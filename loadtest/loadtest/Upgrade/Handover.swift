import ArgumentParser
import Foundation
import RoomClient
import RoomMedia
import RoomProtocol
import Synchronization

/// Viewers at an edge of a room while that edge is drained.
struct Handover: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure for how long the pictures of viewers stand still while their edge is drained.",
    discussion: """
      An anchor publishes at the first node, and viewers join through the edge. Prints "measuring" once all of them have pictures. \
      Drain the edge then, and send SIGINT: the command prints a JSON object, and exits with 1 if a viewer was lost. \
      deploy/try-cluster.sh --handover does all of that.
      """)

  @OptionGroup var connection: ConnectionOptions

  @Option(help: "The signalling address of the edge.")
  var edge: String

  @Option(help: "Viewers, 1 to 500.")
  var viewers = 50

  func validate() throws {
    guard (1...500).contains(viewers) else { throw ValidationError("--viewers must be 1 to 500, not \(viewers)") }
  }

  /// What the viewers missed, in milliseconds.
  private struct Report: Encodable {
    var viewers: Int
    /// Viewers that are not connected, or have had no picture for a second.
    var lost: Int
    var p50Ms: Int
    var p95Ms: Int
    var maxMs: Int
  }

  func run() async throws {
    let stop = StopSignal()
    let tokens = try await connection.tokens()
    let stages = try [connection.url, edge].map { url in
      try Stage(signalling: url, rtmpPort: nil, tokens: tokens, network: nil, recorder: Recorder())
    }
    let name = stages[0].name("handover")
    var settings = SignalSource.Settings()
    (settings.width, settings.height, settings.kbps) = (180, 320, 200)
    let source = try SignalSource(settings)
    let anchor = try await stages[0].join(name, as: "anchor")
    try await anchor.publish(source.tracks)
    var pictures: [PictureGaps] = []
    for number in 0..<viewers {
      pictures.append(PictureGaps(try await stages[1].join(name, as: UserID("viewer-\(number)"), grants: .subscribe)))
    }
    while !pictures.allSatisfy(\.hasPictures) { try await Task.sleep(for: .milliseconds(100)) }
    for viewer in pictures { viewer.begin() }
    // Not print, which keeps the line until more follows.
    FileHandle.standardOutput.write(Data("measuring\n".utf8))
    await stop.wait()
    let gaps = pictures.map(\.longest).sorted()
    func percentile(_ percent: Int) -> Int { Int(gaps[min(gaps.count - 1, gaps.count * percent / 100)].milliseconds) }
    let report = Report(
      viewers: viewers, lost: pictures.count { !$0.isAlive }, p50Ms: percentile(50), p95Ms: percentile(95),
      maxMs: percentile(100))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    print(String(decoding: try encoder.encode(report), as: UTF8.self))
    for viewer in pictures { await viewer.room.leave() }
    await anchor.leave()
    guard report.lost == 0 else { throw ExitCode.failure }
  }
}

/// The longest time without a picture of a viewer, which decodes nothing.
private final class PictureGaps: Sendable {
  private static let user: UserID = "anchor"

  let room: Room
  private let gaps = Mutex(Gaps())

  init(_ room: Room) {
    self.room = room
    let events = room.events()
    for track in room.remoteTracks { read(track) }
    Task { [weak self] in
      for await event in events { if case .trackSubscribed(let track) = event { self?.read(track) } }
    }
  }

  private func read(_ track: RemoteTrack) {
    guard track.kind == .video else { return }
    Task { [weak self, frames = track.frames] in
      for await _ in frames { self?.gaps.withLock { $0.received(from: Self.user, at: .now) } }
    }
  }

  var hasPictures: Bool { gaps.withLock { !$0.users.isEmpty } }
  func begin() { gaps.withLock { $0.reset(at: .now) } }
  var longest: Duration { gaps.withLock { $0.longest(at: .now)?.length ?? .zero } }

  /// Whether it is connected, and had a picture in the last second.
  var isAlive: Bool {
    let now = ContinuousClock.now
    let last = gaps.withLock { $0.last(of: Self.user) }
    return room.state == .connected && last.map { now - $0 < .seconds(1) } ?? false
  }
}
