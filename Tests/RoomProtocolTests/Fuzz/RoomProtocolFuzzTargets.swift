import RoomProtocol

/// What the fuzzer feeds, by name. The tests run the stored inputs through the same code.
let roomProtocolFuzzTargets: [String: @Sendable (UnsafeRawBufferPointer) -> Void] = ["signalling": fuzzSignalling]

@Sendable private func fuzzSignalling(_ bytes: UnsafeRawBufferPointer) { _ = try? SignalRequest.decode(bytes) }
