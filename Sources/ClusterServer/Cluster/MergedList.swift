import Foundation
import RoomCluster

/// A list of which each node has a part: how the parts become one, page by page.
struct MergedList: Sendable {
  /// The order of the entries, in which each node sends its own.
  enum Order: Sendable {
    /// By this member, a time: the newest first.
    case newest(String)
    /// By this member, a text.
    case text(String)
  }

  /// An entry of a node's answer, as received.
  typealias Entry = [String: Any]

  /// What a node answered.
  struct Part {
    var node: NodeID
    var entries: [Entry]
    /// Whether the node has more.
    var hasMore: Bool

    init(_ node: NodeID, entries: [Entry], hasMore: Bool) {
      (self.node, self.entries, self.hasMore) = (node, entries, hasMore)
    }

    /// Reads an answer; nil if it is no list of this kind.
    init?(_ node: NodeID, _ body: [UInt8], _ list: MergedList) {
      guard let object = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any],
        let entries = object[list.member] as? [Entry]
      else { return nil }
      self.init(node, entries: entries, hasMore: object["next"] != nil)
    }
  }

  struct Page {
    /// Each has the member `node`.
    var entries: [Entry]
    /// Nil on the last page.
    var next: PageCursor?
  }

  /// The member of an answer that has the entries.
  var member: String
  /// The parameter of a request that has the position.
  var parameter: String
  var order: Order
  /// Returns a node's own position after an entry.
  var position: @Sendable (Entry) -> String?
  /// The number of entries of a page without `limit`.
  var usualLimit = 100

  static let largestLimit = 1000

  /// Merges a page.
  /// - Parameters:
  ///   - parts: the answers, by node.
  ///   - before: the position of the page; nil for the first one.
  ///   - missing: the nodes that were asked and did not answer. The next page asks them again.
  func page(_ parts: [Part], after before: PageCursor?, missing: [NodeID], limit: Int) -> Page {
    var taken = [Int](repeating: 0, count: parts.count)
    var entries: [Entry] = []
    while entries.count < limit {
      var best: Int?
      // The rest of a node's part has entries that may come next: the page ends there.
      var isCut = false
      for (index, part) in parts.enumerated() {
        guard taken[index] < part.entries.count else {
          if part.hasMore { isCut = true }
          continue
        }
        if let other = best, !precedes(part.entries[taken[index]], parts[other].entries[taken[other]]) { continue }
        best = index
      }
      guard let best, !isCut else { break }
      var entry = parts[best].entries[taken[best]]
      entry["node"] = parts[best].node.text
      entries.append(entry)
      taken[best] += 1
    }
    var positions: [String: String] = [:]
    for (index, part) in parts.enumerated() where taken[index] < part.entries.count || part.hasMore {
      let last = taken[index] > 0 ? position(part.entries[taken[index] - 1]) : nil
      positions[part.node.text] = last ?? before?.positions[part.node.text] ?? ""
    }
    guard !positions.isEmpty else { return Page(entries: entries) }
    for node in missing { positions[node.text] = before?.positions[node.text] ?? "" }
    return Page(entries: entries, next: PageCursor(positions: positions))
  }

  private func precedes(_ one: Entry, _ other: Entry) -> Bool {
    switch order {
    case .newest(let member): (one[member] as? Int64 ?? 0) > (other[member] as? Int64 ?? 0)
    case .text(let member): (one[member] as? String ?? "") < (other[member] as? String ?? "")
    }
  }
}

/// The position of a page: that of each node that has more, empty for the beginning.
struct PageCursor: Sendable, Hashable {
  /// By node.
  var positions: [String: String]

  init(positions: [String: String]) { self.positions = positions }

  /// Parses ``text``; nil for other texts.
  init?(_ text: String) {
    var base = text.replacing("-", with: "+").replacing("_", with: "/")
    base += String(repeating: "=", count: (4 - base.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: base), let positions = try? JSONDecoder().decode([String: String].self, from: data),
      positions.keys.allSatisfy({ NodeID($0) != nil })
    else { return nil }
    self.positions = positions
  }

  /// The cursor as clients get it.
  var text: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return ((try? encoder.encode(positions)) ?? Data()).base64EncodedString().replacing("+", with: "-")
      .replacing("/", with: "_").replacing("=", with: "")
  }
}
