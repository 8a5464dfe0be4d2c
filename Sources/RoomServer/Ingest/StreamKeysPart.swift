/// The stream keys of encoders.
package struct StreamKeysPart: ServerPart {
  package let keys: StreamKeys

  package static func start(in assembly: Assembly) async throws(StartError) -> Self {
    Self(keys: StreamKeys(try await assembly.part(StoragePart.self).documents, log: assembly.ground.log))
  }
}
