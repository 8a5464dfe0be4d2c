import RTMP

/// Somebody who wants to publish to an application that is not the origin's own.
struct PublishArrival: Sendable {
  var app: String
  /// The stream's name, without its query.
  var stream: String
  /// The query of the stream, or else of the connection: it may bear a token.
  var query: String
  /// The client's address, for logs.
  var client: String
  /// Ends the publish, from any thread, with words for the client's user.
  var stop: @Sendable (_ reason: String) -> Void
}

/// Takes what is published to an application: `rtmp://host/{app}/…`. Says who publishes, and what becomes of it.
struct PublishDoor: Sendable {
  /// Lets a client publish. What it sends meanwhile is held.
  var open: @Sendable (PublishArrival) async throws(OriginRefusal) -> any PublishSink
}
