import WebRTC

/// What all bots of a run have in common.
struct BotSettings: Sendable {
  var certificate: Certificate
  var profiles: [SRTPProfile]
  /// Microseconds between transport-wide feedbacks of subscribers; 0 sends none.
  var feedbackInterval: Int64
}

/// Names a bot to commands of its loop. Safe to share: `bot` is set, read and used in commands alone, all of which run on the one
/// thread of the loop that the bot belongs to.
final class BotLink<Bot: AnyObject>: @unchecked Sendable {
  var bot: Bot?
}
