/// The cost of one program's work in ffmpeg, in cores: seconds of CPU per second of media.
///
/// ffmpeg's start-up cost is excluded: a fraction of a second is measured too, and only the difference counts.
struct BaselineCost: Sendable {
  /// How the work is scheduled.
  enum Pace: Sendable, CaseIterable {
    /// Sequentially, as fast as the machine can.
    case flatOut
    /// As many processes in parallel as there are programs, in real time: the machine is as busy, with as many pauses, as with
    /// a server. If a core's speed depends on the load of its neighbours, this is the value to compare the server with.
    case realTime
  }

  private static let start = 0.5

  let plan: MixPlan
  let clips: [MixClip]

  func measure(_ step: BaselineStep, _ pace: Pace = .flatOut) async throws -> Double {
    let seconds = max(2, pace == .flatOut ? plan.seconds : plan.seconds / 2)
    let files = Array(clips.prefix(plan.sources).map(\.file.path))
    let short = try await FFmpeg.run(step.arguments(plan, files: files, seconds: Self.start))
    let long: Double
    switch pace {
    case .flatOut: long = try await FFmpeg.run(step.arguments(plan, files: files, seconds: seconds))
    case .realTime:
      let arguments = step.arguments(plan, files: files, seconds: seconds, inRealTime: true)
      let sum = try await withThrowingTaskGroup(of: Double.self) { group in
        for _ in 0..<plan.baselinePrograms { group.addTask { try await FFmpeg.run(arguments) } }
        return try await group.reduce(0, +)
      }
      long = sum / Double(plan.baselinePrograms)
    }
    return max(0, long - short) / (seconds - Self.start)
  }
}
