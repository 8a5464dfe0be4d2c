/// When the steps of one join were complete, in milliseconds after its start.
struct Visit: Sendable {
  /// How late the join began because this machine was busy.
  var lateness = 0.0
  /// The server answered the join.
  var joined: Double?
  /// The server's offer with the video was answered.
  var offered: Double?
  /// ICE and DTLS were complete.
  var connected: Double?
  /// The video's first packet arrived.
  var packet: Double?
  /// The last packet of the video's first key frame arrived.
  var keyFrame: Double?
  /// The first picture was decoded.
  var picture: Double?
  /// Why there was no picture.
  var failure: String?
}
