/// Settings that belong together: a heading of the help and of the file. The row of a setting is its only declaration.
protocol SettingSection: Sendable {
  static var title: String { get }
  static var settings: [Setting] { get }
}
