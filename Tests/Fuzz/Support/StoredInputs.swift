public import Foundation

/// What `Tests/Fuzz/Regressions` holds for a target: seeds, and inputs that the fuzzer once found something with.
public func storedInputs(of target: String) throws -> [Data] {
  let folder = URL(filePath: #filePath).appending(path: "../../Regressions/\(target)").standardized
  return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).map {
    try Data(contentsOf: $0)
  }
}
