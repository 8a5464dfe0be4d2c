import Foundation
import RoomProtocol
import Testing

@Suite("JSON that is passed on without decoding")
struct JSONTextTests {
  @Test(
    "one value of any kind is accepted",
    arguments: [
      "null", "true", " false ", "0", "-0", "12.5e+3", "1E9", "\"\"", #""\" \\ \/ \b \f \n \r \t é 爱""#, "[]", "[ ]",
      "[1, [2, {}]]", "{}", #"{"a": 1, "b": [true, null], "c": {"d": "e"}}"#, "\t\r\n {\n}\n", "1e400",
      String(repeating: "[", count: 64) + String(repeating: "]", count: 64),
    ])
  func whole(text: String) { #expect(JSONText.isWhole(text)) }

  @Test(
    "anything else is rejected",
    arguments: [
      "", " ", "nul", "True", "01", "-", "+1", "1.", ".5", "1e", "\"", #""\x""#, #""\u12g4""#, "\"\n\"", "'a'", "[1,]", "[1 2]",
      "[",
      "]", "{", "{1: 2}", #"{"a"}"#, #"{"a": }"#, #"{"a": 1,}"#, "{} {}", "1 2", "[1}", "NaN", "Infinity", "/* */ 1",
      String(repeating: "[", count: 65) + String(repeating: "]", count: 65), String(repeating: "[", count: 100_000),
    ])
  func broken(text: String) { #expect(!JSONText.isWhole(text)) }

  @Test("Foundation can decode what it accepts")
  func mutated() {
    let original = Array(#"{"a": [1, -2.5e3, "x\né", true], "b": {"c": null}}"#.utf8)
    var state: UInt64 = 5
    func random(_ below: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % below
    }
    for _ in 0..<3000 {
      var bytes = original
      for _ in 0...random(3) {
        let at = random(bytes.count)
        switch random(3) {
        case 0: bytes[at] = UInt8(random(128))
        case 1: bytes.remove(at: at)
        default: bytes.insert(contentsOf: bytes[at...].prefix(random(8)), at: at)
        }
      }
      let text = String(decoding: bytes, as: UTF8.self)
      if JSONText.isWhole(text) {
        #expect((try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)) != nil, "\(text)")
      }
    }
  }
}
