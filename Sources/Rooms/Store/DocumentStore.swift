import Foundation

/// Storage for small values that belong to no room, each with a kind and an id. All nodes of a cluster share them.
package protocol DocumentStore: Sendable {
  /// Returns all documents of a kind, by id.
  func documents(_ kind: DocumentKind) async throws -> [String: Data]
  func document(_ kind: DocumentKind, _ id: String) async throws -> Data?
  /// Writes a document, or removes it. Returns once that is on disk.
  func set(_ document: Data?, _ kind: DocumentKind, _ id: String) async throws
}

/// The kind of a document. The text is in the store.
package enum DocumentKind: String, Sendable {
  case egress, ingress
  /// A dispatch of agents.
  case dispatch
}

/// Documents in memory, for a server without a data directory.
package actor DocumentMemory: DocumentStore {
  private var all: [DocumentKind: [String: Data]] = [:]

  package init() {}

  package func documents(_ kind: DocumentKind) -> [String: Data] { all[kind] ?? [:] }
  package func document(_ kind: DocumentKind, _ id: String) -> Data? { all[kind]?[id] }
  package func set(_ document: Data?, _ kind: DocumentKind, _ id: String) { all[kind, default: [:]][id] = document }
}
