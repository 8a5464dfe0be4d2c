import RTMP

/// Somebody who wants to publish to an application that is not the origin's own.
package struct PublishArrival: Sendable {
  package var app: String
  /// The stream's name, without its query.
  package var stream: String
  /// The query of the stream, or else of the connection: it may bear a token.
  package var query: String
  /// The client's address, for logs.
  package var client: String
  /// Ends the publish, from any thread, with words for the client's user.
  package var stop: @Sendable (_ reason: String) -> Void
}

/// Takes what is published to an application: `rtmp://host/{app}/…`. Says who publishes, and what becomes of it.
package struct PublishDoor: Sendable {
  /// Lets a client publish. What it sends meanwhile is held.
  package var open: @Sendable (PublishArrival) async throws(OriginRefusal) -> any PublishSink

  package init(open: @escaping @Sendable (PublishArrival) async throws(OriginRefusal) -> any PublishSink) { self.open = open }
}
