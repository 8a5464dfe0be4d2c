// Calls from one participant to another.

extension LiveKit {
  /// A call.
  package struct RPCRequest: Message {
    package var id: String = ""
    package var method: String = ""
    package var payload: String = ""
    /// Milliseconds.
    package var responseTimeoutMilliseconds: UInt32 = 0
    package var version: UInt32 = 0
    package var compressedPayload: [UInt8] = []

    package init() {}

    package static let fields = FieldTable<Self>("RpcRequest") {
      Field(1, "id", \.id)
      Field(2, "method", \.method)
      Field(3, "payload", \.payload)
      Field(4, "response_timeout_ms", \.responseTimeoutMilliseconds)
      Field(5, "version", \.version)
      Field(6, "compressed_payload", \.compressedPayload)
    }
  }

  /// The call has arrived.
  package struct RPCAck: Message {
    package var requestID: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("RpcAck") {
      Field(1, "request_id", \.requestID)
    }
  }

  /// The result of a call.
  package struct RPCResponse: Message {
    package enum Value: Sendable, Equatable {
      case payload(String)
      case error(RPCError)
      case compressedPayload([UInt8])
    }

    package var requestID: String = ""
    package var value: Value?

    package init() {}

    package static let fields = FieldTable<Self>("RpcResponse") {
      Field(1, "request_id", \.requestID)
      Field(2, "payload", of: "value", \.value, Value.payload) { if case .payload(let value) = $0 { value } else { nil } }
      Field(3, "error", of: "value", \.value, Value.error) { if case .error(let value) = $0 { value } else { nil } }
      Field(4, "compressed_payload", of: "value", \.value, Value.compressedPayload) {
        if case .compressedPayload(let value) = $0 { value } else { nil }
      }
    }
  }

  /// The failure of a call.
  package struct RPCError: Message {
    package var code: UInt32 = 0
    package var message: String = ""
    package var data: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("RpcError") {
      Field(1, "code", \.code)
      Field(2, "message", \.message)
      Field(3, "data", \.data)
    }
  }
}
