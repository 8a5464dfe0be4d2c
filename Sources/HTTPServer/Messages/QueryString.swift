/// The part after the question mark of a URL: members of the form `name=value`, separated by `&`.
package enum QueryString {
  /// Members that are read; the rest is ignored.
  private static let mostMembers = 64

  /// Returns the value of the first member of that name, as sent; nil if there is none.
  package static func value(_ name: String, in query: String) -> String? {
    for pair in query.split(separator: "&").prefix(mostMembers) {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, parts[0] == name { return String(parts[1]) }
    }
    return nil
  }
}
