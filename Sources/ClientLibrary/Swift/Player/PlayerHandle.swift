import RoomCClient
import RoomClient
import RoomMedia
import Synchronization

/// A player of the app.
final class PlayerHandle: Handle {
  let queue: EventQueue
  let player: StreamPlayer
  private let states: StreamDelivery
  private let taken = Mutex<Set<PlayerPart>>([])

  init(_ player: StreamPlayer, on queue: EventQueue) {
    self.player = player
    self.queue = queue
    states = StreamDelivery(on: queue)
  }

  /// Delivers the states of the player.
  func start(_ send: @escaping @Sendable (StreamPlayer.State) -> Void) {
    states.start(player.states()) { if let state = $0 { send(state) } }
  }

  /// Takes the pictures or the sound for a reader.
  /// - Throws: `RC_BUSY` for a second reader: the stream has one.
  func take(_ part: PlayerPart) throws(Refusal) {
    guard taken.withLock({ $0.insert(part).inserted }) else { throw Refusal(RC_BUSY, "the player has a reader already") }
  }

  func close() {
    states.end()
    player.stop()
  }

  static func named(_ handle: OpaquePointer?) throws(Refusal) -> PlayerHandle {
    try HandleTable.shared.find(handle, PlayerHandle.self, "player")
  }
}

/// What a reader of a player takes.
enum PlayerPart { case pictures, sound }

/// The measurements of a player.
struct PlayerReport: Encodable {
  var delayMs: Double
  var bitrate: Int
  var fps: Double
  var width: Int
  var height: Int
  var videoCodec: String?
  var audioCodec: String?
  var shown: Int
  var late: Int
  var failed: Int
  var stalls: Int
  var jumps: Int
  var reconnections: Int

  init(_ statistics: StreamPlayer.Statistics) {
    delayMs = statistics.delay.inMilliseconds
    bitrate = statistics.bitrate
    fps = statistics.fps
    width = statistics.width
    height = statistics.height
    videoCodec = statistics.videoCodec
    audioCodec = statistics.audioCodec
    shown = statistics.shown
    late = statistics.late
    failed = statistics.failed
    stalls = statistics.stalls
    jumps = statistics.jumps
    reconnections = statistics.reconnections
  }
}
