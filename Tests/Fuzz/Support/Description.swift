/// Returns a session description from an input. An input that does not start with a session is appended to one that any peer
/// would offer, so that a short input reaches the m-lines at once.
public func description(_ text: String) -> String { text.hasPrefix("v=") ? text : session + text }

private let session =
  "v=0\no=- 1 1 IN IP4 0.0.0.0\ns=-\nt=0 0\na=group:BUNDLE 0 1 2 3\na=ice-ufrag:abcd\na=ice-pwd:abcdefghijklmnopqrstuvwx\n"
  + "a=fingerprint:sha-256 " + Array(repeating: "A5", count: 32).joined(separator: ":") + "\n"

/// Returns the parts of an input between NUL bytes as text, for targets that accept a sequence of messages.
public func texts(_ bytes: UnsafeRawBufferPointer) -> [String] {
  bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
}
