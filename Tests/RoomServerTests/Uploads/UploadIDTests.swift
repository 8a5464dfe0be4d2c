import RoomCluster
import Testing

@testable import RoomServer

@Suite("The ids of uploads")
struct UploadIDTests {
  private static let random = String(repeating: "0a", count: 16)

  @Test("an id that is made is read again, with its node")
  func made() {
    for node in [nil, "a", "node-1.b_C"] as [NodeID?] {
      let id = UploadID(at: node)
      #expect(id.node == node && UploadID(id.description) == id)
    }
    #expect(UploadID(at: nil) != UploadID(at: nil))
  }

  @Test(
    "nothing else is an id, least of all a path",
    arguments: [
      "", "u-", "u", ".", "..", "/etc/passwd", "u-../../etc/passwd", "u-\(random)/", "u-\(random)/..", "u-\(random)-",
      "u-\(random)-a/b", "u-\(random)-../x", "u-\(random)-a\0", "u-\(random)\0", "U-\(random)", "u-\(random.uppercased())",
      "u-\(random.dropLast())", "u-\(random)0", ".u-\(random)", ".u-\(random).part", "u-\(random).json", " u-\(random)",
      "u-\(random)\n", "u-\(random)-é", "u-\(random)-\(String(repeating: "n", count: 65))", "u-\(random)e\u{301}",
    ])
  func refused(text: String) { #expect(UploadID(text) == nil) }
}
