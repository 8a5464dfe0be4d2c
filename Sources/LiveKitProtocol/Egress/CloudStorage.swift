// Uploads. This server reads only that one is asked for, and where: it refuses them.

extension LiveKit {
  /// An upload.
  package struct StorageConfig: Message {
    package var provider: Upload?

    package init() {}

    package static let fields = FieldTable<Self>("StorageConfig") {
      Field.upload(of: "provider", \.provider, s3: 1, gcp: 2, azure: 3, aliOSS: 4)
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
