/// The API keys, each with its secret.
enum AccessSection: SettingSection {
  static let title = "Access"
  static let settings: [Setting] = [
    .text("key", "key", at: \.keys.key, default: "none, required", "The API key"),
    .text(
      "secret", "secret", at: \.keys.secret, default: "none, required", privacy: .secret,
      "The API key's secret, at least 32 bytes: `openssl rand -hex 32`"),
    .list(
      "api-key", "id:secret", at: \.keys.others, privacy: .secret, variable: "ROOMSERVER_API_KEYS",
      """
      An API key and its secret in one value. Tokens of all keys are valid, and the server signs with the first one, which \
      is --key if given
      """),
  ]
}
