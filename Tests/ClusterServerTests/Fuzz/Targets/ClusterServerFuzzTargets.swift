/// The fuzz targets by name. The tests run the stored inputs through the same code.
let clusterServerFuzzTargets: [String: @Sendable (UnsafeRawBufferPointer) -> Void] = [
  "edge": fuzzEdge, "passed": fuzzPassed,
]
