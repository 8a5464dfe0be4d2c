/// An uploaded file.
package struct Upload: Sendable, Hashable, Encodable {
  package var id: UploadID
  /// The name that the client gave; for people, and never part of a path.
  package var name: String
  package var bytes: Int64
  /// Milliseconds since 1970.
  package var createdAt: Int64
}

/// Why a file is not stored.
package enum UploadFailure: Error, Sendable, Hashable {
  /// Other uploads are arriving, as many as may at once.
  case busy
  /// All files together would be larger than the settings allow.
  case total(limit: Int64)
  /// There are as many files as the server lists.
  case count(limit: Int)
  /// The disk is full.
  case diskFull
  /// The disk does not work; with the reason.
  case disk(String)
  /// It has no byte.
  case empty
  /// Its client left or was too slow, or the server stops.
  case aborted
  /// It is longer than a file may be.
  case tooLarge

  /// The label in `/metrics`.
  var cause: String {
    switch self {
    case .busy: "busy"
    case .total, .count: "total"
    case .diskFull: "full"
    case .disk: "disk"
    case .empty: "empty"
    case .aborted: "aborted"
    case .tooLarge: "limit"
    }
  }

  /// A description for the log.
  var reason: String {
    switch self {
    case .disk(let reason): reason
    default: cause
    }
  }

  static let causes = ["aborted", "busy", "disk", "empty", "full", "limit", "total"]
}
