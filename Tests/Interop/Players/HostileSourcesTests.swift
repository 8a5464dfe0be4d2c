import Foundation
import NIOCore
import NIOPosix
import RoomMediaReader
import RoomPeers
import RoomRTMP
import RoomTestSupport
import Testing

@testable import RoomServer

@Suite("Sources of players that are broken or hostile", .enabled(if: NginxFiles.isInstalled))
struct HostileSourcesTests {
  /// What became of a source.
  private enum Outcome: Hashable {
    /// It played to its end, or long enough.
    case played
    case refused(String)
    /// The process has ended without a word, as after a fault of libavformat.
    case crashed
    case silent
  }

  private final class Reading: Sendable {
    private let loop = MultiThreadedEventLoopGroup.singleton.next()
    private let state = Shared<(outcome: Outcome?, messages: Int)>((nil, 0))
    private let reader = Shared<NIOLoopBound<ReaderProcess>?>(nil)

    /// Reads a source for some seconds at most. Returns what became of it, and the memory that the process has used, in KiB.
    func run(_ source: ReaderPlan.Source) async throws -> (Outcome, memory: Int) {
      let plan = ReaderPlan(source, networks: ["127.0.0.1/32"], patience: 4)
      let process = try await loop.submit { [self] in
        let reader = try ReaderProcess(plan, program: Program.built("roomserver").path, on: loop) { [weak self] in
          self?.handle($0)
        }
        self.reader.withLock { $0 = NIOLoopBound(reader, eventLoop: loop) }
        return reader.process
      }.get()
      let outcome: Outcome? = try? await eventually("an outcome", within: .seconds(12)) { () -> Outcome? in
        state.withLock { $0.outcome }
      }
      let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
      let memory = status.firstMatch(of: /VmHWM:\s+(\d+)/).flatMap { Int($0.1) } ?? 0
      try await loop.submit { [self] in reader.withLock { $0.take() }?.value.stop() }.get()
      return (outcome ?? .silent, memory)
    }

    private func handle(_ event: ReaderProcess.Event) {
      let outcome: Outcome? =
        switch event {
        case .message(let message):
          switch ReaderReport(message) {
          case .ended: .played
          case .failed(let reason): .refused(reason)
          default: nil
          }
        case .pause: nil
        case .over: .crashed
        }
      let isDone = state.withLock { state in
        state.messages += 1
        if state.outcome == nil { state.outcome = outcome ?? (state.messages > 5000 ? .played : nil) }
        return state.outcome != nil
      }
      if case .pause = event, !isDone { reader.withLock { $0 }?.value.read() }
    }
  }

  @Test("200 mutated files end with a sentence, in bounded memory, and take nothing else along")
  func mutated() async throws {
    let files = try await NginxFiles()
    let kinds: [(name: String, video: [String], sound: [String])] = [
      ("seed.mp4", Film.passing, ["-c:a", "aac"]), ("seed.mkv", ["-c:v", "libx264", "-bf", "2"], ["-c:a", "libopus"]),
      ("seed.webm", ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"], ["-c:a", "libvorbis"]),
      ("seed.ts", Film.passing, ["-c:a", "mp2"]), ("seed.flv", Film.passing, ["-c:a", "aac"]),
    ]
    var generator = SeededGenerator(seed: 34)
    var sources: [ReaderPlan.Source] = []
    for kind in kinds {
      let seed = files.folder.appending(path: kind.name)
      try await Film.make(seed, seconds: 1, video: kind.video, sound: kind.sound)
      let bytes = [UInt8](try Data(contentsOf: seed))
      for number in 0..<40 {
        var mutated = bytes
        // Headers decide what the rest means: half of the changes are there.
        let area = number % 2 == 0 ? min(2048, mutated.count) : mutated.count
        for _ in 0..<Int.random(in: 1...30, using: &generator) {
          mutated[Int.random(in: 0..<area, using: &generator)] = UInt8.random(in: .min ... .max, using: &generator)
        }
        if number % 10 == 9 { mutated.removeLast(Int.random(in: 1..<mutated.count, using: &generator)) }
        let name = "\(number)-\(kind.name)"
        try Data(mutated).write(to: files.folder.appending(path: name))
        sources.append(number % 4 == 0 ? .url(files.url(name)) : .file(files.folder.appending(path: name).path))
      }
    }
    #expect(sources.count == 200)
    let results = try await withThrowingTaskGroup(of: (ReaderPlan.Source, Outcome, Int).self) { group in
      var results: [(ReaderPlan.Source, Outcome, Int)] = []
      for (number, source) in sources.enumerated() {
        if number >= 3, let result = try await group.next() { results.append(result) }
        group.addTask {
          let (outcome, memory) = try await Reading().run(source)
          return (source, outcome, memory)
        }
      }
      for try await result in group { results.append(result) }
      return results
    }
    let outcomes = Dictionary(results.map { ($0.1, 1) }, uniquingKeysWith: +)
    let memory = results.map(\.2).max() ?? 0
    print("200 sources: \(outcomes), at most \(memory) KiB")
    #expect(outcomes[.silent] == nil, "\(results.filter { $0.1 == .silent })")
    #expect(outcomes.keys.allSatisfy { $0 != .refused("") })
    #expect(memory < 400_000, "KiB")
    #expect((outcomes[.played] ?? 0) > 20 && outcomes.count > 2)
  }
}
