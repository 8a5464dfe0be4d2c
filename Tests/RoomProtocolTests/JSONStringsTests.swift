import Foundation
import RoomProtocol
import Testing

@Suite("JSON with invalid strings")
struct JSONStringsTests {
  private func validationError(_ text: [UInt8]) -> String? {
    do throws(UnreadableRequest) {
      let beginning = #"{"id":1,"method":"sendMessage","params":{"kind":"text","text":""#
      _ = try SignalRequest.decode(Array(beginning.utf8) + text + Array("\"}}".utf8))
      return nil
    } catch {
      #expect(error.error.code == .unknownMessage)
      return error.error.message
    }
  }

  @Test(
    "the error says what is invalid",
    arguments: [
      ([0xFF], "not JSON in UTF-8"), ([0xC3, 0x28], "not JSON in UTF-8"), ([0xED, 0xA0, 0x80], "not JSON in UTF-8"),
      ([0], "not JSON in UTF-8"), ([0x0A], "a control character, which must be escaped as \\u000a"),
      ([0x1F], "a control character, which must be escaped as \\u001f"),
      (Array(#"\uD800"#.utf8), "one half of a surrogate pair"),
      (Array(#"\uDC00"#.utf8), "one half of a surrogate pair"), (Array(#"\uD800\uD800"#.utf8), "one half of a surrogate pair"),
      (Array(#"\uD83Dx"#.utf8), "one half of a surrogate pair"), (Array(#"\uD83D\n"#.utf8), "one half of a surrogate pair"),
      (Array(#"\x"#.utf8), "a backslash"), (Array(#"\u12g4"#.utf8), "a backslash"), (Array(#"\u+123"#.utf8), "a backslash"),
    ] as [([UInt8], String)])
  func describesInvalidString(text: [UInt8], reason: String) {
    let validationError = validationError(text)
    #expect(validationError?.contains(reason) == true, "\(validationError ?? "nothing")")
    #expect(validationError?.contains("number") == false)
  }

  @Test(
    "all valid JSON strings are decoded", arguments: [#"\uD83D\uDE00"#, "😀", #"\" \\ \/ \b \f \n \r \t \u00e9"#, #"\u0000"#])
  func fine(text: String) { #expect(validationError(Array(text.utf8)) == nil) }

  @Test("a number that is out of range is still reported")
  func numbers() {
    let error = #expect(throws: UnreadableRequest.self) {
      try SignalRequest.decode(Array(#"{"id":1e400,"method":"ping"}"#.utf8))
    }
    #expect(error?.error.message.contains("id: the number is out of range") == true, "\(String(describing: error))")
  }

  @Test("encodings other than UTF-8 are rejected", arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf32])
  func encodings(encoding: String.Encoding) throws {
    let data = try #require(#"{"id":1,"method":"ping"}"#.data(using: encoding))
    let error = #expect(throws: UnreadableRequest.self) { try SignalRequest.decode(data) }
    #expect(error?.error.message.contains("not JSON in UTF-8") == true)
  }
}
