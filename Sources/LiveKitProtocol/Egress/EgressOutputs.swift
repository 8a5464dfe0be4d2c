// Where an egress goes, and how it is encoded.

extension LiveKit {
  /// The audio codec of an egress.
  package struct AudioCodec: Enumeration {
    package static let standard = Self(rawValue: 0)
    package static let opus = Self(rawValue: 1)
    package static let aac = Self(rawValue: 2)
    package static let acMp3 = Self(rawValue: 3)

    package static let schemaName = "AudioCodec"
    package static let names: [Int32: String] = [0: "DEFAULT_AC", 1: "OPUS", 2: "AAC", 3: "AC_MP3"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// The video codec of an egress.
  package struct VideoCodec: Enumeration {
    package static let standard = Self(rawValue: 0)
    package static let h264Baseline = Self(rawValue: 1)
    package static let h264Main = Self(rawValue: 2)
    package static let h264High = Self(rawValue: 3)
    package static let vp8 = Self(rawValue: 4)

    package static let schemaName = "VideoCodec"
    package static let names: [Int32: String] = [0: "DEFAULT_VC", 1: "H264_BASELINE", 2: "H264_MAIN", 3: "H264_HIGH", 4: "VP8"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// The format of pictures.
  package struct ImageCodec: Enumeration {
    package static let `default` = Self(rawValue: 0)
    package static let jpeg = Self(rawValue: 1)

    package static let schemaName = "ImageCodec"
    package static let names: [Int32: String] = [0: "IC_DEFAULT", 1: "IC_JPEG"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// The format of a file.
  package struct EncodedFileType: Enumeration {
    package static let defaultFiletype = Self(rawValue: 0)
    package static let mp4 = Self(rawValue: 1)
    package static let ogg = Self(rawValue: 2)
    package static let mp3 = Self(rawValue: 3)

    package static let schemaName = "EncodedFileType"
    package static let names: [Int32: String] = [0: "DEFAULT_FILETYPE", 1: "MP4", 2: "OGG", 3: "MP3"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// The protocol of a live stream.
  package struct StreamProtocol: Enumeration {
    package static let defaultProtocol = Self(rawValue: 0)
    package static let rtmp = Self(rawValue: 1)
    package static let srt = Self(rawValue: 2)
    package static let websocket = Self(rawValue: 3)

    package static let schemaName = "StreamProtocol"
    package static let names: [Int32: String] = [0: "DEFAULT_PROTOCOL", 1: "RTMP", 2: "SRT", 3: "WEBSOCKET"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// The form of segments.
  package struct SegmentedFileProtocol: Enumeration {
    package static let defaultSegmentedFileProtocol = Self(rawValue: 0)
    package static let hlsProtocol = Self(rawValue: 1)
    package static let hlsFmp4Protocol = Self(rawValue: 2)

    package static let schemaName = "SegmentedFileProtocol"
    package static let names: [Int32: String] = [
      0: "DEFAULT_SEGMENTED_FILE_PROTOCOL", 1: "HLS_PROTOCOL", 2: "HLS_FMP4_PROTOCOL",
    ]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// The end of a segment's name.
  package struct SegmentedFileSuffix: Enumeration {
    package static let index = Self(rawValue: 0)
    package static let timestamp = Self(rawValue: 1)

    package static let schemaName = "SegmentedFileSuffix"
    package static let names: [Int32: String] = [0: "INDEX", 1: "TIMESTAMP"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// The end of a picture's name.
  package struct ImageFileSuffix: Enumeration {
    package static let index = Self(rawValue: 0)
    package static let timestamp = Self(rawValue: 1)
    package static let noneOverwrite = Self(rawValue: 2)

    package static let schemaName = "ImageFileSuffix"
    package static let names: [Int32: String] = [
      0: "IMAGE_SUFFIX_INDEX", 1: "IMAGE_SUFFIX_TIMESTAMP", 2: "IMAGE_SUFFIX_NONE_OVERWRITE",
    ]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// A destination.
  package struct Output: Message {
    package enum Config: Sendable, Equatable {
      case file(FileOutput)
      case stream(StreamOutput)
      case segments(SegmentedFileOutput)
      case images(ImageOutput)
    }

    package var config: Config?
    package var storage: StorageConfig?

    package init() {}

    package static let fields = FieldTable<Self>("Output") {
      Field(1, "file", of: "config", \.config, Config.file) { if case .file(let value) = $0 { value } else { nil } }
      Field(2, "stream", of: "config", \.config, Config.stream) { if case .stream(let value) = $0 { value } else { nil } }
      Field(3, "segments", of: "config", \.config, Config.segments) { if case .segments(let value) = $0 { value } else { nil } }
      Field(4, "images", of: "config", \.config, Config.images) { if case .images(let value) = $0 { value } else { nil } }
      Field(6, "storage", \.storage)
    }
  }

  /// A file.
  package struct FileOutput: Message {
    package var fileType: EncodedFileType = .init()
    package var filepath: String = ""
    package var disableManifest: Bool = false

    package init() {}

    package static let fields = FieldTable<Self>("FileOutput") {
      Field(1, "file_type", \.fileType)
      Field(2, "filepath", \.filepath)
      Field(3, "disable_manifest", \.disableManifest)
    }
  }

  /// A file of encoded media.
  package struct EncodedFileOutput: Message {
    package var fileType: EncodedFileType = .init()
    package var filepath: String = ""
    package var output: Upload?
    package var disableManifest: Bool = false

    package init() {}

    package static let fields = FieldTable<Self>("EncodedFileOutput") {
      Field(1, "file_type", \.fileType)
      Field(2, "filepath", \.filepath)
      Field.upload(\.output, s3: 3, gcp: 4, azure: 5, aliOSS: 7)
      Field(6, "disable_manifest", \.disableManifest)
    }
  }

  /// A file of a track as it is.
  package struct DirectFileOutput: Message {
    package var filepath: String = ""
    package var output: Upload?
    package var disableManifest: Bool = false

    package init() {}

    package static let fields = FieldTable<Self>("DirectFileOutput") {
      Field(1, "filepath", \.filepath)
      Field.upload(\.output, s3: 2, gcp: 3, azure: 4, aliOSS: 6)
      Field(5, "disable_manifest", \.disableManifest)
    }
  }

  /// Live streams.
  package struct StreamOutput: Message {
    package var protocolNumber: StreamProtocol = .init()
    package var urls: [String] = []
    package var destinations: [StreamDestination] = []

    package init() {}

    package static let fields = FieldTable<Self>("StreamOutput") {
      Field(1, "protocol", \.protocolNumber)
      Field(2, "urls", list: \.urls)
      Field(3, "destinations", list: \.destinations)
    }
  }

  /// A live stream with an id.
  package struct StreamDestination: Message {
    package var id: String = ""
    package var url: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("StreamDestination") {
      Field(1, "id", \.id)
      Field(2, "url", \.url)
    }
  }

  /// HLS segments.
  package struct SegmentedFileOutput: Message {
    package var protocolNumber: SegmentedFileProtocol = .init()
    package var filenamePrefix: String = ""
    package var playlistName: String = ""
    /// Seconds.
    package var segmentDuration: UInt32 = 0
    package var output: Upload?
    package var disableManifest: Bool = false
    package var filenameSuffix: SegmentedFileSuffix = .init()
    package var livePlaylistName: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("SegmentedFileOutput") {
      Field(1, "protocol", \.protocolNumber)
      Field(2, "filename_prefix", \.filenamePrefix)
      Field(3, "playlist_name", \.playlistName)
      Field(4, "segment_duration", \.segmentDuration)
      Field.upload(\.output, s3: 5, gcp: 6, azure: 7, aliOSS: 9)
      Field(8, "disable_manifest", \.disableManifest)
      Field(10, "filename_suffix", \.filenameSuffix)
      Field(11, "live_playlist_name", \.livePlaylistName)
    }
  }

  /// Pictures at intervals.
  package struct ImageOutput: Message {
    /// Seconds.
    package var captureInterval: UInt32 = 0
    package var width: Int32 = 0
    package var height: Int32 = 0
    package var filenamePrefix: String = ""
    package var filenameSuffix: ImageFileSuffix = .init()
    package var imageCodec: ImageCodec = .init()
    package var disableManifest: Bool = false
    package var output: Upload?

    package init() {}

    package static let fields = FieldTable<Self>("ImageOutput") {
      Field(1, "capture_interval", \.captureInterval)
      Field(2, "width", \.width)
      Field(3, "height", \.height)
      Field(4, "filename_prefix", \.filenamePrefix)
      Field(5, "filename_suffix", \.filenameSuffix)
      Field(6, "image_codec", \.imageCodec)
      Field(7, "disable_manifest", \.disableManifest)
      Field.upload(\.output, s3: 8, gcp: 9, azure: 10, aliOSS: 11)
    }
  }

  /// How media is encoded.
  package struct EncodingOptions: Message {
    package var width: Int32 = 0
    package var height: Int32 = 0
    package var depth: Int32 = 0
    package var framerate: Int32 = 0
    package var audioCodec: AudioCodec = .init()
    /// kbit/s.
    package var audioBitrate: Int32 = 0
    /// Hz.
    package var audioFrequency: Int32 = 0
    package var videoCodec: VideoCodec = .init()
    /// kbit/s.
    package var videoBitrate: Int32 = 0
    /// Seconds.
    package var keyFrameInterval: Double = 0

    package init() {}

    package static let fields = FieldTable<Self>("EncodingOptions") {
      Field(1, "width", \.width)
      Field(2, "height", \.height)
      Field(3, "depth", \.depth)
      Field(4, "framerate", \.framerate)
      Field(5, "audio_codec", \.audioCodec)
      Field(6, "audio_bitrate", \.audioBitrate)
      Field(7, "audio_frequency", \.audioFrequency)
      Field(8, "video_codec", \.videoCodec)
      Field(9, "video_bitrate", \.videoBitrate)
      Field(10, "key_frame_interval", \.keyFrameInterval)
    }
  }
}
