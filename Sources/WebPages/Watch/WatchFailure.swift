import RoomServer

/// Why a viewer of a watch page sees nothing, as the page states it.
enum WatchFailure: String, Codable, Sendable, CaseIterable {
  /// The browser can't decode the stream by any method.
  case codec
  /// No media arrives by any method.
  case network
  /// The room or stream is not shown to the viewer.
  case permission
  /// Nothing is live.
  case offline

  /// The body of `POST /v1/watch-failures`.
  struct Report: Decodable, Sendable {
    var reason: WatchFailure
    /// The path of the page: `{room}` or `{app}/{stream}`.
    var path: String
  }
}
