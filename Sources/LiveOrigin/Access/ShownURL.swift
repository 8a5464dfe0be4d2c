extension String {
  /// A URL, valid or not, for display: without user name, password, query and fragment, any of which may be secret.
  package var shownURL: String {
    let shown = prefix { $0 != "?" && $0 != "#" }
    // The last "@", because a password may contain others.
    guard let at = shown.lastIndex(of: "@") else { return String(shown) }
    let scheme = shown.firstRange(of: "://").map { shown[..<$0.upperBound] } ?? ""
    return String(scheme + shown[shown.index(after: at)...])
  }
}
