import RoomLiveOrigin
import RoomRTMP

/// A request to publish to an application that the origin does not handle itself.
package struct IncomingPublish: Sendable {
  package var app: String
  /// The stream's name, without its query.
  package var stream: String
  /// The query of the stream, or else of the connection; it may contain a token.
  package var query: String
  package var encoderProtocol: EncoderProtocol
  /// The encoder's address.
  package var client: String
  /// Ends the publish, from any thread, with a message for the client's user.
  package var stop: @Sendable (_ reason: String) -> Void
}

/// The handler of publishes to an application, `rtmp://host/{app}/…`, or the stream id `{app}/…` of SRT. Authorises the
/// publisher and processes its media.
package struct PublishHandler: Sendable {
  /// Throws if a client would be refused now. Returns at once, and changes nothing.
  package var check: @Sendable (IncomingPublish) throws(OriginRefusal) -> Void
  /// Admits a client. The client's messages are buffered meanwhile.
  package var open: @Sendable (IncomingPublish) async throws(OriginRefusal) -> any PublishSink

  package init(
    check: @escaping @Sendable (IncomingPublish) throws(OriginRefusal) -> Void,
    open: @escaping @Sendable (IncomingPublish) async throws(OriginRefusal) -> any PublishSink
  ) {
    self.check = check
    self.open = open
  }
}
