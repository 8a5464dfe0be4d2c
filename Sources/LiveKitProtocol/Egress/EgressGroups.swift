// Groups of fields that several messages about an egress have, of which each message has one at most.

extension LiveKit {
  /// The destination of an upload.
  package enum Upload: Sendable, Equatable {
    case s3(S3Upload)
    case gcp(GCPUpload)
    case azure(AzureBlobUpload)
    case aliOss(AliOSSUpload)
  }

  /// How an egress is encoded.
  package enum Encoding: Sendable, Equatable {
    case preset(EncodingOptionsPreset)
    case advanced(EncodingOptions)
  }

  /// The only output of an egress, in the form of older app servers.
  package enum EncodedOutput: Sendable, Equatable {
    case file(EncodedFileOutput)
    case stream(StreamOutput)
    case segments(SegmentedFileOutput)
  }
}

extension Field {
  /// The fields of an upload, with their numbers.
  static func upload(
    of group: String = "output", _ path: WritableKeyPath<Owner, LiveKit.Upload?> & Sendable, s3: UInt32, gcp: UInt32,
    azure: UInt32, aliOSS: UInt32
  ) -> [Field] {
    [
      Field(s3, "s3", of: group, path, LiveKit.Upload.s3) { if case .s3(let value) = $0 { value } else { nil } },
      Field(gcp, "gcp", of: group, path, LiveKit.Upload.gcp) { if case .gcp(let value) = $0 { value } else { nil } },
      Field(azure, "azure", of: group, path, LiveKit.Upload.azure) { if case .azure(let value) = $0 { value } else { nil } },
      Field(aliOSS, "aliOSS", of: group, path, LiveKit.Upload.aliOss) {
        if case .aliOss(let value) = $0 { value } else { nil }
      },
    ]
  }

  /// The fields of an encoding, with their numbers.
  static func encoding(
    of group: String = "options", _ path: WritableKeyPath<Owner, LiveKit.Encoding?> & Sendable, preset: UInt32,
    advanced: UInt32
  ) -> [Field] {
    [
      Field(preset, "preset", of: group, path, LiveKit.Encoding.preset) {
        if case .preset(let value) = $0 { value } else { nil }
      },
      Field(advanced, "advanced", of: group, path, LiveKit.Encoding.advanced) {
        if case .advanced(let value) = $0 { value } else { nil }
      },
    ]
  }

  /// The fields of an only output, with their numbers.
  static func output(
    _ path: WritableKeyPath<Owner, LiveKit.EncodedOutput?> & Sendable, file: UInt32, stream: UInt32, segments: UInt32
  ) -> [Field] {
    [
      Field(file, "file", of: "output", path, LiveKit.EncodedOutput.file) {
        if case .file(let value) = $0 { value } else { nil }
      },
      Field(stream, "stream", of: "output", path, LiveKit.EncodedOutput.stream) {
        if case .stream(let value) = $0 { value } else { nil }
      },
      Field(segments, "segments", of: "output", path, LiveKit.EncodedOutput.segments) {
        if case .segments(let value) = $0 { value } else { nil }
      },
    ]
  }
}
