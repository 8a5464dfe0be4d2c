import ArgumentParser
import Foundation

/// An API key and its secret.
struct KeyOptions: ParsableArguments {
  @Option(help: .setting("key")) var key: String?
  @Option(help: .setting("secret")) var secret: String?

  /// Nil where neither is given.
  func pair(_ settings: ServeSettings) throws -> (key: String, secret: String)? {
    switch (settings.text("key", key), settings.text("secret", secret)) {
    case (nil, nil): return nil
    case (let key?, let secret?):
      guard !key.isEmpty else { throw ValidationError("the API key is empty") }
      guard secret.utf8.count >= 32 else {
        throw ValidationError(
          "the secret has \(secret.utf8.count) bytes, and at least 32 are needed: try `openssl rand -hex 32`")
      }
      return (key, secret)
    default:
      throw ValidationError(
        "a key and its secret are needed, not one of them (--key, --secret, ROOMSERVER_KEY, ROOMSERVER_SECRET)")
    }
  }
}
