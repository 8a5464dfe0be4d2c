import RoomProtocol
import RoomEngine

extension API {
  /// The settings of a room in a request that creates or changes it.
  package struct RoomSettingsUpdate: Decodable, Sendable {
    /// One setting in a request.
    enum Field<Value: Decodable & Sendable>: Sendable {
      /// Absent: the setting stays unchanged.
      case unset
      /// Null: the server's default.
      case `default`
      case value(Value)

      var value: Value? { if case .value(let value) = self { value } else { nil } }

      /// - Parameter old: the current value; nil for the server's default.
      func applied<Stored>(to old: Stored?, _ stored: (Value) -> Stored) -> Stored? {
        switch self {
        case .unset: old
        case .default: nil
        case .value(let value): stored(value)
        }
      }
    }

    /// Seconds.
    var emptyTimeout: Field<Int> = .unset
    var maxParticipants: Field<Int> = .unset
    /// Seconds.
    var graceTime: Field<Int> = .unset
    /// Seconds.
    var requestTimeout: Field<Int> = .unset
    var push: Field<PushPolicy> = .unset
    /// What participants without a seat receive.
    var audience: Field<RoomAudience> = .unset
    /// The picture of the room's own mix.
    var stage: Field<StagePicture> = .unset
    /// The picture of broadcasts during a PK.
    var pk: Field<PKPicture> = .unset
    var seatsHost: Field<Bool> = .unset
    /// Who may watch without joining.
    var watch: Field<WatchPolicy> = .unset
    /// Rooms that never meet this one in a PK.
    var pkApart: Field<[RoomName]> = .unset

    /// The valid values of `emptyTimeout`.
    package static let emptyTimeouts = 10...86400

    /// Changes nothing.
    init() {}

    private enum CodingKeys: CodingKey {
      case emptyTimeout, maxParticipants, graceTime, requestTimeout, push, audience, stage, pk, seatsHost, watch, pkApart
    }

    package init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      func field<Value: Decodable & Sendable>(_ key: CodingKeys) throws -> Field<Value> {
        guard members.contains(key) else { return .unset }
        return try members.decodeNil(forKey: key) ? .default : .value(try members.decode(Value.self, forKey: key))
      }
      emptyTimeout = try field(.emptyTimeout)
      maxParticipants = try field(.maxParticipants)
      graceTime = try field(.graceTime)
      requestTimeout = try field(.requestTimeout)
      push = try field(.push)
      audience = try field(.audience)
      stage = try field(.stage)
      pk = try field(.pk)
      seatsHost = try field(.seatsHost)
      watch = try field(.watch)
      pkApart = try field(.pkApart)
    }

    /// Returns the validation error, in a sentence that names the member; nil if the settings are valid.
    func validationError(_ limits: ServerLimits) -> String? {
      if !Self.emptyTimeouts.contains(emptyTimeout.value ?? 10) { return "emptyTimeout: 10 to 86400 seconds" }
      if !(1...limits.participantsPerRoom).contains(maxParticipants.value ?? 1) {
        return "maxParticipants: 1 to \(limits.participantsPerRoom)"
      }
      if !(1...3600).contains(graceTime.value ?? 1) { return "graceTime: 1 to 3600 seconds" }
      if !(5...600).contains(requestTimeout.value ?? 5) { return "requestTimeout: 5 to 600 seconds" }
      if let validationError = stage.value?.validationError { return "stage.\(validationError)" }
      if let validationError = pk.value?.validationError { return "pk.\(validationError)" }
      if let image = pk.value?.background?.image, !RoomImages.isName(image) {
        return "pk.background.image: \(RoomImages.nameRule)"
      }
      if let apart = pkApart.value, apart.count > 64 || !apart.allSatisfy({ (1...128).contains($0.rawValue.utf8.count) }) {
        return "pkApart: at most 64 names of rooms"
      }
      if let validationError = push.value?.validationError { return "push.\(validationError)" }
      return nil
    }

    func apply(to options: inout RoomSettingsOptions) {
      options.emptyTime = emptyTimeout.applied(to: options.emptyTime) { .seconds($0) }
      options.participants = maxParticipants.applied(to: options.participants) { $0 }
      options.graceTime = graceTime.applied(to: options.graceTime) { .seconds($0) }
      options.requestTime = requestTimeout.applied(to: options.requestTime) { .seconds($0) }
      options.push = push.applied(to: options.push) { $0 }
      options.audience = audience.applied(to: options.audience) { $0 }
      options.stage = stage.applied(to: options.stage) { $0 }
      options.pk = pk.applied(to: options.pk) { $0 }
      options.host = seatsHost.applied(to: options.host) { $0 }
      options.watch = watch.applied(to: options.watch) { $0 }
      options.pkApart = pkApart.applied(to: options.pkApart) { $0 }
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
    /// Nil: by the shape of both cameras.
    var pk: PKPicture?
    var seatsHost: Bool
    var watch: WatchPolicy
    /// Nil for none.
    var pkApart: [RoomName]?

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
      watch = settings.watch
      pkApart = settings.rules.pkApart
    }
  }
}
