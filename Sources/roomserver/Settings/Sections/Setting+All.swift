// Another section is added here.

extension Setting {
  static let sections: [any SettingSection.Type] = [
    AccessSection.self, NetworkSection.self, MediaSection.self, TLSSection.self, ICESection.self, RoomsSection.self,
    RulesSection.self, SignallingSection.self, OriginSection.self, HLSSection.self, JobsSection.self, PlayersSection.self,
    UploadsSection.self, WebhooksSection.self, ClusterSection.self, ServerSection.self,
  ]

  static let all: [Setting] = sections.flatMap { $0.settings }
  static let named: [String: Setting] = Dictionary(all.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
}
