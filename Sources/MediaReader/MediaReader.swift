import Glibc
import RoomCLinux
import RoomCodecs
import RoomRTMP
import RoomRTP
import RoomRelay
import RoomWebRTC
import Synchronization

/// The program of a reader process: reads a source with libavformat, and writes its frames as FLV to the standard output, as fast as they
/// are taken.
///
/// A process of its own, because libavformat parses what strangers send: a fault ends this process alone. The process's memory,
/// its files and the addresses that it may reach are limited.
package enum MediaReader {
  /// Bytes of address space: libavformat needs a tenth of it.
  private static let addressSpace: UInt = 2 << 30
  private static let urls = MediaPackets.Access(
    protocols: ["http", "https", "tls", "tcp", "crypto", "rtmp", "rtmps", "rtmpt", "srt", "rtsp"],
    formats: [
      "mov", "matroska", "webm", "flv", "live_flv", "mpegts", "hls", "rtsp", "mp3", "wav", "ogg", "aac", "flac", "avi",
    ])
  /// Without formats that name other files.
  private static let files = MediaPackets.Access(
    protocols: ["file"], formats: ["mov", "matroska", "webm", "flv", "mpegts", "mp3", "wav", "ogg", "aac", "flac", "avi"])

  private static let rule = Mutex(RelayTargets([]))
  private static let refused = Mutex<String?>(nil)

  /// Decides about an address of 16 bytes: the argument of `reader_guard_enable`.
  package static let permits: @convention(c) (UnsafePointer<UInt8>?) -> CInt = { bytes in
    guard let bytes else { return 0 }
    func word(_ first: Int) -> UInt64 { (first..<first + 8).reduce(0) { $0 << 8 | UInt64(bytes[$1]) } }
    let address = TransportAddress(high: word(0), low: word(8), port: 0)
    guard rule.withLock({ $0.allow(host: "", at: address) }) else {
      refused.withLock { $0 = address.host }
      return 0
    }
    return 1
  }

  /// Runs until the source has ended and the standard input is closed.
  /// - Parameter guardNetwork: makes the C library ask ``permits`` about each address.
  package static func run(guardNetwork: () -> Void) {
    restrict()
    guard let plan = readLine().flatMap(ReaderPlan.init(line:)) else { exit(64) }
    guard let targets = try? RelayTargets(parsing: plan.networks) else { exit(64) }
    rule.withLock { $0 = targets }
    guardNetwork()
    put(FLVStream.header(hasAudio: true, hasVideo: true))
    let commands = ReaderCommands()
    do throws(MediaPackets.Failure) { try read(plan, commands) } catch {
      let address = refused.withLock { $0 }
      write(.failed(address.map { "the address \($0) is in a network that players may not reach" } ?? error.description))
    }
    exit(0)
  }

  private static func restrict() {
    linux_confine()
    for (resource, limit) in [(RLIMIT_AS, addressSpace), (RLIMIT_CORE, 0), (RLIMIT_FSIZE, 0), (RLIMIT_NOFILE, 64)] {
      var value = rlimit(rlim_cur: rlim_t(limit), rlim_max: rlim_t(limit))
      _ = setrlimit(__rlimit_resource_t(resource.rawValue), &value)
    }
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
    signal(SIGPIPE, SIG_DFL)
  }

  private static func read(_ plan: ReaderPlan, _ commands: ReaderCommands) throws(MediaPackets.Failure) {
    let packets =
      switch plan.source {
      case .url(let url): try MediaPackets(url, urls, within: plan.patience)
      case .file(let path): try MediaPackets(path, files, within: plan.patience)
      }
    write(
      .opened(
        hasVideo: packets.hasVideo, hasAudio: packets.hasAudio,
        duration: packets.duration.map { Double($0) / 1_000_000 }, isSeekable: packets.isSeekable))
    var position = SeekPosition()
    var messages = PacketMessages()
    if plan.start > 0, packets.isSeekable {
      try packets.seek(to: MediaTime(microseconds: Int64(plan.start * 1_000_000)))
      position = SeekPosition(number: 0, needsVideo: packets.hasVideo)
    }
    while true {
      if case .seek(let number, let seconds)? = commands.take(), packets.isSeekable {
        try packets.seek(to: MediaTime(microseconds: Int64(min(seconds, 1e9) * 1_000_000)))
        position = SeekPosition(number: number, needsVideo: packets.hasVideo)
      }
      guard let packet = try packets.next() else {
        write(.ended)
        // A loop, or a viewer who goes back, continues.
        commands.wait()
        continue
      }
      switch position.take(packet) {
      case .drop: continue
      case .begin(let number, let time): write(.moved(number, position: Double(time.microseconds) / 1_000_000))
      case .pass: break
      }
      for message in messages.messages(of: packet) { put(FLVStream.tag(message)) }
    }
  }

  // MARK: Writing

  private static func write(_ report: ReaderReport) { put(FLVStream.tag(report.message)) }

  private static func put(_ bytes: [UInt8]) {
    var first = 0
    bytes.withUnsafeBytes { bytes in
      while first < bytes.count, let base = bytes.baseAddress {
        let count = Glibc.write(STDOUT_FILENO, base + first, bytes.count - first)
        guard count > 0 || errno == EINTR else { exit(0) }
        first += max(0, count)
      }
    }
  }
}

/// Finds the first frame after a seek: the key frame of the picture, or the first sound of a source without pictures.
struct SeekPosition {
  enum Step: Hashable {
    case drop, pass
    case begin(Int, MediaTime)
  }

  private var number: Int?
  private var needsVideo = false
  /// Sound before it belongs to a picture that is not sent.
  private var start: MediaTime?

  /// Nothing was sought.
  init() {}

  init(number: Int, needsVideo: Bool) {
    self.number = number
    self.needsVideo = needsVideo
  }

  mutating func take(_ packet: MediaPackets.Packet) -> Step {
    var isPicture = false
    if case .picture = packet.codec { isPicture = true }
    guard let number else {
      return start.map { packet.decoding < $0 && !isPicture } ?? false ? .drop : .pass
    }
    if needsVideo, !(isPicture && packet.isKeyFrame) { return .drop }
    self.number = nil
    start = packet.decoding
    return .begin(number, packet.decoding)
  }
}
