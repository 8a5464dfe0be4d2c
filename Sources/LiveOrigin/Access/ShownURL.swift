extension String {
  /// A URL, or what should be one, for people: without user name, password, query and fragment, each of which may be a secret.
  package var shownURL: String {
    let shown = prefix { $0 != "?" && $0 != "#" }
    // The last one, as a password may hold others.
    guard let at = shown.lastIndex(of: "@") else { return String(shown) }
    let scheme = shown.firstRange(of: "://").map { shown[..<$0.upperBound] } ?? ""
    return String(scheme + shown[shown.index(after: at)...])
  }
}
