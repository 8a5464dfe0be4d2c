import RoomProtocol
import RoomEngine

extension API {
  /// The settings of a room in a request that creates or changes it.
  struct SettingsWishes: Decodable, Sendable {
    /// One setting in a request.
    enum Wish<Value: Decodable & Sendable>: Sendable {
      /// Absent: the setting stays unchanged.
      case absent
      /// Null: the server's default.
      case standard
      case value(Value)

      var value: Value? { if case .value(let value) = self { value } else { nil } }

      /// - Parameter old: the current value; nil for the server's default.
      func applied<Stored>(to old: Stored?, _ stored: (Value) -> Stored) -> Stored? {
        switch self {
        case .absent: old
        case .standard: nil
        case .value(let value): stored(value)
        }
      }
    }

    /// Seconds.
    var emptyTimeout: Wish<Int>
    var maxParticipants: Wish<Int>
    /// Seconds.
    var graceTime: Wish<Int>
    /// Seconds.
    var requestTimeout: Wish<Int>
    var push: Wish<PushPolicy>
    /// What participants without a seat receive.
    var audience: Wish<RoomAudience>
    /// The picture of the room's own mix.
    var stage: Wish<StagePicture>
    /// The picture of broadcasts during a PK.
    var pk: Wish<PKPicture>
    var seatsHost: Wish<Bool>

    private enum CodingKeys: CodingKey {
      case emptyTimeout, maxParticipants, graceTime, requestTimeout, push, audience, stage, pk, seatsHost
    }

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      func wish<Value: Decodable & Sendable>(_ key: CodingKeys) throws -> Wish<Value> {
        guard members.contains(key) else { return .absent }
        return try members.decodeNil(forKey: key) ? .standard : .value(try members.decode(Value.self, forKey: key))
      }
      emptyTimeout = try wish(.emptyTimeout)
      maxParticipants = try wish(.maxParticipants)
      graceTime = try wish(.graceTime)
      requestTimeout = try wish(.requestTimeout)
      push = try wish(.push)
      audience = try wish(.audience)
      stage = try wish(.stage)
      pk = try wish(.pk)
      seatsHost = try wish(.seatsHost)
    }

    /// Returns the validation error, in a sentence that names the member; nil if the settings are valid.
    func complaint(_ limits: ServerLimits) -> String? {
      if !(10...86400).contains(emptyTimeout.value ?? 10) { return "emptyTimeout: 10 to 86400 seconds" }
      if !(1...limits.participantsPerRoom).contains(maxParticipants.value ?? 1) {
        return "maxParticipants: 1 to \(limits.participantsPerRoom)"
      }
      if !(1...3600).contains(graceTime.value ?? 1) { return "graceTime: 1 to 3600 seconds" }
      if !(5...600).contains(requestTimeout.value ?? 5) { return "requestTimeout: 5 to 600 seconds" }
      if let complaint = stage.value?.complaint { return "stage.\(complaint)" }
      if let complaint = pk.value?.complaint { return "pk.\(complaint)" }
      if let image = pk.value?.background?.image, !RoomImages.isName(image) {
        return "pk.background.image: \(RoomImages.nameRule)"
      }
      if let complaint = push.value?.complaint { return "push.\(complaint)" }
      return nil
    }

    func apply(to wishes: inout RoomWishes) {
      wishes.emptyTime = emptyTimeout.applied(to: wishes.emptyTime) { .seconds($0) }
      wishes.participants = maxParticipants.applied(to: wishes.participants) { $0 }
      wishes.graceTime = graceTime.applied(to: wishes.graceTime) { .seconds($0) }
      wishes.requestTime = requestTimeout.applied(to: wishes.requestTime) { .seconds($0) }
      wishes.push = push.applied(to: wishes.push) { $0 }
      wishes.audience = audience.applied(to: wishes.audience) { $0 }
      wishes.stage = stage.applied(to: wishes.stage) { $0 }
      wishes.pk = pk.applied(to: wishes.pk) { $0 }
      wishes.host = seatsHost.applied(to: wishes.host) { $0 }
    }
  }

  /// The effective settings of a room.
  struct RoomSettings: Encodable, Sendable {
    /// Seconds.
    var emptyTimeout: Int
    var maxParticipants: Int
    /// Seconds.
    var graceTime: Int
    /// Seconds.
    var requestTimeout: Int
    /// The push policy; its URL without the query, which may contain a key.
    var push: PushPolicy
    var audience: RoomAudience
    var stage: StagePicture
    var pk: PKPicture
    var seatsHost: Bool

    init(_ settings: RoomCore.Settings) {
      emptyTimeout = Int(settings.emptyTime.milliseconds / 1000)
      maxParticipants = settings.participants
      graceTime = Int(settings.graceTime.milliseconds / 1000)
      requestTimeout = Int(settings.rules.requestTime / 1000)
      push = settings.push
      push.publishUrl = push.publishUrl.map { String($0.prefix { $0 != "?" }) }
      audience = settings.audience
      stage = settings.stage
      pk = settings.pk
      seatsHost = settings.rules.hostIsSeated
    }
  }
}
