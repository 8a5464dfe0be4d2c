import ArgumentParser
import Foundation

/// An API key and its secret, from flags or the environment.
struct KeyOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The API key. Else ROOMSERVER_KEY.", valueName: "key"))
  var key: String?

  @Option(
    help: ArgumentHelp(
      "The API key's secret, at least 32 bytes. Else ROOMSERVER_SECRET, which others can't see.", valueName: "secret"))
  var secret: String?

  /// Nil where neither is given.
  func pair() throws -> (key: String, secret: String)? {
    let environment = ProcessInfo.processInfo.environment
    let key = key ?? environment["ROOMSERVER_KEY"]
    let secret = secret ?? environment["ROOMSERVER_SECRET"]
    switch (key, secret) {
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
