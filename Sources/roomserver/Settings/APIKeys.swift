import ArgumentParser

/// The API keys that are given.
struct APIKeys: Sendable {
  var key: String?
  var secret: String?
  /// Other keys, in the form `ID:SECRET`.
  var others: [String] = []

  /// Returns all keys, the signing key first; empty if none is given.
  func all() throws -> [APIKey] {
    var keys: [APIKey] = []
    switch (key, secret) {
    case (nil, nil): break
    case (let key?, let secret?): keys.append(try APIKey(key, secret: secret))
    default:
      throw ValidationError(
        "a key requires its secret, and a secret its key (--key, --secret, ROOMSERVER_KEY, ROOMSERVER_SECRET)")
    }
    keys += try others.map { try APIKey(parsing: $0) }
    var names: Set<String> = []
    for key in keys where !names.insert(key.name).inserted {
      throw ValidationError(
        "the API key \"\(key.name.prefix(64))\" is given twice; use a different name for each key")
    }
    return keys
  }
}

/// An API key: tokens name it, and are signed with its secret.
struct APIKey {
  let name: String
  let secret: String

  init(_ name: String, secret: String) throws {
    guard !name.isEmpty else { throw ValidationError("the API key is empty") }
    guard secret.utf8.count >= 32 else {
      throw ValidationError("the secret has \(secret.utf8.count) bytes, but must have at least 32: try `openssl rand -hex 32`")
    }
    self.name = name
    self.secret = secret
  }

  /// Reads `ID:SECRET`; the secret may contain colons.
  init(parsing text: String) throws {
    // The text may be a secret without its key, so the error quotes no part of it.
    guard let colon = text.firstIndex(of: ":") else {
      throw ValidationError("--api-key must have the form ID:SECRET")
    }
    try self.init(String(text[..<colon]), secret: String(text[text.index(after: colon)...]))
  }
}
