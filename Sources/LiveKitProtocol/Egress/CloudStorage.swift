// Uploads. This server reads only that one is asked for, and where: it refuses them.

extension LiveKit {
  /// An upload.
  package struct StorageConfig: Message {
    package enum Provider: Sendable, Equatable {
      case s3(S3Upload)
      case gcp(GCPUpload)
      case azure(AzureBlobUpload)
      case aliOss(AliOSSUpload)
    }

    package var provider: Provider?

    package init() {}

    package static let fields = FieldTable<Self>("StorageConfig") {
      Field(1, "s3", of: "provider", \.provider, Provider.s3) { if case .s3(let value) = $0 { value } else { nil } }
      Field(2, "gcp", of: "provider", \.provider, Provider.gcp) { if case .gcp(let value) = $0 { value } else { nil } }
      Field(3, "azure", of: "provider", \.provider, Provider.azure) { if case .azure(let value) = $0 { value } else { nil } }
      Field(4, "aliOSS", of: "provider", \.provider, Provider.aliOss) { if case .aliOss(let value) = $0 { value } else { nil } }
    }
  }

  /// An upload to S3.
  package struct S3Upload: Message {
    package var bucket: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("S3Upload") {
      Field(5, "bucket", \.bucket)
    }
  }

  /// An upload to Google Cloud Storage.
  package struct GCPUpload: Message {
    package var bucket: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("GCPUpload") {
      Field(2, "bucket", \.bucket)
    }
  }

  /// An upload to Azure.
  package struct AzureBlobUpload: Message {
    package var containerName: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("AzureBlobUpload") {
      Field(3, "container_name", \.containerName)
    }
  }

  /// An upload to Alibaba Cloud.
  package struct AliOSSUpload: Message {
    package var bucket: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("AliOSSUpload") {
      Field(5, "bucket", \.bucket)
    }
  }
}
