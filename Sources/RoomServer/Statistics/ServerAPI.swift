import RoomHTTPServer

/// The state of the server and its history of one hour, over REST.
struct ServerAPI: Sendable {
  let gauge: ServerGauge
  let history: ServerHistory

  var endpoints: [Endpoint] {
    [
      Endpoint("GET", "/v1/server", access: .api, action: .answer { _, _ in .json(await gauge.read()) }),
      Endpoint("GET", "/v1/server/history", access: .api, action: .answer { _, _ in .json(await history.response) }),
    ]
  }
}
