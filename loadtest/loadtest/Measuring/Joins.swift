/// Lets bots join in the order of their numbers, with at most `atOnce` joins at a time.
/// - Parameters:
///   - count: number of bots; the first has number 1.
///   - joined: called with the number of bots that have joined so far.
func joinInTurn(
  _ count: Int, atOnce: Int, joined: (Int) -> Void, _ join: @escaping @Sendable (Int) async throws -> Void
) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for number in 1...count {
      if number > atOnce {
        try await group.next()
        joined(number - atOnce)
      }
      group.addTask { try await join(number) }
    }
    try await group.waitForAll()
  }
}
