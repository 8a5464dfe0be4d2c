import Foundation
import RoomRTP
import RoomStreaming

/// Pushes a test picture and a tone to a live server until the push ends.
func push(to url: String, token: String?, preset: VideoPreset = .medium1) async throws {
  let session = try StreamingSession(
    StreamingSetup(video: preset.configuration()),
    options: StreamingOptions(reconnects: .default, minBitrate: 200_000, isFrameRateDynamic: true))
  let events = session.events
  try await session.start(url, token: token)
  async let _: Void = feed(session, preset.configuration().settings)
  await report(events)
}

/// Prints what the session reports until the push is over.
func report(_ events: AsyncStream<StreamingEvent>) async {
  for await event in events {
    switch event {
    case .state(.error, let failure): return print("over: \(failure?.description ?? "")")
    case .state(.disconnected, _): return
    case .state(let state, let failure): print(state, failure?.description ?? "")
    case .status(let status):
      print("\(Int(status.videoFPS)) fps, \(status.videoKilobits) kbit/s, \(status.queued) ms wait for the network")
    }
  }
}

/// Makes pictures and sound as a camera and a microphone do.
private func feed(_ session: StreamingSession, _ settings: VideoEncoderSettings) async {
  guard let pattern = try? TestPattern(width: settings.width, height: settings.height) else { return }
  var tone = ToneGenerator(frequency: 440)
  let began = ContinuousClock.now
  for number in 0... {
    let time = MediaTime(ticks: Int64(number), rate: Int64(settings.fps))
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    if let frame = try? pattern.frame(number: number, milliseconds: now, timestamp: time) { session.push(frame) }
    let samples = tone.next(48_000 / settings.fps)
    session.push(AudioFrame(samples: samples, format: .mono48k, timestamp: time))
    let next = Duration.seconds(Double(number + 1) / Double(settings.fps))
    guard (try? await Task.sleep(until: began + next)) != nil else { return }
  }
}

/// Pushes one camera and one microphone to a live server and into a room at once.
func pushBeside(_ room: Room, _ session: StreamingSession, to url: String) async throws {
  let (microphone, camera) = try await room.publish()
  session.share(camera: camera, microphone: microphone)
  try await session.start(url)
}

/// Shows the other participants of a room at the right edge of the pushed picture, and adds their sound.
func showOthers(of room: Room, in session: StreamingSession) throws {
  var mix = StreamingMix(width: 720, height: 1280)
  for (index, track) in room.remoteTracks.filter({ $0.kind == .video }).prefix(3).enumerated() {
    mix.pictures.append(.init(track, in: .init(x: 500, y: 40 + index * 300, width: 200, height: 280)))
  }
  mix.sounds = room.remoteTracks.filter { $0.kind == .audio }
  try session.setMix(mix)
}

/// Follows a change of the network only if the user agrees.
func cautiousSetup(ask: @escaping @Sendable (String) async -> Bool) -> StreamingSetup {
  StreamingSetup(networkChange: .ask { change in await ask("\(change.from) is now \(change.to)") })
}
