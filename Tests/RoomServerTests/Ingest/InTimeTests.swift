import RoomCodecs
import Foundation
import RoomLinux
import RoomMediaTimeLiterals
import RoomRTMP
import RoomRTP
import RoomRelay
import RoomProtocol
import RoomSFU
import Testing
import RoomWebRTC

@testable import RoomServer

/// An encoder's stream with a flash and a beep each second, through a media worker to a program.
@Suite("synchronisation of an ingested stream")
struct InTimeTests {
  /// Returns pictures that are white for one frame each second, and a tone of 100 ms that starts with each.
  private func flashes(seconds: Int) throws -> [MediaMessage] {
    try EncodedStream.messages(
      ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "0", "-g", "15", "-pix_fmt", "yuv420p", "-c:a", "aac", "-b:a", "96k"],
      inputs: [
        "-f", "lavfi", "-i",
        "color=black:s=160x90:r=15:d=\(seconds),geq=lum='if(eq(mod(N\\,15)\\,0)\\,235\\,16)':cb=128:cr=128", "-f", "lavfi",
        "-i",
        "aevalsrc='if(lt(mod(t\\,1)\\,0.1)\\,0.5*sin(2*PI*1000*t)\\,0)':s=44100:d=\(seconds)",
      ])
  }

  @Test("a flash and its beep are within 20 ms of each other in a program's input")
  func together() async throws {
    let messages = try flashes(seconds: 4)
    let plane = try MediaPlane(.init(workers: 1))
    try plane.start()
    defer { plane.stop() }
    let room = plane.openRoom { _ in }
    let pipe = try IngestPipe()
    let clock = SharedClock()
    var readers: [TrackReader] = []
    var pictures: [(data: EncodedFrame, time: MediaTime)] = []
    var sounds: [(data: EncodedFrame, time: MediaTime)] = []
    func poll() {
      for reader in readers {
        reader.poll(now: .now) { output in
          guard case .frame(let frame, let format, let time) = output else { return }
          if format.isVideo { pictures.append((frame, time)) } else { sounds.append((frame, time)) }
        }
      }
    }

    let start = ContinuousClock.now
    for message in messages {
      let due = start + .milliseconds(Int(message.timestamp))
      while ContinuousClock.now < due {
        poll()
        try await Task.sleep(for: .milliseconds(2))
      }
      let wall = Int64(Date().timeIntervalSince1970 * 1_000_000)
      guard
        let request = try pipe.take(
          message, now: .now, wall: wall, transcode: { _, _ in preconditionFailure("H.264 without B-frames passes") })
      else { continue }
      let id = MediaTrackID(request.kind == .video ? 1 : 2)
      let injection = room.inject(
        id, parameters: RTPParameters(mid: "", kind: request.kind == .video ? .video : .audio, codecs: [request.codec]))
      let tap = TrackTap(capacity: TrackTap.videoBytes)
      room.tap(id, with: tap)
      readers.append(TrackReader(tap, participant: clock))
      _ = await plane.counters()
      pipe.begin(request.kind, injection)
    }
    for _ in 0..<50 where pictures.count < 58 {
      try await Task.sleep(for: .milliseconds(10))
      poll()
    }
    #expect(pictures.count >= 55)

    let decoder = try H264Decoder()
    var flashes: [Int64] = []
    for (frame, time) in pictures {
      guard let picture = try decoder.decode(frame.data, timestamp: 0) else { continue }
      if picture.withPlanes({ $0.y[0] }) > 128 { flashes.append(time.microseconds) }
    }
    let opus = try OpusDecoder(channels: 1)
    var beeps: [Int64] = []
    var quiet = 4800
    for (frame, time) in sounds {
      for (index, sample) in try opus.decode(frame.data).enumerated() {
        if abs(Int(sample)) < 3000 {
          quiet += 1
        } else {
          if quiet >= 4800 { beeps.append(time.microseconds + Int64(index) * 1_000_000 / 48_000) }
          quiet = 0
        }
      }
    }
    #expect(flashes.count == 4 && beeps.count == 4)
    let apart = zip(flashes, beeps).map { ($1 - $0) / 1000 }
    #expect(apart.allSatisfy { abs($0) <= 20 }, "\(apart) ms")
    #expect(pipe.tally.lost == 0 && pipe.tally.malformed == 0)
  }
}
