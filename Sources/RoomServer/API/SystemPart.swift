import RoomCLinux
import RoomHTTPServer

/// The endpoints of health and metrics.
struct SystemPart: ServerPart {
  private let assembly: Assembly

  static func start(in assembly: Assembly) async throws(StartError) -> Self { Self(assembly: assembly) }

  static let metricsPath: [Endpoint.Segment] = [.named("metrics")]

  var endpoints: [Endpoint] {
    [
      Endpoint("GET", "/healthz", access: .open, action: .answer { _, _ in .json(API.Health()) }),
      Endpoint(
        "GET", "/metrics", access: .open,
        action: .answer { [assembly] _, _ in
          .text(await assembly.metrics(), type: "text/plain; version=0.0.4; charset=utf-8")
        }),
    ]
  }

  func addMetrics(to text: inout PrometheusText) async {
    text.add("process_open_fds", .gauge, "Open file descriptors.", linux_open_descriptors())
    text.add("process_resident_memory_bytes", .gauge, "Resident memory.", linux_resident_bytes())
    text.add("process_cpu_seconds_total", .counter, "User and system time of this process.", ProcessClock.seconds)
  }
}
