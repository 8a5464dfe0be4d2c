/// An agent that a room begins with, as a token names it in `roomConfig.agents`.
public struct RoomAgent: Hashable, Sendable {
  /// The name that its worker has registered.
  public var name: String
  public var metadata = ""
  public var attributes: [String: String] = [:]
  /// Whether it starts again after a failure.
  public var restarts = true

  public init(name: String) { self.name = name }
}

extension RoomAgent: Codable {
  private enum CodingKeys: String, CodingKey {
    case name = "agentName"
    case schemaName = "agent_name"
    case metadata, attributes
    case policy = "restartPolicy"
    case schemaPolicy = "restart_policy"
  }

  private static let never = "JRP_NEVER"

  /// Reads an agent with the names of either style. Unknown members are ignored.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    name = ""
    for key in [CodingKeys.schemaName, .name] { name = try values.decodeIfPresent(String.self, forKey: key) ?? name }
    metadata = try values.decodeIfPresent(String.self, forKey: .metadata) ?? ""
    attributes = try values.decodeIfPresent([String: String].self, forKey: .attributes) ?? [:]
    // An enumeration is a name or a number.
    restarts = ![CodingKeys.policy, .schemaPolicy].contains { key in
      (try? values.decodeIfPresent(String.self, forKey: key)) == Self.never
        || (try? values.decodeIfPresent(Int.self, forKey: key)) == 1
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    if !metadata.isEmpty { try values.encode(metadata, forKey: .metadata) }
    if !attributes.isEmpty { try values.encode(attributes, forKey: .attributes) }
    if !restarts { try values.encode(Self.never, forKey: .policy) }
  }
}
