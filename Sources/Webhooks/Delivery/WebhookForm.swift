import RoomProtocol

/// What the receiver of a webhook gets of an event.
package protocol WebhookForm: Sendable {
  /// Returns the requests that report a stored event, in order; none if the receiver does not get such events.
  /// - Parameter event: the event as JSON, as ``OwnWebhookForm`` sends it.
  /// - Throws: if the event can't be reported yet. The event is tried again.
  func requests(for event: [UInt8]) async throws -> [WebhookRequest]
}

/// One POST to a webhook.
package struct WebhookRequest: Sendable, Equatable {
  package struct Header: Sendable, Equatable {
    package var name: String
    package var value: String
  }

  package var body: [UInt8]
  package var contentType: String
  /// Proves the origin of the body.
  package var proof: Header

  package init(_ body: [UInt8], contentType: String, proof name: String, _ value: String) {
    self.body = body
    self.contentType = contentType
    proof = Header(name: name, value: value)
  }
}

/// The form of this server: each event as it is stored, signed with a secret.
struct OwnWebhookForm: WebhookForm {
  let secret: String

  func requests(for event: [UInt8]) -> [WebhookRequest] {
    let signature = WebhookSignature.sign(event, secret: secret, at: WebhookEvent.now() / 1000)
    return [WebhookRequest(event, contentType: "application/json", proof: WebhookSignature.header, signature)]
  }
}
