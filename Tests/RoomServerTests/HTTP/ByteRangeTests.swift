import Testing

@testable import RoomHTTPServer

@Suite("Byte ranges")
struct ByteRangeTests {
  private func range(_ header: String, size: Int64 = 1000) -> ByteRange { ByteRange(header, size: size) }

  @Test("a single range is a part, cut at the end")
  func parts() {
    #expect(range("bytes=0-0") == .part(0..<1))
    #expect(range("bytes=0-999") == .part(0..<1000))
    #expect(range("bytes=10-99") == .part(10..<100))
    #expect(range("bytes=990-") == .part(990..<1000))
    #expect(range("bytes=990-99999999999999999999999") == .part(990..<1000))
    #expect(range("bytes=-10") == .part(990..<1000))
    #expect(range("bytes=-9223372036854775807") == .part(0..<1000))
    #expect(range(" Bytes = 1 - 2 ") == .part(1..<3))
  }

  @Test("a range without a byte of the file can't be satisfied")
  func unsatisfiable() {
    for header in ["bytes=1000-", "bytes=1000-1001", "bytes=-0", "bytes=99999999999999999999999-"] {
      #expect(range(header) == .unsatisfiable, "\(header)")
    }
    for header in ["bytes=0-", "bytes=0-0", "bytes=-1"] { #expect(range(header, size: 0) == .unsatisfiable, "\(header)") }
  }

  @Test("several ranges, other units and invalid headers mean the whole file")
  func whole() {
    for header in [
      "", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=2-1", "bytes=0-1,5-6", "bytes=1", "bytes=--1", "bytes=+1-2",
      "bytes=1-2-3", "lines=0-1", "bytes=٣-", "bytes 0-1",
    ] {
      #expect(range(header) == .whole, "\(header)")
    }
  }

  @Test("If-Range applies the range to this version of the file alone; HEAD has no range")
  func conditions() {
    func range(_ headers: [(name: String, value: String)], isHead: Bool = false) -> ByteRange {
      var request = HTTPRequest(method: "GET", target: "/", headers: headers)
      request.isHead = isHead
      return ByteRange(of: request, size: 10, entityTag: "\"a\"", modified: "Tue, 24 Nov 2026 19:00:00 GMT")
    }
    let wanted = (name: "range", value: "bytes=1-2")
    #expect(range([]) == .whole)
    #expect(range([wanted]) == .part(1..<3))
    for condition in ["\"a\"", "Tue, 24 Nov 2026 19:00:00 GMT"] {
      #expect(range([wanted, ("if-range", condition)]) == .part(1..<3))
    }
    for condition in ["\"b\"", "W/\"a\"", "Tue, 24 Nov 2026 19:00:01 GMT", ""] {
      #expect(range([wanted, ("if-range", condition)]) == .whole, "\(condition)")
    }
    #expect(range([wanted], isHead: true) == .whole)
  }
}
