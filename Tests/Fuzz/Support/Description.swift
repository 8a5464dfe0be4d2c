/// A session description from an input: where it is not one from its first line on, a session that any peer would offer stands
/// before it. So a short input is about its m-lines at once, and not about getting there.
public func description(_ text: String) -> String { text.hasPrefix("v=") ? text : session + text }

private let session =
  "v=0\no=- 1 1 IN IP4 0.0.0.0\ns=-\nt=0 0\na=group:BUNDLE 0 1 2 3\na=ice-ufrag:abcd\na=ice-pwd:abcdefghijklmnopqrstuvwx\n"
  + "a=fingerprint:sha-256 " + Array(repeating: "A5", count: 32).joined(separator: ":") + "\n"

/// The parts of an input between NUL bytes, as text: for what takes one message after the other.
public func texts(_ bytes: UnsafeRawBufferPointer) -> [String] {
  bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
}
