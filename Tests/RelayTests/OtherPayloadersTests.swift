import RoomCodecs
import Foundation
import RoomMediaTimeLiterals
import RoomRTP
import Testing

/// VP9 RTP streams produced by other software.
@Suite("VP9 from other payloaders")
struct OtherPayloadersTests {
  /// Returns GStreamer's packets, read from a file of RFC 4571 frames.
  private func gstreamer(pictureID mode: Int, mtu: Int) throws -> [[UInt8]] {
    let path = FileManager.default.temporaryDirectory.appending(path: "rtp-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: path) }
    let pipeline =
      "videotestsrc num-buffers=30 ! video/x-raw,format=I420,width=320,height=180,framerate=15/1 ! vp9enc deadline=1 cpu-used=8 "
      + "keyframe-max-dist=10 target-bitrate=300000 ! rtpvp9pay mtu=\(mtu) picture-id-mode=\(mode) ! rtpstreampay ! "
      + "filesink location=\(path.path)"
    let process = try Self.start(["gst-launch-1.0", "-q"] + pipeline.split(separator: " ").map(String.init))
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    let bytes = [UInt8](try Data(contentsOf: path))
    var packets: [[UInt8]] = []
    var position = 0
    while position + 2 <= bytes.count {
      let end = position + 2 + Int(bytes[position]) << 8 + Int(bytes[position + 1])
      packets.append(Array(bytes[(position + 2)..<min(end, bytes.count)]))
      position = end
    }
    return packets
  }

  /// Returns ffmpeg's packets, which mark no picture as predicted.
  private func ffmpeg() throws -> [[UInt8]] {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    try #require(bound)
    let port = UInt16(bigEndian: address.sin_port)
    // Its RTCP goes to an adjacent port without a listener.
    let process = try Self.start([
      "ffmpeg", "-nostdin", "-loglevel", "error", "-re", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=30:duration=1",
      "-c:v",
      "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "300k", "-g", "10", "-strict", "experimental", "-f",
      "rtp",
      "rtp://127.0.0.1:\(port)?pkt_size=700",
    ])
    var wait = timeval(tv_sec: 0, tv_usec: 200_000)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
    var packets: [[UInt8]] = []
    var buffer = [UInt8](repeating: 0, count: 2000)
    while true {
      let wasRunning = process.isRunning
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count > 0 { packets.append(Array(buffer[..<count])) } else if !wasRunning { break }
    }
    return packets
  }

  private static func start(_ arguments: [String]) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  /// Checks the decoded output of a jitter buffer for the packets.
  private func check(_ packets: [[UInt8]], frames expected: Int) throws {
    let now = Instant(microseconds: 0)
    var buffer = JitterBuffer(format: .vp9)
    var frames: [EncodedFrame] = []
    for packet in packets {
      packet.withUnsafeBytes { bytes in
        guard let header = RTPHeader(parsing: bytes) else { return }
        buffer.insert(header, payload: header.payload(of: bytes), now: now)
        while case .frame(let frame) = buffer.next(now: now) { frames.append(frame) }
      }
    }
    #expect(packets.count > expected)
    #expect(frames.count == expected)
    #expect(buffer.counters.breaks == 0)
    #expect(frames.first?.isKeyFrame == true)
    #expect((2...5).contains(frames.filter(\.isKeyFrame).count))
    let decoder = try VP9Decoder()
    var pictures = 0
    for frame in frames {
      guard let picture = try decoder.decode(frame.data, timestamp: 0) else { continue }
      pictures += 1
      #expect(picture.width == 320 && picture.height == 180)
    }
    #expect(pictures == expected)
  }

  @Test("GStreamer's pictures are complete, with each kind of picture ID", arguments: [(0, 300), (1, 1200), (2, 700)])
  func gstreamerPayloader(mode: Int, mtu: Int) throws { try check(gstreamer(pictureID: mode, mtu: mtu), frames: 30) }

  @Test("ffmpeg's pictures are complete") func ffmpegPayloader() throws { try check(ffmpeg(), frames: 30) }
}
