import RoomRTMP
import RoomRTP

/// One viewer: a socket and the protocol on it. Confined to its loop's thread.
final class ViewerBot: TCPBot {
  let socket: TCPSocket
  /// When the connection attempt started.
  let began: Instant
  /// Set for the few viewers whose messages are checked in full.
  let sample: (any MediaObserver)?
  private(set) var reception = ViewerReception()
  /// The reason why it stopped receiving.
  private(set) var failure: String?
  private var player: any StreamPlayer
  private var unsent: [UInt8] = []

  init(_ socket: TCPSocket, _ player: any StreamPlayer, sample: (any MediaObserver)?, now: Instant) {
    self.socket = socket
    self.player = player
    self.sample = sample
    began = now
  }

  /// Whether the first picture is still outstanding.
  var isInHaste: Bool { reception.firstPicture == nil && failure == nil }

  /// Whether it may have something to send: data that the socket had no room for, or the next request.
  var hasUnsent: Bool { (!unsent.isEmpty || player is HLSPlayer) && failure == nil }

  /// Returns what was received so far and resets the longest steps.
  func takeSteps() -> ViewerReception {
    defer { (reception.audio.longestStep, reception.video.longestStep) = (0, 0) }
    return reception
  }

  /// Sends pending data as far as the socket accepts it.
  func send() {
    player.tick(now: TCPBotSet.now)
    unsent += player.takeOutput()
    guard !unsent.isEmpty, failure == nil else { return }
    if !socket.send(&unsent) { failure = "the connection failed" }
  }

  /// Reads available data, at most `space.count` bytes.
  func read(into space: UnsafeMutableRawBufferPointer, now: Instant) {
    guard failure == nil else { return }
    switch socket.receive(into: space) {
    case .nothing: break
    case .closed(let reason): failure = reason
    case .bytes(let count):
      reception.bytes &+= count
      do throws(ChunkScanner.Failure) {
        try player.receive(UnsafeRawBufferPointer(rebasing: space[..<count]), now: now, into: &reception, sample: sample)
      } catch { failure = error.reason }
    }
    send()
  }
}
