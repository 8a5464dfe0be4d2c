/// The path into rooms with a token.
package struct EntrancePart: ServerPart {
  package let entrance: Entrance

  package static func start(in assembly: Assembly) async throws(StartError) -> Self {
    Self(
      entrance: Entrance(
        assembly.ground, try await assembly.part(RoomsPart.self).directory,
        history: try await assembly.part(HistoryPart.self).history))
  }
}
