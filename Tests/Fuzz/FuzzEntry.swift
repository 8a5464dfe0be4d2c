import RoomFuzzSupport
import Glibc

/// libFuzzer (https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library), which is linked in by `-sanitize=fuzzer`.
@_silgen_name("LLVMFuzzerRunDriver") private func runFuzzer(
  _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ take: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The parser under test, from `FUZZ_TARGET`.
private let target: @Sendable (UnsafeRawBufferPointer) -> Void = {
  let targets = [
    rtpFuzzTargets, rtmpFuzzTargets, transportStreamFuzzTargets, webRTCFuzzTargets, nodeLinkFuzzTargets,
    roomProtocolFuzzTargets, liveKitFuzzTargets, roomServerFuzzTargets, liveKitServerFuzzTargets, clusterServerFuzzTargets,
    studioFuzzTargets, redisFuzzTargets, roomStateFuzzTargets,
  ]
  let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
  guard let target = targets.lazy.compactMap({ $0[name] }).first else {
    print("FUZZ_TARGET names no target: \(targets.flatMap(\.keys).sorted().joined(separator: " "))")
    exit(2)
  }
  return target
}()

/// Called by libFuzzer with each input. The name is required, because libFuzzer's own `main` refers to it even though that is
/// not used.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  target(UnsafeRawBufferPointer(start: start, count: count))
  return 0
}

/// SwiftPM renames the `main` of every executable, so the fuzzer is started explicitly.
@main struct Fuzz {
  static func main() {
    runTasksOnCallingThread()
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    exit(runFuzzer(&count, &arguments, fuzzOne))
  }
}
