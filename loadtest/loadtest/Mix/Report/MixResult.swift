/// The result of one measurement. CPU is in cores: seconds, user and system, per second of media. The JSON names are those of
/// `CodingKeys`.
struct MixResult: Codable, MeasurementReport {
  var programs: Int
  var sources: Int
  /// Whether all programs show the same sources.
  var isShared: Bool
  /// Whether the programs are rooms of one PK that send one picture. The ratios then compare all of them with one program of ffmpeg.
  var isPK = false
  /// Width and height of the programs and of the sources.
  var size: String
  var sourceSize: String
  var fps: Int
  /// Video bitrate of a program, in kbps.
  var kilobits: Int
  /// Length of the measurement window, in seconds.
  var seconds: Double

  /// Parts of one program's baseline cost, by the names of ``BaselineStep``, measured before the server.
  var steps: [String: Double]
  /// The baseline cost of one program, before and after the server.
  var bareBefore: Double
  var bareAfter: Double
  /// Mean of the two.
  var bare: Double
  /// The same with as many processes in parallel as there are programs, in real time.
  var realTimeBefore: Double
  var realTimeAfter: Double
  var realTime: Double

  /// CPU of the whole server; nil if its process is unknown.
  var cores: Double?
  /// The server's CPU per program.
  var coresPerProgram: Double?
  /// The part of it, per program, that the server used before any program ran: the publishers' packets.
  var roomsPerProgram: Double?
  /// Percentage of the server's CPU time spent in the kernel.
  var systemPercent: Double?
  /// The server's CPU per program relative to the baseline cost, and relative to the baseline cost in real time.
  var ratio: Double?
  var ratioToRealTime: Double?
  /// Number of programs that one core runs in real time.
  var programsPerCore: Double?

  /// Each program's mean frame rate, as sent.
  var programFPS: [Double]
  /// Frames encoded and skipped within the window, all programs together; nil if the server does not report them.
  var frames: Int64?
  var skipped: Int64?
  /// Tracks that the server decoded, and the number of program inputs that used them.
  var decodedTracks: Int64?
  var decodedUses: Int64?
  /// Video frames and audio packets decoded within the window.
  var decoded: Int64?
  var undecodable: Int64?
  /// Source frames that the transports refused.
  var refused: Int

  /// CPU of the publishers, as a percentage of one core, and of all processes other than the publishers and the server.
  var botsPercent: Double
  var othersPercent: Double?
  var residentMegabytes: Double?

  enum CodingKeys: String, CodingKey {
    case programs, sources
    case isShared = "shared"
    case isPK = "pk"
    case size
    case sourceSize = "source_size"
    case fps
    case kilobits = "kbps"
    case seconds
    case steps = "bare_steps"
    case bareBefore = "bare_cores_before"
    case bareAfter = "bare_cores_after"
    case bare = "bare_cores"
    case realTimeBefore = "bare_real_time_cores_before"
    case realTimeAfter = "bare_real_time_cores_after"
    case realTime = "bare_real_time_cores"
    case cores = "server_cores"
    case coresPerProgram = "server_cores_per_program"
    case roomsPerProgram = "rooms_cores_per_program"
    case systemPercent = "cpu_system_percent"
    case ratio = "ratio_to_bare"
    case ratioToRealTime = "ratio_to_bare_real_time"
    case programsPerCore = "programs_per_core"
    case programFPS = "program_fps"
    case frames
    case skipped = "skipped_frames"
    case decodedTracks = "decoded_tracks"
    case decodedUses = "decoded_uses"
    case decoded
    case undecodable
    case refused = "refused_source_frames"
    case botsPercent = "bots_cpu_percent"
    case othersPercent = "others_cpu_percent"
    case residentMegabytes = "rss_mb"
  }

  /// Whether the server did all of its work. A server that skips work is cheap, so its figures do not count.
  var isValid: Bool {
    programFPS.count == programs && programFPS.allSatisfy { $0 >= Double(fps) * 0.97 } && (skipped ?? 0) == 0
      && (undecodable ?? 0) == 0 && refused == 0
  }
}

extension MixResult {
  init(
    _ plan: MixPlan, _ source: MixClip.Settings, steps: [BaselineStep: Double], _ bare: MixRun.Baseline,
    _ realTime: MixRun.Baseline,
    _ served: MixRun.Served
  ) {
    let window = served.window
    let cores = window.serverPercent.map { $0 / 100 }
    let perProgram = cores.map { $0 / Double(plan.programs) }
    let metrics = window.metrics?.last.values
    func growth(_ name: String) -> Int64? {
      guard let now = metrics?["roomserver_mix_\(name)"], let then = window.metrics?.first.values["roomserver_mix_\(name)"]
      else { return nil }
      return now - then
    }
    self.init(
      programs: plan.programs, sources: plan.sources, isShared: plan.isShared, isPK: plan.isPK,
      size: "\(plan.width)x\(plan.height)",
      sourceSize: "\(source.width)x\(source.height)", fps: plan.fps, kilobits: plan.videoKilobits, seconds: window.seconds,
      steps: Dictionary(uniqueKeysWithValues: steps.map { ($0.key.rawValue, $0.value) }), bareBefore: bare.before,
      bareAfter: bare.after, bare: bare.mean, realTimeBefore: realTime.before, realTimeAfter: realTime.after,
      realTime: realTime.mean, cores: cores, coresPerProgram: perProgram,
      roomsPerProgram: served.alone.serverPercent.map { $0 / 100 / Double(plan.programs) },
      systemPercent: window.systemPercent,
      ratio: Self.quotient(plan.isPK ? cores : perProgram, bare.mean),
      ratioToRealTime: Self.quotient(plan.isPK ? cores : perProgram, realTime.mean),
      programsPerCore: Self.quotient(1, perProgram),
      programFPS: served.fps.sorted { $0.key < $1.key }.map { Double($0.value.reduce(0, +)) / Double(max(1, $0.value.count)) },
      frames: growth("frames_total"), skipped: growth("skipped_frames_total"),
      decodedTracks: metrics?["roomserver_mix_decoded_tracks"],
      decodedUses: metrics?["roomserver_mix_decoded_uses"], decoded: growth("decoded_total"),
      undecodable: growth("undecodable_total"), refused: served.refused, botsPercent: window.botsPercent,
      othersPercent: window.othersPercent,
      residentMegabytes: window.residentMegabytes)
  }

  private static func quotient(_ value: Double?, _ divisor: Double?) -> Double? {
    guard let value, let divisor, divisor > 0 else { return nil }
    return value / divisor
  }
}
