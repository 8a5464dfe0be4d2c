import Foundation
import RoomHTTPServer
public import RoomLiveOrigin
import RoomRTP

/// The app's own servers that receive room events, and the number of events that are kept.
public struct WebhookSettings: Sendable, Hashable {
  /// `http://` or `https://`; each receives every event.
  public var urls: [String] = []
  /// Receivers of the same events in LiveKit's form.
  public var liveKitURLs: [String] = []
  /// The secret that signs deliveries; nil means the secret of the API key.
  public var secret: Secret?
  /// A PEM file of the certificate authorities for `https` receivers; nil means the system's.
  public var trustedCertificates: String?
  /// The time after which a delivery without an answer has failed.
  public var timeout: Duration = .seconds(5)
  /// The age at which an undelivered event is dropped.
  public var longestAge: Duration = .seconds(86_400)
  /// Milliseconds after a first failure; each further failure doubles them, up to `longestWait`.
  public var firstWait: Int64 = 500
  /// Milliseconds.
  public var longestWait: Int64 = 30_000
  /// Deliveries to one webhook at once; a room has one at a time.
  public var concurrent = 16
  /// Events that are kept, for webhooks that lag behind and for `GET /v1/events`.
  public var kept = 50_000

  public init() {}

  /// The validation error; nil if the settings are valid.
  public var validationError: String? {
    for url in allURLs where WebhookAddress(url) == nil {
      return "\(url.shownURL) is not a valid webhook: use http://host/path or https://host/path, without a user name"
    }
    if Set(allURLs).count < allURLs.count { return "a webhook is given twice" }
    if secret?.isEmpty == true { return "the webhooks' secret must not be empty" }
    return nil
  }

  var allURLs: [String] { urls + liveKitURLs }

  var policy: Outbox.Policy {
    Outbox.Policy(
      firstWait: firstWait, longestWait: longestWait, concurrent: concurrent, longestAge: longestAge.milliseconds)
  }
}

extension WebhookSettings: CustomStringConvertible, CustomReflectable {
  /// Without the parts of the URLs that may contain a key.
  public var description: String { "WebhookSettings(\(allURLs.map(\.shownURL)))" }
  public var customMirror: Mirror { Mirror(self, children: ["urls": allURLs.map(\.shownURL)]) }
}
