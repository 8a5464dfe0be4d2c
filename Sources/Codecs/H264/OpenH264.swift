#if OPENH264
  import RoomCOpenH264

  /// Cisco's OpenH264, for builds that cannot use GPL code: one thread, no B-frames, one slice.
  final class OpenH264 {
    private let encoder: UnsafeMutablePointer<ISVCEncoder?>
    /// The library's output for each picture; too large for the stack.
    private let info = UnsafeMutablePointer<SFrameBSInfo>.allocate(capacity: 1)
    /// The frame rate that the library uses.
    private let fps: Int

    /// The maximum frame rate of the library.
    private static let mostFPS = 30

    init(
      _ settings: VideoEncoderSettings, profile: H264Encoder.Profile, speed: H264Encoder.Speed, level: Int
    ) throws(CodecError) {
      fps = min(settings.fps, Self.mostFPS)
      var made: UnsafeMutablePointer<ISVCEncoder?>?
      guard WelsCreateSVCEncoder(&made) == 0, let encoder = made else {
        throw .unavailable(codec: "H.264", reason: "OpenH264 cannot create an encoder")
      }
      self.encoder = encoder
      info.initialize(to: SFrameBSInfo())
      var quiet = Int32(0)
      _ = openh264_set(encoder, ENCODER_OPTION_TRACE_LEVEL, &quiet)
      var parameters = SEncParamExt()
      _ = openh264_defaults(encoder, &parameters)
      parameters.iUsageType = CAMERA_VIDEO_REAL_TIME
      parameters.iPicWidth = Int32(settings.width)
      parameters.iPicHeight = Int32(settings.height)
      parameters.fMaxFrameRate = Float(fps)
      parameters.iRCMode = RC_BITRATE_MODE
      parameters.iTargetBitrate = Self.bitrate(settings, fps)
      parameters.iMaxBitrate = UNSPECIFIED_BIT_RATE
      // The sender skips pictures, not the encoder.
      parameters.bEnableFrameSkip = false
      // EncodingClock places key frames, so that the interval can change at any time.
      parameters.uiIntraPeriod = 0
      parameters.bEnableSceneChangeDetect = false
      parameters.iMultipleThreadIdc = 1
      parameters.eSpsPpsIdStrategy = CONSTANT_ID
      parameters.iEntropyCodingModeFlag = profile == .baseline ? 0 : 1
      parameters.iComplexityMode =
        switch speed {
        case .ultrafast, .superfast, .veryfast: LOW_COMPLEXITY
        case .faster, .fast: MEDIUM_COMPLEXITY
        case .medium: HIGH_COMPLEXITY
        }
      parameters.iSpatialLayerNum = 1
      parameters.sSpatialLayers.0.iVideoWidth = parameters.iPicWidth
      parameters.sSpatialLayers.0.iVideoHeight = parameters.iPicHeight
      // The colours of VideoFrame: limited range BT.601 (H.264 Annex E).
      parameters.sSpatialLayers.0.bVideoSignalTypePresent = true
      parameters.sSpatialLayers.0.bFullRange = false
      parameters.sSpatialLayers.0.bColorDescriptionPresent = true
      parameters.sSpatialLayers.0.uiColorPrimaries = UInt8(CP_SMPTE170M.rawValue)
      parameters.sSpatialLayers.0.uiTransferCharacteristics = UInt8(TRC_SMPTE170M.rawValue)
      parameters.sSpatialLayers.0.uiColorMatrix = UInt8(CM_SMPTE170M.rawValue)
      parameters.sSpatialLayers.0.fFrameRate = parameters.fMaxFrameRate
      parameters.sSpatialLayers.0.iSpatialBitrate = parameters.iTargetBitrate
      parameters.sSpatialLayers.0.iMaxSpatialBitrate = UNSPECIFIED_BIT_RATE
      parameters.sSpatialLayers.0.uiProfileIdc =
        switch profile {
        case .baseline: PRO_BASELINE
        case .main: PRO_MAIN
        case .high: PRO_HIGH
        }
      parameters.sSpatialLayers.0.uiLevelIdc = ELevelIdc(UInt32(level))
      parameters.sSpatialLayers.0.sSliceArgument.uiSliceMode = SM_SINGLE_SLICE
      guard openh264_open(encoder, &parameters) == 0 else {
        throw .unavailable(codec: "H.264", reason: "OpenH264 rejected \(settings)")
      }
    }

    deinit {
      openh264_close(encoder)
      info.deallocate()
    }

    /// Scales the bitrate so that each picture at the library's frame rate gets as many bits as at the caller's.
    private static func bitrate(_ settings: VideoEncoderSettings, _ fps: Int) -> Int32 {
      Int32(clamping: settings.bitrate * fps / settings.fps)
    }

    /// Sets bitrate and frame rate. Returns false if OpenH264 rejects them.
    func setRate(_ settings: VideoEncoderSettings) -> Bool {
      var rate = SBitrateInfo(iLayer: SPATIAL_LAYER_ALL, iBitrate: Self.bitrate(settings, fps))
      return openh264_set(encoder, ENCODER_OPTION_BITRATE, &rate) == 0
    }

    /// - Parameter time: Increases from picture to picture.
    /// - Returns: The access unit; nil if the picture is rejected.
    func encode(_ planes: I420Planes, time: Int64, isKeyFrame: Bool) -> (data: [UInt8], isKeyFrame: Bool)? {
      if isKeyFrame { _ = openh264_force_key_frame(encoder) }
      var picture = SSourcePicture()
      picture.iColorFormat = Int32(videoFormatI420.rawValue)
      picture.iPicWidth = Int32(planes.width)
      picture.iPicHeight = Int32(planes.height)
      picture.iStride.0 = Int32(planes.yStride)
      picture.iStride.1 = Int32(planes.chromaStride)
      picture.iStride.2 = Int32(planes.chromaStride)
      // OpenH264 only reads its input.
      picture.pData.0 = UnsafeMutablePointer(mutating: planes.y)
      picture.pData.1 = UnsafeMutablePointer(mutating: planes.u)
      picture.pData.2 = UnsafeMutablePointer(mutating: planes.v)
      picture.uiTimeStamp = time * 1000 / Int64(fps)
      guard openh264_encode(encoder, &picture, info) == 0 else { return nil }
      var data: [UInt8] = []
      for index in 0..<info.pointee.iLayerNum {
        guard let layer = openh264_layer(info, index)?.pointee, let bytes = layer.pBsBuf, let lengths = layer.pNalLengthInByte
        else { continue }
        let count = (0..<Int(layer.iNalCount)).reduce(0) { $0 + Int(lengths[$1]) }
        data.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
      }
      return (data, info.pointee.eFrameType == videoFrameTypeIDR)
    }
  }
#endif
