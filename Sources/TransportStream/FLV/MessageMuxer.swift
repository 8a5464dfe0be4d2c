public import RoomRTMP
import RoomRTP

/// Converts the messages of RTMP to a transport stream. Metadata and messages of other codecs are ignored.
public struct MessageMuxer: Sendable {
  private var muxer: TransportStreamMuxer
  private var video: AVCConfiguration?
  private var audio: AudioSpecificConfig?
  private var unwrapper = TimestampUnwrapper()

  /// Creates the converter before the first message.
  /// - Parameters:
  ///   - hasVideo: whether pictures are announced from the start; otherwise from their sequence header on.
  ///   - hasAudio: whether sound is announced from the start; otherwise from its sequence header on.
  public init(hasVideo: Bool, hasAudio: Bool) { muxer = TransportStreamMuxer(hasVideo: hasVideo, hasAudio: hasAudio) }

  /// Returns the packets of the next message.
  public mutating func packets(of message: MediaMessage) -> [UInt8] {
    switch message.kind {
    case .data: break
    case .video: write(picture: message)
    case .audio: write(sound: message)
    }
    return muxer.takeOutput()
  }

  /// Returns the packets of sound that was gathered.
  public mutating func flush() -> [UInt8] {
    muxer.flush()
    return muxer.takeOutput()
  }

  private mutating func time(of timestamp: UInt32) -> MediaTime { MediaTime(milliseconds: unwrapper.unwrap(timestamp)) }

  private mutating func write(picture message: MediaMessage) {
    message.payload.withUnsafeBytes { payload in
      guard let tag = VideoTag(parsing: payload), tag.track.codec.isAVC else { return }
      let body = payload.part(tag.track.body.lowerBound, tag.track.body.count)
      if tag.isSequenceHeader {
        video = AVCConfiguration(parsing: body)
        if video != nil { muxer.addVideo() }
        return
      }
      guard let video, tag.packetType == .codedFrames || tag.packetType == .codedFramesX else { return }
      // A key frame that carries its own sets needs no copies.
      let carriesSets = AVCAccessUnit.carriesParameterSets(withLengths: body, lengthSize: video.lengthSize)
      guard
        let unit = AVCAccessUnit.annexB(
          withLengths: body, lengthSize: video.lengthSize,
          configuration: tag.isKeyFrame && !carriesSets ? video : nil), !unit.isEmpty
      else { return }
      let decoding = time(of: message.timestamp)
      muxer.write(
        picture: unit, decoding: decoding,
        presentation: decoding.advanced(milliseconds: Int64(tag.track.compositionTime)), isKeyFrame: tag.isKeyFrame)
    }
  }

  private mutating func write(sound message: MediaMessage) {
    message.payload.withUnsafeBytes { payload in
      guard let tag = AudioTag(parsing: payload), tag.track.codec.isAAC else { return }
      let body = payload.part(tag.track.body.lowerBound, tag.track.body.count)
      if tag.isSequenceHeader {
        audio = AudioSpecificConfig(parsing: body)
        if audio != nil { muxer.addAudio() }
      } else if let audio, !body.isEmpty {
        muxer.write(sound: Array(body), at: time(of: message.timestamp), audio)
      }
    }
  }
}
