import RoomWebRTC

/// The parameters of a measurement, the same for every server.
struct FanoutPlan: Sendable {
  var subscribers = 200
  var publishers = 1
  /// Length of the measurement window, in seconds.
  var seconds = 20.0
  /// Video bitrate of each publisher, in kbps.
  var kbps = 1000
  var profile = FanoutProfile.gcm
  var seed: UInt64 = 1
  /// Number of concurrent joins: few, so that a join's time is the server's and not that of the bots' own queue.
  var joinsAtOnce = 2
  /// Number of threads that run subscribers.
  var threads = 1
  /// Interval of a subscriber's transport-wide feedback, in milliseconds; 0 sends none.
  var feedback = 0

  /// Number of streams that all subscribers should receive in total: audio and video of each publisher.
  var streams: Int { subscribers * publishers * 2 }
}

/// The SRTP profile that the bots offer.
enum FanoutProfile: String, Sendable, CaseIterable {
  /// AEAD_AES_128_GCM.
  case gcm
  /// AES_CM_128_HMAC_SHA1_80.
  case cm

  var profiles: [SRTPProfile] { self == .gcm ? [.aeadAES128GCM] : [.aesCM128HMACSHA1_80] }
}
