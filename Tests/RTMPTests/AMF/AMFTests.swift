import RoomRTMP
import RoomTestSupport
import Testing

@Suite struct AMFTests {
  private func read(_ bytes: [UInt8], limits: AMFLimits = .init()) throws -> [AMFValue] {
    try bytes.withUnsafeBytes { try AMF0Reader.values(of: $0, limits: limits) }
  }

  private func written(_ values: [AMFValue]) -> [UInt8] {
    var bytes: [UInt8] = []
    for value in values { bytes.appendAMF0(value) }
    return bytes
  }

  @Test("every kind of AMF0 value survives a round trip")
  func roundTrip() throws {
    let values: [AMFValue] = [
      .null, .undefined, true, false, 0.0, -1.5, .number(.infinity), "", "live/stüdio",
      .string(String(repeating: "x", count: 70_000)),
      .object(["app": "live", "inner": .object(["deep": .array([1.0, "two", .null])])]), .object(AMFObject()),
      .ecmaArray(["duration": 0.0, "": "an empty name"]), .array([]), .date(milliseconds: 1_700_000_000_000),
      .typedObject("Person", ["name": "x"]),
    ]
    #expect(try read(written(values)) == values)
  }

  @Test("the bytes are those of the specification")
  func bytes() {
    #expect(
      written(["connect", 1.0, .object(["app": "live"])])
        == [2, 0, 7] + Array("connect".utf8) + [0, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0] + [3, 0, 3] + Array("app".utf8)
        + [2, 0, 4] + Array("live".utf8) + [0, 0, 9])
  }

  @Test("an associative array may omit its end marker at the end of a message, and have a wrong count")
  func endlessArray() throws {
    let bytes: [UInt8] = [8, 0xff, 0xff, 0xff, 0xff, 0, 1, 0x61, 1, 1]
    #expect(try read(bytes) == [.ecmaArray(["a": true])])
    #expect(throws: AMFError.truncated) { try read([3, 0, 1, 0x61, 1, 1]) }
  }

  @Test("unreadable values are refused with their reason")
  func errors() {
    #expect(throws: AMFError.reference) { try read([7, 0, 0]) }
    #expect(throws: AMFError.unknownMarker(4)) { try read([4]) }
    #expect(throws: AMFError.unknownMarker(0x42)) { try read([0x42]) }
    #expect(throws: AMFError.truncated) { try read([0, 1, 2]) }
    #expect(throws: AMFError.truncated) { try read([2, 0, 5, 0x61]) }
    #expect(throws: AMFError.truncated) { try read([0x0c, 0xff, 0xff, 0xff, 0xff]) }
    #expect(throws: AMFError.truncated) { try read([0x0a, 0xff, 0xff, 0xff, 0xff]) }
  }

  @Test(
    "endless nesting is refused before it exhausts the stack",
    arguments: [[3, 0, 1, 0x61], [0x0a, 0, 0, 0, 1], [0x11, 0x09, 3, 1]] as [[UInt8]])
  func nesting(opening: [UInt8]) {
    let bytes = (0..<100_000).flatMap { _ in opening }
    #expect(throws: AMFError.self) { try read(bytes) }
  }

  @Test("depth and number of values are limited")
  func limits() throws {
    var value = AMFValue.number(1)
    for _ in 0..<16 { value = .array([value]) }
    #expect(try read(written([value])) == [value])
    #expect(throws: AMFError.tooDeep) { try read(written([.array([value])])) }
    #expect(throws: AMFError.tooManyValues) { try read([UInt8](repeating: 5, count: 5000)) }
    #expect(throws: AMFError.tooManyValues) { try read([0x0a, 0, 0xff, 0, 0] + [UInt8](repeating: 5, count: 5000)) }
  }

  @Test("AMF3 values are read after the switch marker")
  func amf3() throws {
    #expect(try read([0x11, 0x04, 0x01]) == [1.0])
    #expect(try read([0x11, 0x04, 0xff, 0xff, 0xff, 0xff]) == [-1.0])
    #expect(try read([0x11, 0x04, 0x83, 0x7f]) == [511.0])
    #expect(try read([0x11, 0x05, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0]) == [1.5])
    #expect(try read([0x11, 0x06, 0x07, 0x61, 0x62, 0x63]) == ["abc"])
    #expect(try read([0x11, 0x02, 0x11, 0x03, 0x11, 0x01, 0x11, 0x00]) == [false, true, .null, .undefined])
    #expect(try read([0x11, 0x0c, 0x07, 1, 2, 3]) == [.bytes([1, 2, 3])])
    // An anonymous dynamic object: {app: "app"}, where the value is a reference to the name.
    #expect(try read([0x11, 0x0a, 0x0b, 0x01, 0x07, 0x61, 0x70, 0x70, 0x06, 0x00, 0x01]) == [.object(["app": "app"])])
    // A class with two names, and a second object of the same class.
    let object: [UInt8] = [0x0a, 0x23, 0x03, 0x50, 0x03, 0x61, 0x03, 0x62, 0x04, 0x01, 0x04, 0x02]
    #expect(
      try read([0x11, 0x09, 0x05, 0x01] + object + [0x0a, 0x01, 0x04, 0x03, 0x04, 0x04])
        == [.array([.typedObject("P", ["a": 1.0, "b": 2.0]), .typedObject("P", ["a": 3.0, "b": 4.0])])])
    #expect(try read([0x11, 0x0d, 0x05, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 2]) == [.array([-1.0, 2.0])])
    #expect(try read([0x11, 0x11, 0x03, 0, 0x04, 0x01, 0x03]) == [.array([.array([1.0, true])])])
    // What follows is AMF0 again.
    #expect(
      try read([0x11, 0x09, 0x05, 0x03, 0x61, 0x03, 0x01, 0x04, 0x09, 0x04, 0x08, 0x01, 1]) == [
        .ecmaArray(["a": true, "0": 9.0, "1": 8.0]), true,
      ])
  }

  @Test("AMF3 references to objects are not resolved, and invalid ones are refused")
  func amf3References() throws {
    // An array that contains itself.
    #expect(try read([0x11, 0x09, 0x03, 0x01, 0x09, 0x00]) == [.array([.undefined])])
    #expect(throws: AMFError.reference) { try read([0x11, 0x09, 0x00]) }
    #expect(throws: AMFError.reference) { try read([0x11, 0x06, 0x00]) }
    #expect(throws: AMFError.reference) { try read([0x11, 0x0a, 0x05]) }
    #expect(throws: AMFError.externalizable) { try read([0x11, 0x0a, 0x07, 0x03, 0x50]) }
  }

  @Test("a command in AMF3 form is read with and without its leading byte")
  func amf3Command() throws {
    let plain = Command("createStream", transaction: 4).message()
    for payload in [[0] + plain.payload, plain.payload] {
      let message = RTMPMessage(type: .commandAMF3, payload: payload)
      #expect(try Command(message) == Command("createStream", transaction: 4))
    }
    #expect(try Command(RTMPMessage(type: .audio, payload: plain.payload)) == nil)
    #expect(throws: AMFError.self) { try Command(RTMPMessage(type: .command, payload: [5])) }
  }

  @Test("random and damaged values are read or refused, nothing else")
  func fuzz() {
    var random = SeededGenerator(seed: 11)
    let seeds = [
      written(["onMetaData", .ecmaArray(["width": 320.0, "list": .array([.object(["a": "b"])])]), .date(milliseconds: 5)]),
      [
        0x11, 0x09, 0x05, 0x01, 0x0a, 0x23, 0x03, 0x50, 0x03, 0x61, 0x03, 0x62, 0x04, 0x01, 0x04, 0x02, 0x0a, 0x01, 0x04, 0x03,
        0x04, 0x04,
      ],
    ]
    for round in 0..<10_000 {
      let bytes = round % 4 == 0 ? random.bytes(60) : random.mutate(seeds[round % 2])
      _ = try? read(bytes)
      _ = try? read([0x11] + bytes)
    }
  }
}
