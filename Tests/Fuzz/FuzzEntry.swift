import Glibc

/// The parser that this run feeds, from `FUZZ_TARGET`.
private let target: @Sendable (UnsafeRawBufferPointer) -> Void = {
  let targets = [rtpFuzzTargets, webRTCFuzzTargets, roomProtocolFuzzTargets]
  let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
  guard let target = targets.lazy.compactMap({ $0[name] }).first else {
    print("FUZZ_TARGET names no target: \(targets.flatMap(\.keys).sorted().joined(separator: " "))")
    exit(2)
  }
  return target
}()

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzOne(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
  target(UnsafeRawBufferPointer(start: start, count: count))
  return 0
}
