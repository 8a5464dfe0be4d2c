import RoomServer

/// A Twirp service: its methods by name.
struct TwirpService: Sendable {
  /// The name in the path.
  let name: String
  let methods: [String: TwirpMethod]
  /// Methods of LiveKit's that this server does not have.
  let missing: Set<String>

  init(_ name: String, _ methods: [TwirpMethod], missing: Set<String> = []) {
    self.name = name
    self.methods = Dictionary(methods.map { ($0.name, $0) }) { first, _ in first }
    self.missing = missing
  }
}
