import Foundation
import RoomRTP
import RoomProtocol
import RoomServer
import roomserver
import RoomTestSupport
import RoomToken
import RoomSFU
import Testing

@testable import RoomClient

/// A server in this process, and clients that join it.
struct Stage {
  static let key = "test"
  static let secret = "0123456789abcdef0123456789abcdef"

  let server: RoomServer
  private let keys: TokenKeys

  init(_ change: (inout ServerConfiguration) -> Void = { _ in }) async throws {
    var configuration = ServerConfiguration(keys: [Self.key: Self.secret])
    configuration.autoCreateRooms = true
    configuration.media.workers = 1
    configuration.limits.joinsPerSecond = 1000
    configuration.limits.joinBurst = 1000
    change(&configuration)
    server = try await RoomServer.start(configuration)
    keys = try TokenKeys([Self.key: Self.secret])
  }

  var url: String { "ws://127.0.0.1:\(server.port)/v1/signal" }

  func token(_ user: UserID, room: RoomName = "hall", grants: Grants = [.publish, .subscribe]) throws -> String {
    try keys.sign(RoomToken(room: room, user: user, grants: grants, expires: Date(timeIntervalSinceNow: 600)), key: Self.key)
  }

  func apiToken() throws -> String {
    try keys.sign(APIToken(key: Self.key, expires: Date(timeIntervalSinceNow: 600)))
  }

  /// Joins a room.
  /// - Parameter port: the port of a relay to the server, if the client does not connect directly.
  func join(
    _ user: UserID, room: RoomName = "hall", grants: Grants = [.publish, .subscribe], options: RoomOptions = .init(),
    over port: Int? = nil
  ) async throws -> Room {
    try await Room.connect(
      to: port.map { "ws://127.0.0.1:\($0)/v1/signal" } ?? url, token: try token(user, room: room, grants: grants),
      options: options)
  }

  /// Joins with the grants for seat 0, if it is free.
  func host(_ user: UserID, room: RoomName = "hall", options: RoomOptions = .init(), over port: Int? = nil) async throws -> Room
  {
    try await join(user, room: room, grants: [.publish, .subscribe, .admin, .relay], options: options, over: port)
  }
}

/// Runs `test` on a stage without mixes, and clears it afterwards.
func onStage(
  _ change: (inout ServerConfiguration) -> Void = { _ in }, _ test: (Stage) async throws -> Void
) async throws {
  let stage = try await Stage { configuration in
    configuration.rooms.audience = .separate
    change(&configuration)
  }
  do { try await test(stage) } catch {
    await stage.server.stop()
    throw error
  }
  await stage.server.stop()
}

/// Returns the code with which the server rejects a call, or nil if it succeeds.
func code(of call: () async throws -> Void) async throws -> ErrorCode? {
  do {
    try await call()
    return nil
  } catch let error as RoomError {
    return error.code
  }
}

extension Room {
  /// Returns the first non-nil result of `pick`.
  func first<Result: Sendable>(
    _ what: String, in events: AsyncStream<RoomEvent>, seconds: Double = 30, _ pick: @escaping @Sendable (RoomEvent) -> Result?
  ) async throws -> Result {
    try await within(.seconds(seconds), what) {
      for await event in events {
        if let result = pick(event) { return result }
      }
      throw DidNotHappen(what: "the events ended before \(what)")
    }
  }
}

/// Feeds a local track like an encoder until it is stopped: video at 15 fps with key frames on request, or audio.
struct Feeder {
  private let task: Task<Void, Never>

  init(_ video: LocalVideoTrack, size: Int = 1500) {
    task = Task {
      let wants = Wish()
      let listener = Task { for await _ in video.keyFrameRequests { await wants.ask() } }
      var number = 0
      while !Task.isCancelled {
        let isKey = await wants.take()
        video.send(Sample.frame(video.codec, number, isKeyFrame: isKey, size: size))
        number += 1
        try? await Task.sleep(for: .milliseconds(66))
      }
      listener.cancel()
    }
  }

  init(_ audio: LocalAudioTrack, level: Int = -20) {
    task = Task {
      var number = 0
      while !Task.isCancelled {
        audio.send(
          EncodedFrame(
            data: [0x78, UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number), 4, 5, 6],
            timestamp: UInt32(truncatingIfNeeded: number * 960), isKeyFrame: true), level: level)
        number += 1
        try? await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  func stop() { task.cancel() }

  private actor Wish {
    private var isSet = true
    func ask() { isSet = true }
    func take() -> Bool {
      defer { isSet = false }
      return isSet
    }
  }
}

/// Frames with a codec's structure and meaningless content.
enum Sample {
  static func frame(_ codec: VideoCodec, _ number: Int, isKeyFrame: Bool, size: Int) -> EncodedFrame {
    let body = (0..<size).map { UInt8(4 + ($0 &+ number) % 250) }
    let timestamp = UInt32(truncatingIfNeeded: number * 6000)
    switch codec {
    case .h264:
      let head: [UInt8] =
        isKeyFrame
        ? [0, 0, 0, 1, 0x67, 0x42, 0xe0, 0x1f, 9, 9, 0, 0, 0, 1, 0x68, 8, 8, 8, 0, 0, 0, 1, 0x65] : [0, 0, 0, 1, 0x41]
      return EncodedFrame(data: head + body, timestamp: timestamp, isKeyFrame: isKeyFrame)
    case .vp8:
      // Frame tag, start code, 320 x 180 (RFC 6386 §9.1).
      let head: [UInt8] = isKeyFrame ? [0x10, 0x02, 0x00, 0x9d, 0x01, 0x2a, 0x40, 0x01, 0xb4, 0x00] : [0x11, 0x02, 0x00]
      return EncodedFrame(data: head + body, timestamp: timestamp, isKeyFrame: isKeyFrame)
    case .vp9:
      return EncodedFrame(data: [isKeyFrame ? 0x82 : 0x86] + body, timestamp: timestamp, isKeyFrame: isKeyFrame)
    case .av1:
      // A temporal delimiter, a sequence header before key frames, and a frame of up to 16,383 bytes (AV1 §5.3).
      let header: [UInt8] = isKeyFrame ? [0x0a, 3, 1, 2, 3] : []
      let length = body.count + 1
      let frame: [UInt8] = [0x32, UInt8(length & 0x7f) | 0x80, UInt8(length >> 7 & 0x7f), isKeyFrame ? 0x10 : 0x30]
      return EncodedFrame(data: [0x12, 0] + header + frame + body, timestamp: timestamp, isKeyFrame: isKeyFrame)
    }
  }
}

/// Waits for a number of frames.
func receive(_ count: Int, from frames: AsyncStream<EncodedFrame>, _ what: String) async throws {
  try await within(.seconds(40), what) {
    var left = count
    for await _ in frames {
      left -= 1
      if left == 0 { return }
    }
    throw DidNotHappen(what: "the frames ended: \(what)")
  }
}

/// Returns the next subscribed track.
func subscribed(_ room: Room, _ events: AsyncStream<RoomEvent>) async throws -> RemoteTrack {
  try await room.first("trackSubscribed", in: events) { event in
    if case .trackSubscribed(let track) = event { track } else { nil }
  }
}
