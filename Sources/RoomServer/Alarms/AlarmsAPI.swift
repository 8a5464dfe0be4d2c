import RoomHTTPServer

/// The alarms over REST.
struct AlarmsAPI: Sendable {
  let alarms: AlarmWatch

  var endpoints: [Endpoint] {
    [Endpoint("GET", "/v1/alarms", access: .api, action: .answer { _, _ in .json(await alarms.report) })]
  }
}
