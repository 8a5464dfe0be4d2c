/// What monitoring and people look at: health, metrics, a page.
struct SystemAPI: Sendable {
  let metrics: MetricsReport

  var endpoints: [Endpoint] {
    [
      Endpoint("GET", "/", access: .open, action: .answer { _, _ in await page() }),
      Endpoint("GET", "/healthz", access: .open, action: .answer { _, _ in .json(API.Health()) }),
      Endpoint(
        "GET", "/metrics", access: .open,
        action: .answer { _, _ in .text(await metrics.text(), type: "text/plain; version=0.0.4; charset=utf-8") }),
      Endpoint("GET", "/v1/signal", access: .open, action: .signalling),
    ]
  }

  private func page() async -> HTTPResponse {
    .text(
      """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <title>roomserver</title>
      <style>body { font: 16px/1.5 system-ui; max-width: 40em; margin: 3em auto; padding: 0 1em }</style>
      <h1>roomserver</h1>
      <p>This server runs: \(await metrics.summary()).</p>
      <ul>
        <li><a href="/healthz">/healthz</a>: whether it serves
        <li><a href="/metrics">/metrics</a>: counters for Prometheus
        <li><code>/v1/rooms</code>, <code>/v1/tokens</code>: the REST API, with an API token
        <li><code>/v1/signal</code>: signalling, over WebSocket
      </ul>

      """, type: "text/html; charset=utf-8")
  }
}
