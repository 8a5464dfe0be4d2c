import ArgumentParser
import Foundation
import RoomProtocol
import RoomToken

/// The server's address and the key that signs the bots' tokens.
struct ConnectionOptions: ParsableArguments {
  static let keyVariable = "ROOMSERVER_KEY"
  static let secretVariable = "ROOMSERVER_SECRET"

  @Option(help: "The signalling address.")
  var url = "ws://127.0.0.1:8080/v1/signal"

  @Option(help: "The API key that signs the tokens (default: $\(Self.keyVariable)).")
  var tokenKey: String?

  @Option(help: "The API key's secret (default: $\(Self.secretVariable), which is not visible to other users of this machine).")
  var tokenSecret: String?

  func tokens() async throws -> TokenMint {
    let environment = ProcessInfo.processInfo.environment
    guard let key = tokenKey ?? environment[Self.keyVariable], !key.isEmpty else {
      throw ValidationError("an API key is required: --token-key or $\(Self.keyVariable)")
    }
    guard let secret = tokenSecret ?? environment[Self.secretVariable], !secret.isEmpty else {
      throw ValidationError("the API key's secret is required: --token-secret or $\(Self.secretVariable)")
    }
    return try await TokenMint(key: key, secret: secret)
  }
}

/// Signs tokens for bots.
struct TokenMint: Sendable {
  private let keys: TokenKeys
  private let key: String

  /// - Parameter secret: at least 32 bytes.
  init(key: String, secret: String) async throws {
    keys = try TokenKeys([key: secret])
    self.key = key
  }

  /// Returns a REST API token that is valid for a day.
  func apiToken() throws -> String { try keys.sign(APIToken(key: key, expires: Date(timeIntervalSinceNow: 86_400))) }

  /// Returns a token that is valid for a day.
  func token(for user: UserID, in room: RoomName, grants: Grants = [.publish, .subscribe]) throws -> String {
    try keys.sign(RoomToken(room: room, user: user, grants: grants, expires: Date(timeIntervalSinceNow: 86_400)), key: key)
  }
}
