import RoomCodecs
import RoomRTMP
import RoomRTP

/// Decodes the RTMP or HTTP-FLV stream of a viewer and passes it to a watch. Confined to its loop's thread.
final class DecodedStream: MediaObserver {
  private let watch: SignalWatch
  private var video: (decoder: H264Decoder, configuration: AVCConfiguration)?
  private var audio: SoundDecoder?
  /// Whether the decoder has received a key frame.
  private var hasBegun = false
  /// Number of frames that could not be decoded.
  private(set) var broken = 0

  init(_ watch: SignalWatch) { self.watch = watch }

  func look(at media: MediaMessage, now: Instant) {
    switch media.kind {
    case .video: lookAtPicture(media)
    case .audio: lookAtSound(media)
    case .data: break
    }
  }

  private func lookAtPicture(_ media: MediaMessage) {
    let unit: (tag: VideoTag, body: [UInt8])? = media.payload.withUnsafeBytes { bytes in
      VideoTag(parsing: bytes).map { ($0, Array(bytes[$0.track.body])) }
    }
    guard let unit, unit.tag.track.codec.isAVC else { return }
    if unit.tag.isSequenceHeader {
      guard let configuration = unit.body.withUnsafeBytes({ AVCConfiguration(parsing: $0) }) else { return }
      // The next key frame contains these parameters. The existing decoder is kept so that its pending frames are not lost.
      if video?.configuration != configuration {
        video = (try? video?.decoder ?? H264Decoder()).map { ($0, configuration) }
      }
      return
    }
    hasBegun = hasBegun || unit.tag.isKeyFrame
    guard hasBegun, let video else { return }
    let parameters = unit.tag.isKeyFrame ? video.configuration : nil
    let annexB = unit.body.withUnsafeBytes {
      AVCAccessUnit.annexB(withLengths: $0, lengthSize: video.configuration.lengthSize, configuration: parameters)
    }
    guard let annexB else { return broken += 1 }
    do {
      guard let picture = try video.decoder.decode(annexB, timestamp: MediaTime(milliseconds: Int64(media.timestamp))) else {
        return
      }
      watch.see(picture, media: Double(media.timestamp) + Double(unit.tag.track.compositionTime))
    } catch { broken += 1 }
  }

  private func lookAtSound(_ media: MediaMessage) {
    let unit: (tag: AudioTag, body: [UInt8])? = media.payload.withUnsafeBytes { bytes in
      AudioTag(parsing: bytes).map { ($0, Array(bytes[$0.track.body])) }
    }
    guard let unit, unit.tag.track.codec.isAAC else { return }
    if unit.tag.isSequenceHeader {
      if audio == nil { audio = try? SoundDecoder(.aac(configuration: unit.body), output: .mono48k) }
      return
    }
    guard let audio else { return }
    do {
      let samples = try audio.decode(unit.body)
      if !samples.isEmpty { watch.hear(samples, media: Double(media.timestamp)) }
    } catch { broken += 1 }
  }
}
