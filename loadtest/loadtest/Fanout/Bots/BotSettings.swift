import RoomWebRTC

/// Settings that all bots of a run share.
struct BotSettings: Sendable {
  var certificate: Certificate
  var profiles: [SRTPProfile]
  /// Interval of the subscribers' transport-wide feedback, in microseconds; 0 sends none.
  var feedbackInterval: Int64
}

/// Refers to a bot in commands of its loop. Safe to share, because `bot` is set, read and used only in commands, all of which
/// run on the thread of the bot's loop.
final class BotLink<Bot: AnyObject>: @unchecked Sendable {
  var bot: Bot?
}
