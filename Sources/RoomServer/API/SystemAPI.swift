import RoomHTTPServer

/// The endpoints of monitoring, health and metrics, and the start of signalling.
struct SystemAPI: Sendable {
  let metrics: MetricsReport

  static let metricsPath: [Endpoint.Segment] = [.named("metrics")]

  var endpoints: [Endpoint] {
    [
      Endpoint("GET", "/healthz", access: .open, action: .answer { _, _ in .json(API.Health()) }),
      Endpoint(
        "GET", "/metrics", access: .open,
        action: .answer { _, _ in .text(await metrics.text(), type: "text/plain; version=0.0.4; charset=utf-8") }),
      Endpoint("GET", "/v1/signal", access: .open, action: .signalling()),
    ]
  }
}
