import ArgumentParser
import RoomCLinux
import Foundation
import RoomRTP
import RoomSFU
import RoomWebRTC

/// Runs one media worker in this process with a publisher and many subscribers that do real ICE and DTLS over loopback and
/// count received packets. Measures the worker's packet path alone and counts operations that it should avoid. See
/// docs/performance/packet-path.md.
@main
struct PacketPath: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "packetpath", abstract: "Drives one media worker's packet path and reports the cost of a packet.")

  @Option(help: "Subscribers of the one track, 1 to 1000.")
  var subscribers = 200

  @Option(help: "Packets to forward while measuring.")
  var packets = 1_000_000

  @Option(help: "Payload bytes of each of a frame's packets.", transform: Self.sizes)
  var frame = [1100, 1100, 1100, 1100]

  @Option(help: "Frames per second; 0 sends each frame as soon as the previous one has arrived.")
  var fps = 0

  @Option(help: "Microseconds between the packets of a frame.")
  var spacing = 0

  @Flag(help: "Use AES_CM_128_HMAC_SHA1_80 instead of AEAD_AES_128_GCM.")
  var aesCM = false

  @Flag(help: "Subscribe without RTX, so that no padding is sent.")
  var noRTX = false

  @Flag(help: "Publish a simulcast of two layers, of which one is sent, with picture ids that are rewritten.")
  var layers = false

  @Flag(help: "Publish audio as RED with losses; two thirds of the subscribers get copies. Needs --frame of at most 250.")
  var red = false

  @Flag(help: "Wait for a line of input before and after the measurement.")
  var pause = false

  private static func sizes(_ text: String) throws -> [Int] {
    try text.split(separator: ",").map {
      guard let size = Int($0), (40...1300).contains(size) else { throw ValidationError("sizes must be 40 to 1300") }
      return size
    }
  }

  func validate() throws {
    guard (1...1000).contains(subscribers) else { throw ValidationError("--subscribers must be 1 to 1000") }
    guard !frame.isEmpty, frame.count <= 60 else { throw ValidationError("--frame must have 1 to 60 packets") }
    guard !red || (!layers && frame.allSatisfy { $0 <= 250 }) else {
      throw ValidationError("--red excludes --layers, and needs --frame with 250 at most")
    }
    guard packets > 0, (0...1000).contains(fps), (0...10_000).contains(spacing) else {
      throw ValidationError("--packets, --fps or --spacing is out of range")
    }
  }

  func run() async throws {
    let plane = try MediaPlane(.init(workers: 1, bind: ["127.0.0.1"]))
    try plane.start()
    defer { plane.stop() }
    let crew = try Clients(
      of: plane, subscribers: subscribers, profile: aesCM ? .aesCM128HMACSHA1_80 : .aeadAES128GCM, hasRTX: !noRTX,
      isLayered: layers, isRedundant: red)
    try crew.connect()
    let pace = Clients.Pace(sizes: frame, interval: fps == 0 ? nil : 1_000_000 / Int64(fps), spacing: Int64(spacing))
    try crew.drive(pace, until: subscribers * frame.count * 50)
    if pause { waitForLine("ready: process \(getpid()), worker thread \(Self.workerThread())") }
    let before = await plane.counters().total
    let start = DispatchTime.now()
    try crew.drive(pace, until: packets)
    let seconds = Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
    let after = await plane.counters().total
    if pause { waitForLine("done") }

    let forwarded = after.rtpForwarded - before.rtpForwarded
    let segments = after.segmentedPackets - before.segmentedPackets
    let messages = after.segmentedMessages - before.segmentedMessages
    let sent = after.packetsSent - before.packetsSent
    let lost = after.drops.reduce(0, +) - before.drops.reduce(0, +)
    print(
      """
      forwarded \(forwarded) packets in \(text(seconds)) s, \(Int(Double(forwarded) / seconds)) a second, \(lost) dropped
      worker CPU \(text(Double(after.cpuMicroseconds - before.cpuMicroseconds) / Double(max(1, forwarded)))) µs a packet
      sent \(sent) datagrams: \(segments) in \(messages) messages of several, \(sent - segments) alone
      """)
  }

  private func text(_ value: Double) -> String { String(format: "%.3f", value) }

  private func waitForLine(_ message: String) {
    FileHandle.standardOutput.write(Data((message + "\n").utf8))
    _ = readLine()
  }

  /// Returns the id of the worker's thread, found by its name; 0 if it is not found.
  private static func workerThread() -> Int {
    let folder = "/proc/self/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for thread in threads {
      let name = try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8)
      if name?.hasPrefix("media-") == true { return Int(thread) ?? 0 }
    }
    return 0
  }
}
