public import RoomPush

extension PushFailure {
  /// Converts the failure of an SRT connection.
  public init(_ failure: SRTFailure) {
    self =
      switch failure {
      case .nameNotFound(let host): .name(host)
      case .unusable(let cause): .refused(cause)
      case .timedOut: .timeout("SRT")
      case .rejected(let rejection): .rejected(code: "\(rejection.code)", reason: rejection.reason)
      case .lost(let cause): .broken(cause)
      case .stalled: .stalled
      }
  }
}
