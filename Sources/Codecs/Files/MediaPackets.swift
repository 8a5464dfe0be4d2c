import RoomCFFmpeg
import RoomRTP

/// Reads the compressed frames of a file or a URL with libavformat. AAC and Opus of one or two channels are returned as they are; other
/// sound is decoded and encoded as Opus.
///
/// Blocks while it reads. One owner at a time.
package final class MediaPackets {
  /// The codecs of pictures that are returned.
  package enum PictureCodec: Sendable, Hashable { case h264, hevc, vp8, vp9, av1 }
  package enum SoundCodec: Sendable, Hashable { case aac, opus }

  /// A frame. Times start at the beginning of the file.
  package struct Packet: Sendable {
    package enum Codec: Sendable, Hashable {
      case picture(PictureCodec)
      case sound(SoundCodec)
    }

    package var codec: Codec
    package var data: [UInt8]
    package var decoding: MediaTime
    package var presentation: MediaTime
    package var isKeyFrame: Bool
    /// The decoder's configuration of the container, if it is new.
    package var configuration: [UInt8]?
  }

  /// A failure, in a sentence for the person who has named the source.
  package struct Failure: Error, Sendable, CustomStringConvertible {
    package var description: String
  }

  /// What may be read.
  package struct Access: Sendable {
    package var protocols: [String]
    package var formats: [String]

    package init(protocols: [String], formats: [String]) {
      self.protocols = protocols
      self.formats = formats
    }
  }

  /// The longest frame in bytes. Longer ones are left out, as are broken ones.
  package static let longestFrame = 8 << 20
  private static let options = [
    "probesize": "2000000", "analyzeduration": "3000000", "max_streams": "64", "rtsp_transport": "tcp", "reconnect": "1",
    "reconnect_delay_max": "4", "icy": "0", "user_agent": "roomserver",
  ]

  private struct Picture {
    var index: Int32
    var codec: PictureCodec
    var clock: StreamClock
  }

  private enum Sound {
    case passing(Int32, SoundCodec, StreamClock)
    case encoded(FileAudioTrack, OpusPacking)
  }

  private let container: UnsafeMutablePointer<AVFormatContext>
  private var packet: UnsafeMutablePointer<AVPacket>?
  private var picture: Picture?
  private var sound: Sound?
  /// The configurations of streams whose first frame was not returned yet, and those that were returned last.
  private var configurations: [Int32: [UInt8]] = [:]
  private var sent: [Int32: [UInt8]] = [:]
  private var ready: [Packet] = []
  private var isAtEnd = false
  /// Why the source has ended; nil if it is complete.
  private var fault: Failure?
  private let isSRT: Bool
  private let deadline: ReadDeadline

  /// The length in microseconds; nil if it is not known, as that of a live stream.
  package let duration: Int64?
  package let isSeekable: Bool
  package var hasVideo: Bool { picture != nil }
  package var hasAudio: Bool { sound != nil }

  /// Opens a source.
  /// - Parameter seconds: the longest time of one step: of opening, and of waiting for a frame.
  package init(_ location: String, _ access: Access, within seconds: Double) throws(Failure) {
    Libav.silence()
    let deadline = ReadDeadline(seconds)
    self.deadline = deadline
    isSRT = location.hasPrefix("srt:")
    var options = Self.options
    options["protocol_whitelist"] = access.protocols.joined(separator: ",")
    options["format_whitelist"] = access.formats.joined(separator: ",")
    var container: UnsafeMutablePointer<AVFormatContext>?
    deadline.restart()
    let opened = ff_open_input(
      &container, location, options.map { "\($0.key)=\($0.value)" }.joined(separator: ";"),
      { ReadDeadline.isOver($0) ? 1 : 0 }, deadline.opaque)
    guard opened >= 0, let container else { throw Self.failure(opened, deadline) }
    self.container = container
    let found = avformat_find_stream_info(container, nil)
    duration = container.pointee.duration > 0 ? container.pointee.duration : nil
    // The RTMP of libavformat can always seek; a live stream has no length.
    isSeekable = duration != nil && ff_is_seekable(container) != 0
    packet = av_packet_alloc()
    guard found >= 0 else { throw Self.failure(found, deadline) }
    try chooseStreams()
  }

  deinit {
    av_packet_free(&packet)
    var closing: UnsafeMutablePointer<AVFormatContext>? = container
    avformat_close_input(&closing)
  }

  private static func failure(_ result: Int32, _ deadline: ReadDeadline) -> Failure {
    Failure(description: deadline.hasPassed ? "nothing was received in time" : Libav.message(result))
  }

  private func chooseStreams() throws(Failure) {
    let (video, audio) = (
      ff_best_stream(container, AVMEDIA_TYPE_VIDEO), ff_best_stream(container, AVMEDIA_TYPE_AUDIO)
    )
    for index in 0..<Int32(clamping: container.pointee.nb_streams) where index != video && index != audio {
      ff_stream(container, index)?.pointee.discard = AVDISCARD_ALL
    }
    if let stream = ff_stream(container, video), let parameters = stream.pointee.codecpar?.pointee {
      guard let codec = PictureCodec(parameters.codec_id) else {
        let name = String(cString: avcodec_get_name(parameters.codec_id))
        throw Failure(description: "the video is \(name): H.264, HEVC, VP8, VP9 and AV1 can be played")
      }
      picture = Picture(index: video, codec: codec, clock: StreamClock(stream, in: container))
      configurations[video] = Self.configuration(parameters)
    }
    if let stream = ff_stream(container, audio), let parameters = stream.pointee.codecpar?.pointee {
      let configuration = Self.configuration(parameters)
      if let codec = SoundCodec(parameters.codec_id), !configuration.isEmpty,
        (1...2).contains(ff_channels(stream.pointee.codecpar))
      {
        sound = .passing(audio, codec, StreamClock(stream, in: container))
        configurations[audio] = configuration
      } else {
        do throws(CodecError) {
          guard let track = try FileAudioTrack(in: container, output: .stereo48k) else { return }
          sound = .encoded(track, try OpusPacking())
          configurations[audio] = OpusPacking.head
        } catch { throw Failure(description: "the sound can't be decoded: \(error)") }
      }
    }
    guard picture != nil || sound != nil else { throw Failure(description: "there is neither video nor audio") }
  }

  private static func configuration(_ parameters: AVCodecParameters) -> [UInt8] {
    guard let bytes = parameters.extradata, (1...65_536).contains(parameters.extradata_size) else { return [] }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(parameters.extradata_size)))
  }

  /// Returns the next frame; nil at the end. Throws after the last frame if the source has failed.
  package func next() throws(Failure) -> Packet? {
    while ready.isEmpty {
      guard !isAtEnd else {
        if let fault { throw fault }
        return nil
      }
      try read()
    }
    return ready.removeFirst()
  }

  /// Moves to the last key frame at or before a time.
  package func seek(to time: MediaTime) throws(Failure) {
    deadline.restart()
    let start = container.pointee.start_time == av_no_pts ? 0 : container.pointee.start_time
    let result = av_seek_frame(container, -1, start &+ time.microseconds, AVSEEK_FLAG_BACKWARD)
    guard result >= 0 else { throw Self.failure(result, deadline) }
    (ready, isAtEnd, fault) = ([], false, nil)
    if case .encoded(let track, _) = sound {
      track.restart()
      do throws(CodecError) { sound = .encoded(track, try OpusPacking()) } catch { throw Failure(description: "\(error)") }
    }
  }

  private func read() throws(Failure) {
    guard let packet else { return isAtEnd = true }
    deadline.restart()
    let result = av_read_frame(container, packet)
    guard result >= 0 else {
      isAtEnd = true
      if case .encoded(let track, var packing) = sound {
        ready += packing.drain(track)
        sound = .encoded(track, packing)
      }
      // A live stream that fails has ended too, but says why. libsrt reports the end of a stream as a failure without a cause.
      if isSRT, !deadline.hasPassed {
        fault = Failure(description: "the sender has closed the SRT connection, or is lost")
      } else if result != averror_eof {
        fault = Self.failure(result, deadline)
      }
      return
    }
    defer { av_packet_unref(packet) }
    guard (1...Self.longestFrame).contains(Int(packet.pointee.size)), packet.pointee.data != nil else { return }
    if packet.pointee.stream_index == picture?.index { return takePicture(packet) }
    switch sound {
    case .passing(packet.pointee.stream_index, let codec, let clock): takeSound(packet, codec, clock)
    case .encoded(let track, var packing) where packet.pointee.stream_index == track.index:
      let count = ready.count
      do throws(CodecError) { ready += try packing.packets(of: packet, by: track) } catch {}
      if ready.count > count { ready[count].configuration = configurations.removeValue(forKey: track.index) }
      sound = .encoded(track, packing)
    default: break
    }
  }

  /// Returns the configuration of a stream that precedes this packet, if it is new.
  private func takeConfiguration(_ packet: UnsafeMutablePointer<AVPacket>) -> [UInt8]? {
    let index = packet.pointee.stream_index
    let first = configurations.removeValue(forKey: index)
    guard let configuration = newConfiguration(packet) ?? first, configuration != sent[index] else { return nil }
    sent[index] = configuration
    return configuration
  }

  private static func bytes(_ packet: UnsafeMutablePointer<AVPacket>) -> [UInt8] {
    Array(UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
  }

  private func newConfiguration(_ packet: UnsafeMutablePointer<AVPacket>) -> [UInt8]? {
    var count: Int32 = 0
    guard let bytes = ff_new_extradata(packet, &count), (1...65_536).contains(count) else { return nil }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }

  private func takePicture(_ packet: UnsafeMutablePointer<AVPacket>) {
    guard let picture else { return }
    let (decoding, presentation) = (picture.clock.time(packet.pointee.dts), picture.clock.time(packet.pointee.pts))
    guard let shown = presentation ?? decoding, let time = decoding ?? presentation else { return }
    ready.append(
      Packet(
        codec: .picture(picture.codec), data: Self.bytes(packet), decoding: time, presentation: shown,
        isKeyFrame: packet.pointee.flags & AV_PKT_FLAG_KEY != 0,
        configuration: takeConfiguration(packet)))
  }

  private func takeSound(_ packet: UnsafeMutablePointer<AVPacket>, _ codec: SoundCodec, _ clock: StreamClock) {
    guard let time = clock.time(packet.pointee.pts) ?? clock.time(packet.pointee.dts) else { return }
    ready.append(
      Packet(
        codec: .sound(codec), data: Self.bytes(packet), decoding: time, presentation: time, isKeyFrame: true,
        configuration: takeConfiguration(packet)))
  }
}

extension MediaPackets.PictureCodec {
  fileprivate init?(_ id: AVCodecID) {
    switch id {
    case AV_CODEC_ID_H264: self = .h264
    case AV_CODEC_ID_HEVC: self = .hevc
    case AV_CODEC_ID_VP8: self = .vp8
    case AV_CODEC_ID_VP9: self = .vp9
    case AV_CODEC_ID_AV1: self = .av1
    default: return nil
    }
  }
}

extension MediaPackets.SoundCodec {
  fileprivate init?(_ id: AVCodecID) {
    switch id {
    case AV_CODEC_ID_AAC: self = .aac
    case AV_CODEC_ID_OPUS: self = .opus
    default: return nil
    }
  }
}
