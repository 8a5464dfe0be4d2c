import RoomEngine
import RoomHTTPServer
import RoomLinux

/// The alarms of the server.
struct AlarmsPart: ServerPart {
  private let watch: AlarmWatch
  private let mixes: MixDirectory
  private let watching = Guarded<Task<Void, Never>?>(nil)

  static func start(in assembly: Assembly) async throws(StartError) -> Self {
    let ground = assembly.ground
    let watch = AlarmWatch(
      history: try await assembly.part(HistoryPart.self).history,
      recordings: ground.configuration.relay.recordings?.directory, log: ground.log
    ) { [assembly] readings in await assembly.read(into: &readings) }
    return Self(watch: watch, mixes: try await assembly.part(RoomsPart.self).directory.mixes)
  }

  var endpoints: [Endpoint] { AlarmsAPI(alarms: watch).endpoints }

  func addMetrics(to text: inout PrometheusText) async {
    let (load, mixes) = (await watch.load, mixes.totals)
    text.add(
      "roomserver_load_ratio", .gauge, "The share in use of each resource, 0 to 1.", label: "resource",
      [
        ("media", load.media), ("mixes", mixes.limit > 0 ? mixes.budget.used / mixes.limit : 0), ("memory", load.memory),
        ("processors", load.processors),
      ])
    let active = await watch.report.active
    let series = Alarm.Kind.allCases.flatMap { kind in Alarm.Severity.allCases.map { (kind, $0) } }
    text.add(
      "roomserver_alarms", .gauge, "Active alarms, by kind and severity.", labels: ("kind", "severity"),
      series.map { kind, severity in
        (kind.rawValue, severity.rawValue, active.count { $0.subject.kind == kind && $0.severity == severity })
      })
  }

  /// The first reading is complete: all parts have started.
  func serve(at addresses: ServerAddresses) async {
    watching.withLock { [watch] in $0 = Task { await watch.run() } }
  }

  /// Ends the readings: after the end of the threads of mixes a reading would never return.
  func quiesce() async {
    let task = watching.withLock { $0 }
    task?.cancel()
    await task?.value
  }
}
