/// What the work of one program costs ffmpeg, in cores: seconds of CPU for a second of media.
///
/// What ffmpeg needs to start is none of it: a fraction of a second is measured too, and the difference counts.
struct BareCost: Sendable {
  /// How the work is done.
  enum Pace: Sendable, CaseIterable {
    /// One after the other, as fast as the machine can.
    case flatOut
    /// As many at once as there are programs, in real time: as busy a machine, with as many pauses, as that of a server. Where a core's
    /// pace depends on what its neighbours do, this is what the server is to be compared with.
    case realTime
  }

  private static let start = 0.5

  let plan: MixPlan
  let clips: [MixClip]

  func measure(_ step: BareStep, _ pace: Pace = .flatOut) async throws -> Double {
    let seconds = max(2, pace == .flatOut ? plan.seconds : plan.seconds / 2)
    let files = Array(clips.prefix(plan.sources).map(\.file.path))
    let short = try await FFmpeg.run(step.arguments(plan, files: files, seconds: Self.start))
    let long: Double
    switch pace {
    case .flatOut: long = try await FFmpeg.run(step.arguments(plan, files: files, seconds: seconds))
    case .realTime:
      let arguments = step.arguments(plan, files: files, seconds: seconds, inRealTime: true)
      let sum = try await withThrowingTaskGroup(of: Double.self) { group in
        for _ in 0..<plan.programs { group.addTask { try await FFmpeg.run(arguments) } }
        return try await group.reduce(0, +)
      }
      long = sum / Double(plan.programs)
    }
    return max(0, long - short) / (seconds - Self.start)
  }
}
