/// The result of one measurement of one server. The JSON names are those of `CodingKeys`.
///
/// Times are in milliseconds from the start of a join, before its connection is opened.
struct FirstPictureResult: MeasuredResult {
  var target: String
  /// Joins per second.
  var rate: Double
  var joins: Int
  /// Joins without a picture, and the reason of one of them.
  var failures: Int
  var failure: String?

  /// The server answered the join.
  var joined: Spread
  /// The server's offer with the video was answered.
  var offered: Spread
  /// ICE and DTLS were complete.
  var connected: Spread
  /// The video's first packet arrived.
  var packet: Spread
  /// The video's first key frame was complete.
  var keyFrame: Spread
  /// The first picture was decoded.
  var pictureP50: Double
  var pictureP95: Double
  var pictureP99: Double

  /// The server's CPU as a percentage of one core; nil if the server's process is unknown.
  var cpuPercent: Double?
  var botsPercent: Double
  /// CPU of all processes other than the server and the bots, as a percentage of one core: shows how quiet the machine was.
  var othersPercent: Double?
  /// How late joins and the publisher's pictures were because this machine was busy, p99 in milliseconds.
  var joinLateness: Double
  var publisherLateness: Double
  /// Videos that started with a key frame that the server already had.
  var startsFromRing: Int64?
  /// Key frame requests to the publisher.
  var keyFrameRequests: Int64?

  /// Percentiles of a time.
  struct Spread: Codable, Sendable {
    var p50: Double
    var p95: Double
    var p99: Double

    init(_ values: [Double]) {
      p50 = values.quantile(0.5) ?? 0
      p95 = values.quantile(0.95) ?? 0
      p99 = values.quantile(0.99) ?? 0
    }
  }

  enum CodingKeys: String, CodingKey {
    case target, rate, joins, failures, failure
    case joined = "joined_ms"
    case offered = "offered_ms"
    case connected = "connected_ms"
    case packet = "packet_ms"
    case keyFrame = "key_frame_ms"
    case pictureP50 = "picture_ms_p50"
    case pictureP95 = "picture_ms_p95"
    case pictureP99 = "picture_ms_p99"
    case cpuPercent = "cpu_percent"
    case botsPercent = "bots_cpu_percent"
    case othersPercent = "others_cpu_percent"
    case joinLateness = "join_late_ms_p99"
    case publisherLateness = "publisher_late_ms_p99"
    case startsFromRing = "starts_from_ring"
    case keyFrameRequests = "key_frame_requests"
  }

  /// Whether everybody saw a picture.
  var isValid: Bool { failures == 0 }
}

extension FirstPictureResult {
  /// Computes the result of a window.
  /// - Parameter publisher: how late the publisher's pictures were, in milliseconds.
  init(_ plan: FirstPicturePlan, _ target: String, _ visits: [Visit], _ window: Window<Void>, publisher: [Double]) {
    func spread(_ step: (Visit) -> Double?) -> Spread { Spread(visits.compactMap(step)) }
    func growth(_ name: String) -> Int64? {
      window.metrics.flatMap { first, last in
        last.values["roomserver_media_\(name)_total"].map { $0 - (first.values["roomserver_media_\(name)_total"] ?? 0) }
      }
    }
    let picture = spread(\.picture)
    let failures = visits.compactMap(\.failure)
    self.init(
      target: target, rate: plan.rate, joins: visits.count, failures: failures.count, failure: failures.first,
      joined: spread(\.joined), offered: spread(\.offered), connected: spread(\.connected), packet: spread(\.packet),
      keyFrame: spread(\.keyFrame), pictureP50: picture.p50, pictureP95: picture.p95, pictureP99: picture.p99,
      cpuPercent: window.serverPercent, botsPercent: window.botsPercent, othersPercent: window.othersPercent,
      joinLateness: visits.map(\.lateness).quantile(0.99) ?? 0, publisherLateness: publisher.quantile(0.99) ?? 0,
      startsFromRing: growth("starts_from_ring"), keyFrameRequests: growth("key_frame_requests_sent"))
  }
}
