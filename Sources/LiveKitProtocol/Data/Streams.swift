// Texts and files in chunks.

extension LiveKit {
  /// What a text does.
  package struct StreamOperation: Enumeration {
    package static let create = Self(rawValue: 0)
    package static let update = Self(rawValue: 1)
    package static let delete = Self(rawValue: 2)
    package static let reaction = Self(rawValue: 3)

    package static let schemaName = "DataStream.OperationType"
    package static let names: [Int32: String] = [0: "CREATE", 1: "UPDATE", 2: "DELETE", 3: "REACTION"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// The compression of a stream.
  package struct StreamCompression: Enumeration {
    package static let none = Self(rawValue: 0)
    package static let deflateRaw = Self(rawValue: 1)

    package static let schemaName = "DataStream.CompressionType"
    package static let names: [Int32: String] = [0: "NONE", 1: "DEFLATE_RAW"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// The beginning of a stream.
  package struct StreamHeader: Message {
    package enum Content: Sendable, Equatable {
      case textHeader(StreamTextHeader)
      case byteHeader(StreamByteHeader)
    }

    package var streamID: String = ""
    /// Milliseconds since 1970.
    package var timestamp: Int64 = 0
    package var topic: String = ""
    package var mimeType: String = ""
    /// Bytes; nil for a stream of unknown length.
    package var totalLength: UInt64?
    package var encryptionType: Encryption = .init()
    package var attributes: [String: String] = [:]
    package var contentHeader: Content?
    package var inlineContent: [UInt8]?
    package var compression: StreamCompression = .init()

    package init() {}

    package static let fields = FieldTable<Self>("DataStream.Header") {
      Field(1, "stream_id", \.streamID)
      Field(2, "timestamp", \.timestamp)
      Field(3, "topic", \.topic)
      Field(4, "mime_type", \.mimeType)
      Field(5, "total_length", \.totalLength)
      Field(7, "encryption_type", \.encryptionType)
      Field(8, "attributes", map: \.attributes)
      Field(9, "text_header", of: "content_header", \.contentHeader, Content.textHeader) {
        if case .textHeader(let value) = $0 { value } else { nil }
      }
      Field(10, "byte_header", of: "content_header", \.contentHeader, Content.byteHeader) {
        if case .byteHeader(let value) = $0 { value } else { nil }
      }
      Field(11, "inline_content", \.inlineContent)
      Field(12, "compression", \.compression)
    }
  }

  /// What only a text has.
  package struct StreamTextHeader: Message {
    package var operationType: StreamOperation = .init()
    package var version: Int32 = 0
    package var replyToStreamID: String = ""
    package var attachedStreamIDs: [String] = []
    package var generated: Bool = false

    package init() {}

    package static let fields = FieldTable<Self>("DataStream.TextHeader") {
      Field(1, "operation_type", \.operationType)
      Field(2, "version", \.version)
      Field(3, "reply_to_stream_id", \.replyToStreamID)
      Field(4, "attached_stream_ids", list: \.attachedStreamIDs)
      Field(5, "generated", \.generated)
    }
  }

  /// What only a file has.
  package struct StreamByteHeader: Message {
    package var name: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("DataStream.ByteHeader") {
      Field(1, "name", \.name)
    }
  }

  /// A part of a stream.
  package struct StreamChunk: Message {
    package var streamID: String = ""
    package var chunkIndex: UInt64 = 0
    package var content: [UInt8] = []
    package var version: Int32 = 0
    package var iv: [UInt8]?

    package init() {}

    package static let fields = FieldTable<Self>("DataStream.Chunk") {
      Field(1, "stream_id", \.streamID)
      Field(2, "chunk_index", \.chunkIndex)
      Field(3, "content", \.content)
      Field(4, "version", \.version)
      Field(5, "iv", \.iv)
    }
  }

  /// The end of a stream.
  package struct StreamTrailer: Message {
    package var streamID: String = ""
    package var reason: String = ""
    package var attributes: [String: String] = [:]

    package init() {}

    package static let fields = FieldTable<Self>("DataStream.Trailer") {
      Field(1, "stream_id", \.streamID)
      Field(2, "reason", \.reason)
      Field(3, "attributes", map: \.attributes)
    }
  }
}
