import RoomCLinux
import RoomCodecs
public import RoomRTP
public import RoomSFU

/// A video track in another codec, for subscribers that can't decode the published one.
///
/// Reads the packets of the track from a tap, and injects those of the rendition. Timestamps and sender reports are those of the
/// track, so receivers play the rendition in sync with the publisher's sound. The owner calls ``pump(now:requestKeyFrame:)`` every
/// few milliseconds. One owner at a time.
public final class TrackRendition {
  /// The codec of a rendition.
  public enum Codec: Sendable, Hashable, CaseIterable {
    /// Constrained baseline profile.
    case h264
    case vp8
  }

  private enum Packetizer {
    case h264(H264Packetizer)
    case vp8(VP8Packetizer)
  }

  /// The interval in µs of key frame requests while none arrives.
  private static let requestInterval: Int64 = 1_000_000

  private let tap: TrackTap
  private let injection: TrackInjection
  private let encoder: BudgetedEncoder
  private var packetizer: Packetizer
  private var buffer = TapBuffer()
  private var decoder: (any VideoDecoder)?
  private var format: PayloadFormat?
  private var needsKeyFrame = true
  private var asked: Instant?
  private var requests = 0
  /// The last timestamp of the track, in ticks without wraparound.
  private var ticks: Int64?
  /// Whether the track has ended. Nothing follows.
  public private(set) var isOver = false
  /// Pictures that could not be decoded.
  public private(set) var broken = 0

  /// Creates the rendition. The rendition is the only user of the tap and the injection.
  public init(of tap: TrackTap, in codec: Codec, into injection: TrackInjection, budget: MixBudget) {
    self.tap = tap
    self.injection = injection
    switch codec {
    case .h264: (encoder, packetizer) = (BudgetedEncoder(.h264(.baseline), budget: budget), .h264(H264Packetizer()))
    case .vp8:
      let packets = VP8Packetizer(pictureID: .random(in: 0...0x7fff))
      (encoder, packetizer) = (BudgetedEncoder(.vp8, budget: budget), .vp8(packets))
    }
  }

  /// Transcodes what has arrived.
  /// - Parameter requestKeyFrame: called if the publisher must send a key frame.
  /// - Throws: if the budget has no room for the pictures, or no decoder exists.
  public func pump(now: Instant, requestKeyFrame: () -> Void) throws(VideoTranscoder.Failure) {
    let before = linux_thread_cpu_us()
    let wanted = injection.keyFrameRequests
    if wanted != requests {
      requests = wanted
      encoder.wantsKeyFrame = true
    }
    var frames: [(frame: EncodedFrame, format: PayloadFormat)] = []
    var isMore = true
    while isMore { isMore = tap.read { record, payload in take(record, payload, &frames) } }
    drain(now, &frames)
    for (frame, format) in frames { try transcode(frame, format) }
    if needsKeyFrame, !isOver, asked.map({ now - $0 >= Self.requestInterval }) ?? true {
      asked = now
      requestKeyFrame()
    }
    guard !frames.isEmpty, let ticks else { return }
    encoder.used(linux_thread_cpu_us() &- before, at: MediaTime(ticks: ticks, rate: 90_000))
  }

  private func take(
    _ record: TapRecord, _ payload: UnsafeRawBufferPointer, _ frames: inout [(frame: EncodedFrame, format: PayloadFormat)]
  ) {
    switch record {
    case .packet(let sequence, let timestamp, let marker, let format, let arrival, _):
      if !buffer.isContinued(by: sequence, format) {
        drain(arrival, &frames)
        buffer.begin(format)
      }
      buffer.insert(payload, sequence: sequence, timestamp: timestamp, marker: marker, arrival: arrival)
      drain(arrival, &frames)
    case .report(let ntp, let timestamp, _): injection.report(ntp, timestamp: timestamp)
    case .muted: break
    case .ended: isOver = true
    }
  }

  private func drain(_ now: Instant, _ frames: inout [(frame: EncodedFrame, format: PayloadFormat)]) {
    while let output = buffer.next(now: now) {
      switch output {
      case .frame(let frame): if let format = buffer.format { frames.append((frame, format)) }
      case .keyFrameNeeded:
        needsKeyFrame = true
        asked = nil
      }
    }
  }

  private func transcode(_ frame: EncodedFrame, _ format: PayloadFormat) throws(VideoTranscoder.Failure) {
    if format != self.format {
      do throws(CodecError) { decoder = try format.makeVideoDecoder() } catch { throw .codec("\(error)") }
      self.format = format
      needsKeyFrame = true
    }
    guard !needsKeyFrame || frame.isKeyFrame else { return }
    needsKeyFrame = false
    let time = time(of: frame.timestamp)
    let picture: VideoFrame?
    do throws(CodecError) { picture = try decoder?.decode(frame.data, timestamp: time) } catch {
      broken += 1
      needsKeyFrame = true
      return
    }
    guard let picture, let encoded = try encoder.take(picture) else { return }
    send(encoded, timestamp: frame.timestamp)
  }

  private func time(of timestamp: UInt32) -> MediaTime {
    let next = ticks.map { $0 &+ Int64(Int32(bitPattern: timestamp &- UInt32(truncatingIfNeeded: $0))) } ?? Int64(timestamp)
    ticks = next
    return MediaTime(ticks: next, rate: 90_000)
  }

  private func send(_ picture: EncodedPicture, timestamp: UInt32) {
    let payloads: [[UInt8]]
    switch packetizer {
    case .h264(let packets): payloads = (try? packets.packetize(picture.data)) ?? []
    case .vp8(var packets):
      payloads = packets.packetize(picture.data)
      packetizer = .vp8(packets)
    }
    for (index, payload) in payloads.enumerated() {
      injection.send(payload, timestamp: timestamp, marker: index == payloads.count - 1)
    }
    injection.commit()
  }
}
