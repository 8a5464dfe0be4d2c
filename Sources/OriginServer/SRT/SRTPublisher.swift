import RoomRTMP
import RoomRTP
import RoomSRT
import RoomTransportStream
import Synchronization

/// One encoder that publishes by SRT: its transport stream becomes RTMP messages for a room or for the origin.
final class SRTPublisher: Sendable {
  /// Messages that may wait for the decision of a room.
  private static let backlog = 2000
  /// The time in microseconds without a frame after which the connection is closed.
  private static let silence: Int64 = 10_000_000
  /// The interval in microseconds over which the bitrate is averaged.
  private static let interval: Int64 = 5_000_000
  /// The time in microseconds for which the wanted program may be missing from the stream's table.
  private static let programPatience: Int64 = 5_000_000

  private struct State: Sendable {
    var demuxer: TransportStreamDemuxer
    var messages = StreamMessages()
    var sink: (any PublishSink)?
    var waiting: [MediaMessage] = []
    var isOver = false
    var lastFrame: Instant
    var measured: Instant
    var bytes = 0
    /// Since when the stream's table lacks the wanted program.
    var missing: Instant?
  }

  let connection: SRTConnection
  private let settings: SRTSettings
  private let program: Int?
  private let state: Mutex<State>
  private let ended: @Sendable (_ reason: String) -> Void

  /// - Parameters:
  ///   - program: the number of the program to publish; nil for the first one.
  ///   - ended: called if the stream cannot be accepted.
  init(
    _ connection: SRTConnection, _ settings: SRTSettings, program: Int?, now: Instant,
    ended: @escaping @Sendable (_ reason: String) -> Void
  ) {
    self.connection = connection
    self.settings = settings
    self.program = program
    self.ended = ended
    state = Mutex(State(demuxer: TransportStreamDemuxer(program: program), lastFrame: now, measured: now))
  }

  /// The counters of the transport stream.
  var counters: TransportStreamDemuxer.Counters { state.withLock { $0.demuxer.counters } }

  /// Passes the media to its sink from now on. A connection that is over ends the sink.
  func attach(_ sink: any PublishSink) {
    let isOver = state.withLock { state in
      guard !state.isOver else { return true }
      state.sink = sink
      for message in state.waiting { sink.publish(message) }
      state.waiting = []
      return false
    }
    if isOver { sink.end() }
  }

  /// Takes the bytes of a message.
  func receive(_ bytes: UnsafeRawBufferPointer, now: Instant) {
    let fault = state.withLock { state -> String? in
      guard !state.isOver else { return nil }
      state.bytes += bytes.count
      state.demuxer.receive(bytes)
      var fault: String?
      while let frame = state.demuxer.nextFrame() {
        if case .unsupported(let codec, let isVideo) = frame {
          fault = Self.refusal(of: codec, isVideo: isVideo)
          continue
        }
        if case .program = frame {} else { state.lastFrame = now }
        for message in state.messages.messages(of: frame) { Self.publish(message, &state) }
      }
      return fault ?? check(&state, now)
    }
    if let fault { ended(fault) }
  }

  private static func refusal(of codec: String, isVideo: Bool?) -> String {
    switch isVideo {
    case true?: "the video is \(codec): choose H.264 or HEVC in the encoder"
    case false?: "the audio is \(codec): choose AAC, Opus, MP3 or AC-3 in the encoder"
    case nil: "the program has no picture and no sound: \(codec)"
    }
  }

  private static func publish(_ message: MediaMessage, _ state: inout State) {
    if let sink = state.sink {
      sink.publish(message)
    } else if state.waiting.count < backlog {
      state.waiting.append(message)
    }
  }

  /// Ends a connection that sends nothing to publish.
  func advance(to now: Instant) {
    let fault = state.withLock { $0.isOver ? nil : check(&$0, now) }
    if let fault { ended(fault) }
  }

  private func check(_ state: inout State, _ now: Instant) -> String? {
    if let fault = missingProgram(&state, now) { return fault }
    if now - state.lastFrame > Self.silence {
      if state.demuxer.hasProgram { return "no picture and no sound for 10 s" }
      return state.demuxer.programs == nil ? "the data is no MPEG transport stream" : "the program has no map"
    }
    let elapsed = now - state.measured
    guard elapsed >= Self.interval else { return nil }
    let rate = Int64(state.bytes) * 8_000_000 / elapsed
    (state.measured, state.bytes) = (now, 0)
    return rate > Int64(settings.bitrate) ? "the bitrate of \(rate / 1000) kbit/s exceeds the limit" : nil
  }

  private func missingProgram(_ state: inout State, _ now: Instant) -> String? {
    guard let program, let programs = state.demuxer.programs, !programs.contains(program) else {
      state.missing = nil
      return nil
    }
    let since = state.missing ?? now
    state.missing = since
    guard now - since > Self.programPatience else { return nil }
    let names = programs.prefix(16).map(String.init).joined(separator: ", ")
    return "the stream has no program \(program): \(programs.isEmpty ? "it has none" : "it has \(names)")"
  }

  /// Ends the publish. Further bytes are ignored.
  func end() {
    let sink = state.withLock { state in
      state.isOver = true
      state.waiting = []
      return state.sink.take()
    }
    sink?.end()
  }
}
