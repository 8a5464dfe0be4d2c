public import Foundation

/// Returns the inputs in `Tests/Fuzz/Regressions` for a target: seeds, and inputs with which the fuzzer found bugs.
public func storedInputs(of target: String) throws -> [Data] {
  let folder = URL(filePath: #filePath).appending(path: "../../Regressions/\(target)").standardized
  return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).map {
    try Data(contentsOf: $0)
  }
}
