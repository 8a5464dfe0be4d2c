/// The result of one measurement of one server. The JSON names are those of `CodingKeys`.
///
/// All costs are the server's CPU, user and kernel, of all threads.
struct CrowdResult: MeasuredResult {
  var target: String
  var people: Int

  /// Number of joins measured with the room nearly full and the cost of one of them; then the cost averaged over all joins.
  var joins = 0
  var joinMilliseconds = 0.0
  var meanJoinMilliseconds = 0.0
  /// Client-side time of the final joins, from the start of the connection to the response.
  var joinTimeP50 = 0.0
  /// Size of the last `join` response, in bytes.
  var joinAnswerBytes = 0

  var messages = 0
  /// Messages received and messages missing, over all receivers.
  var deliveries = 0
  var missingDeliveries = 0
  var deliveryMicroseconds = 0.0

  var publishes = 0
  /// Cost of a publish without subscribers.
  var publishMilliseconds = 0.0
  var unpublishMilliseconds = 0.0

  var losses = 0
  var lossMilliseconds = 0.0
  var resumeMilliseconds = 0.0
  var leaves = 0
  var leaveMilliseconds = 0.0

  /// Offers caused by one publish, and offers missing.
  var offers = 0
  var missingOffers = 0
  var subscribeMilliseconds = 0.0
  var publishWithOffersMilliseconds = 0.0
  /// The cost that an offer adds to a publish.
  var offerMicroseconds = 0.0

  /// CPU of the idle server with all participants, as a percentage of one core.
  var idlePercent = 0.0
  /// CPU of all processes other than the server and the bots, as a percentage of one core.
  var othersPercent = 0.0
  var residentMegabytes = 0.0
  var kilobytesPerPerson = 0.0
  /// The reason why a connection ended unexpectedly.
  var failure: String?

  init(target: String, people: Int) {
    self.target = target
    self.people = people
  }

  /// Whether everyone received everything.
  var isValid: Bool { missingDeliveries == 0 && missingOffers == 0 && failure == nil }

  enum CodingKeys: String, CodingKey {
    case target, people, joins, messages, deliveries, publishes, losses, leaves, offers, failure
    case joinMilliseconds = "join_cpu_ms"
    case meanJoinMilliseconds = "join_cpu_ms_mean"
    case joinTimeP50 = "join_ms_p50"
    case joinAnswerBytes = "join_answer_bytes"
    case missingDeliveries = "missing_deliveries"
    case deliveryMicroseconds = "cpu_us_per_delivery"
    case publishMilliseconds = "publish_cpu_ms"
    case unpublishMilliseconds = "unpublish_cpu_ms"
    case lossMilliseconds = "loss_cpu_ms"
    case resumeMilliseconds = "resume_cpu_ms"
    case leaveMilliseconds = "leave_cpu_ms"
    case missingOffers = "missing_offers"
    case subscribeMilliseconds = "subscribe_cpu_ms"
    case publishWithOffersMilliseconds = "publish_with_offers_cpu_ms"
    case offerMicroseconds = "cpu_us_per_offer"
    case idlePercent = "idle_cpu_percent"
    case othersPercent = "others_cpu_percent"
    case residentMegabytes = "rss_mb"
    case kilobytesPerPerson = "kb_per_person"
  }
}
