import Testing

@testable import RoomRedis

@Suite("Replies of RESP2")
struct ReplyReaderTests {
  private static let text = "+OK\r\n:-12\r\n$-1\r\n*-1\r\n$5\r\na\r\nb!\r\n*0\r\n*2\r\n*2\r\n:1\r\n$0\r\n\r\n-ERR no\r\n"
  private static let values: [RedisValue] = [
    .status("OK"), .integer(-12), .null, .null, .bytes(Array("a\r\nb!".utf8)), .array([]),
    .array([.array([.integer(1), .bytes([])]), .error("ERR no")]),
  ]

  @Test("replies in parts of any size are the same", arguments: [1, 2, 3, 7, 1000])
  func parts(size: Int) throws {
    var reader = ReplyReader()
    var values: [RedisValue] = []
    var bytes = Array(Self.text.utf8)[...]
    while !bytes.isEmpty {
      reader.append(bytes.prefix(size))
      bytes = bytes.dropFirst(size)
      while let value = try reader.next() { values.append(value) }
    }
    #expect(values == Self.values)
  }

  @Test(
    "what exceeds a limit is refused",
    arguments: [
      "$101\r\n", "*11\r\n", "*2\r\n*9\r\n", "*1\r\n*1\r\n*1\r\n", "$x\r\n", "?\r\n", "\r\n", ":9223372036854775808\r\n",
      "+" + String(repeating: "x", count: 60),
    ])
  func limits(text: String) throws {
    var reader = ReplyReader(.init(bytes: 100, elements: 10, depth: 2, line: 50))
    reader.append(Array(text.utf8))
    #expect(throws: ReplyReader.Failure.self) { while try reader.next() != nil {} }
  }
}
