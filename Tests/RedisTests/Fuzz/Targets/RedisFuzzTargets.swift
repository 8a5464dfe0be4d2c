import RoomFuzzSupport

@testable import RoomRedis

/// The fuzz targets by name. The tests run the stored inputs through the same code.
let redisFuzzTargets: [String: @Sendable (UnsafeRawBufferPointer) -> Void] = ["resp": fuzzReplies]

private let masterQuestions = ["redis+cluster://a", "redis+sentinel://a/m"].compactMap {
  (try? RedisURL($0)).flatMap { MasterQuestion($0, tag: "roomserver") }
}

/// Replies in one piece and in pieces are the same. A master that a reply names has a port.
@Sendable private func fuzzReplies(_ bytes: UnsafeRawBufferPointer) {
  let limits = ReplyReader.Limits(bytes: 4096, elements: 64, depth: 4, line: 256)
  var whole = ReplyReader(limits)
  var parts = ReplyReader(limits)
  whole.append(bytes)
  var values: [RedisValue] = []
  while let value = try? whole.next() { values.append(value) }
  for value in values {
    for question in masterQuestions {
      guard let master = try? question.master(in: value, of: question.servers[0]) else { continue }
      precondition((1...65_535).contains(master.port) && !master.host.isEmpty)
    }
  }
  var same: [RedisValue] = []
  for byte in bytes {
    parts.append(CollectionOfOne(byte))
    while let value = try? parts.next() { same.append(value) }
    // A reader that has failed is not used again.
    if same.count > values.count { break }
  }
  precondition(same.starts(with: values))
}
