import Glibc
import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomSFU

/// A started media plane with one room and the events that it reported.
final class Fixture {
  let plane: MediaPlane
  let room: MediaRoom
  private let told = Locked<[MediaEvent]>([])
  var events: [MediaEvent] { told.withLock { $0 } }

  /// Creates a plane whose rooms use another worker for each of the first transports, so that most tracks are linked.
  convenience init(limits: MediaLimits = MediaLimits()) throws {
    var limits = limits
    limits.roomTransportsPerWorker = 1
    try self.init(.init(workers: 3, limits: limits))
  }

  init(_ configuration: MediaPlane.Configuration) throws {
    plane = try MediaPlane(configuration)
    try plane.start()
    let told = told
    room = plane.openRoom { event in told.withLock { $0.append(event) } }
  }

  deinit { plane.stop() }

  struct TimedOut: Error { var what: String }

  /// Drives the clients until the condition is true. Fails after a long time.
  func wait(
    _ what: String, _ clients: [TestClient], seconds: Int64 = 20, until condition: () async throws -> Bool
  ) async throws {
    let deadline = TestClient.now.advanced(milliseconds: seconds * 1000)
    while true {
      for client in clients { client.pump() }
      if try await condition() { return }
      guard TestClient.now < deadline else { throw TimedOut(what: what) }
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  func connected(_ clients: TestClient...) async throws {
    try await wait("connected", clients) {
      clients.allSatisfy { client in client.isConnected && events.contains(.transportConnected(client.id)) }
    }
  }

  /// Returns once all commands so far have been executed.
  @discardableResult func settle() async -> WorkerCounters { await plane.counters().total }
}

/// Parameters as negotiation would produce them.
enum Parameters {
  static let ids: [RTPHeaderExtension: UInt8] = [
    .mid: 1, .absSendTime: 2, .transportSequence: 3, .audioLevel: 4, .playoutDelay: 5,
  ]
  static let extensionIDs = RTPExtensionIDs(ids)

  /// This end of a transport that no client knows.
  static func local() -> TransportParameters { TransportParameters(credentials: .random(), fingerprints: [], role: .server) }

  static func video(
    _ name: String = "vp8", mid: Mid = "0", ssrc: SSRC?, rtx: SSRC? = nil, payloadType: UInt8 = 96,
    feedback: RTCPFeedback = [.nack, .pli, .fir, .transportCC],
    cname: String = ""
  ) -> RTPParameters {
    RTPParameters(
      mid: mid, kind: .video,
      codecs: [
        RTPCodec(
          name: name, payloadType: payloadType, rtxPayloadType: rtx == nil ? nil : payloadType + 1, clockRate: 90_000,
          feedback: feedback)
      ],
      headerExtensions: ids, encodings: [RTPEncoding(ssrc: ssrc, rtxSSRC: rtx)], cname: cname)
  }

  static func audio(
    mid: Mid = "1", ssrc: SSRC?, rtx: SSRC? = nil, payloadType: UInt8 = 111, red: UInt8? = nil,
    feedback: RTCPFeedback = [.transportCC]
  ) -> RTPParameters {
    RTPParameters(
      mid: mid, kind: .audio,
      codecs: [
        RTPCodec(
          name: "opus", payloadType: payloadType, rtxPayloadType: rtx == nil ? nil : payloadType - 1, redPayloadType: red,
          clockRate: 48_000, channels: 2, feedback: feedback)
      ],
      headerExtensions: ids, encodings: [RTPEncoding(ssrc: ssrc, rtxSSRC: rtx)])
  }
}

/// VP8 payloads (RFC 7741): a descriptor byte, then a frame header whose last bit marks a key frame.
enum VP8Payload {
  static func key(_ text: String = "") -> [UInt8] {
    [0x10, 0x10, 0x02, 0x00, 0x9D, 0x01, 0x2A, 0x40, 0x01, 0xB4, 0x00] + Array(text.utf8)
  }
  static func delta(_ text: String = "") -> [UInt8] { [0x10, 0x11, 0x02, 0x00, 0x55] + Array(text.utf8) }
  static func isKey(_ payload: [UInt8]) -> Bool { payload.prefix(2) == [0x10, 0x10] }
}
