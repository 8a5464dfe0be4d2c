import RoomCLinux
import Foundation
import RoomRTMP
import RoomRTP
import Synchronization

/// Publishes a clip over RTMP in a loop, at the rate of its timestamps, on a thread of its own.
final class StreamPublisher: Sendable {
  /// The publisher's progress.
  struct Progress: Sendable {
    /// When the message with timestamp 0 was due; nil before publishing starts.
    var epoch: Instant?
    /// Frames sent, and bytes of their payload.
    var frames = 0
    var payload = 0
    /// The reason why publishing stopped.
    var failure: String?
  }

  private struct State {
    var progress = Progress()
    var isOver = false
    var hasEnded = false
  }

  private let state = Mutex(State())
  private let clip: LiveClip

  /// Starts at once.
  init(_ clip: LiveClip, to address: RTMPAddress) {
    self.clip = clip
    let thread = Thread { [self] in
      linux_thread_name("publish")
      do throws(LoadtestError) {
        let socket = try TCPSocket(host: address.host, port: address.port)
        defer { socket.close() }
        try run(socket, ClientSession(.publish, address, now: TCPBotSet.now))
      } catch {
        state.withLock { $0.progress.failure = "\(error)" }
      }
      state.withLock { $0.hasEnded = true }
    }
    thread.stackSize = 1 << 20
    thread.start()
  }

  var progress: Progress { state.withLock { $0.progress } }

  /// Returns once publishing has started, with the time of timestamp 0.
  func isLive(within seconds: Double) async throws -> Instant {
    let patience = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < patience {
      let progress = progress
      if let failure = progress.failure { throw LoadtestError.refused("the publisher: \(failure)") }
      if let epoch = progress.epoch { return epoch }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw LoadtestError.noMedia("the publisher could not publish within \(seconds) s")
  }

  /// Ends the stream. Returns when the connection is closed.
  func stop() async {
    state.withLock { $0.isOver = true }
    while !state.withLock({ $0.hasEnded }) { try? await Task.sleep(for: .milliseconds(10)) }
  }

  private func run(_ socket: TCPSocket, _ opened: ClientSession) throws(LoadtestError) {
    var session = opened
    var space = [UInt8](repeating: 0, count: 4096)
    var unsent: [UInt8] = []
    var next = 0
    var epoch: Instant?
    while true {
      if state.withLock({ $0.isOver }) { session.end() }
      let now = TCPBotSet.now
      session.advance(to: now)
      if let epoch {
        var (frames, payload) = (0, 0)
        while epoch.advanced(milliseconds: clip.time(of: next)) <= now, session.isActive {
          let message = clip.message(next)
          session.send(message)
          next += 1
          frames += 1
          payload += message.payload.count
        }
        state.withLock { state in
          state.progress.frames += frames
          state.progress.payload += payload
        }
      }
      unsent += session.takeOutput()
      guard socket.send(&unsent) else { throw .server("the connection failed") }
      while let event = session.nextEvent() {
        switch event {
        case .started:
          epoch = TCPBotSet.now
          for header in clip.headers { session.send(MediaMessage(header.kind, timestamp: 0, payload: header.payload)) }
          state.withLock { $0.progress.epoch = epoch }
        case .closed(.ended): return
        case .closed(let failure): throw .refused("\(failure)")
        case .connected, .status, .media, .ended, .reconnectRequested: break
        }
      }
      guard unsent.count < 16 << 20 else { throw .server("the server does not read what is published") }
      wait(socket, until: epoch?.advanced(milliseconds: clip.time(of: next)), toSend: !unsent.isEmpty)
      switch space.withUnsafeMutableBytes({ socket.receive(into: $0) }) {
      case .nothing: break
      case .closed(let reason): throw .server(reason)
      case .bytes(let count):
        space.withUnsafeBytes { session.receive(UnsafeRawBufferPointer(rebasing: $0[..<count]), now: TCPBotSet.now) }
      }
    }
  }

  /// Waits until the socket is readable, writable if there is data to send, or the next message is due; at most 50 ms.
  private func wait(_ socket: TCPSocket, until due: Instant?, toSend: Bool) {
    let microseconds = due.map { max(0, $0 - TCPBotSet.now) } ?? 50_000
    var watched = pollfd(fd: socket.descriptor, events: Int16(POLLIN | (toSend ? POLLOUT : 0)), revents: 0)
    _ = poll(&watched, 1, Int32(min(50, (microseconds + 999) / 1000)))
  }
}
