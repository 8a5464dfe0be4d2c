import WebRTC

/// What is measured, the same for every server.
struct FanoutPlan: Sendable {
  var subscribers = 200
  var publishers = 1
  /// Length of the steady window.
  var seconds = 20.0
  /// Video bits per second of each publisher, in thousands.
  var kbps = 1000
  var profile = FanoutProfile.gcm
  var seed: UInt64 = 1
  /// Joins under way at once: few, so that a join's time is the server's and not the bots' own queue.
  var joinsAtOnce = 2
  /// Threads that run subscribers.
  var threads = 1
  /// Milliseconds between transport-wide feedbacks of a subscriber; 0 sends none.
  var feedback = 0

  /// Streams that all subscribers together should get: audio and video of each publisher.
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
