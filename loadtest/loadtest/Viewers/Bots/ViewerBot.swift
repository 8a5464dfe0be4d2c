import RTMP
import RTP

/// One viewer: a socket, and what is spoken over it. Belongs to its loop's thread.
final class ViewerBot: TCPBot {
  let socket: TCPSocket
  /// When it began to connect.
  let began: Instant
  /// Of a few viewers, whose messages are looked at whole.
  let sample: (any MediaObserver)?
  private(set) var reception = ViewerReception()
  /// Why it gets no more.
  private(set) var failure: String?
  private var player: any StreamPlayer
  private var unsent: [UInt8] = []

  init(_ socket: TCPSocket, _ player: any StreamPlayer, sample: (any MediaObserver)?, now: Instant) {
    self.socket = socket
    self.player = player
    self.sample = sample
    began = now
  }

  /// Whether its first picture is awaited.
  var isInHaste: Bool { reception.firstPicture == nil && failure == nil }

  /// Whether there is something to send that the socket had no room for.
  var hasUnsent: Bool { !unsent.isEmpty && failure == nil }

  /// What came so far; the longest steps are forgotten.
  func takeSteps() -> ViewerReception {
    defer { (reception.audio.longestStep, reception.video.longestStep) = (0, 0) }
    return reception
  }

  /// Sends what there is and fits.
  func send() {
    unsent += player.takeOutput()
    guard !unsent.isEmpty, failure == nil else { return }
    if !socket.send(&unsent) { failure = "the connection is broken" }
  }

  /// Reads what is there, up to a spaceful.
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
