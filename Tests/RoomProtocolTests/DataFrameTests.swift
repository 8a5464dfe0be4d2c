import RoomProtocol
import Testing

/// As documented in `api/signalling-data.md`.
@Suite struct DataFrameTests {
  @Test("a frame is a length, a header and a payload") func bytes() throws {
    let frame = DataFrame(DataFrame.Header(topic: "pose", to: ["bob"]), payload: [1, 2])
    let header = Array(#"{"to":["bob"],"topic":"pose"}"#.utf8)
    #expect(frame.bytes == [0, UInt8(header.count)] + header + [1, 2])
    #expect(DataFrame(try #require(frame.bytes)) == frame)
    #expect(DataFrame([0, 2] + Array("{}".utf8)) == DataFrame(DataFrame.Header(), payload: []))
  }

  @Test("what is malformed or beyond a limit is none") func limits() {
    for bytes: [UInt8] in [[], [0], [0, 0], [0, 3, 1, 2], [0, 2] + Array("[]".utf8), [0xFF, 0xFF]] {
      #expect(DataFrame(bytes) == nil)
    }
    #expect(DataFrame([0, 2] + Array("{}".utf8) + [UInt8](repeating: 0, count: 60_001)) == nil)
    func bytes(_ header: DataFrame.Header, _ payload: Int = 0) -> [UInt8]? {
      DataFrame(header, payload: [UInt8](repeating: 0, count: payload)).bytes
    }
    #expect(bytes(DataFrame.Header(), 60_001) == nil)
    #expect(bytes(DataFrame.Header(topic: String(repeating: "x", count: 257))) == nil)
    #expect(bytes(DataFrame.Header(to: [UserID](repeating: "bob", count: 65))) == nil)
  }
}
