/// One who plays HLS, as far as plain requests tell one from another: an address, and the name of a program. Those of one household with
/// the same program count as one.
struct HLSPlayer: Hashable, Sendable {
  private let high: UInt64?
  private let low: UInt64?
  private let program: Substring?

  init(_ request: HTTPRequest) {
    high = request.client?.high
    low = request.client?.low
    program = request.header("user-agent")?.prefix(256)
  }
}
