import Foundation
import RoomLiveKitProtocol
import RoomTestSupport
import Testing

@Suite("LiveKit's messages: livekit-protocol as the oracle", .enabled(if: Oracle.isInstalled))
struct OracleTests {
  @Test("tables, bytes and JSON of every message are those of the generated classes, in both directions", arguments: [1, 2])
  func random(seed: Int) async throws {
    var generator = RandomMessage(SeededGenerator(seed: UInt64(seed)))
    let own = try outerMessages.flatMap { type in try (0..<12).map { _ in try Self.sample(of: type, &generator) } }
    let answer = try await Oracle.compare(own, making: 12, of: outerMessages, seed: seed)
    #expect(answer.failures == [])
    #expect(answer.samples.count == 12 * outerMessages.count)

    let types = Dictionary(uniqueKeysWithValues: outerMessages.map { (Oracle.name(of: $0), $0) })
    let read = try answer.samples.compactMap { sample in try types[sample.message].map { try Self.read(sample, as: $0) } }
    #expect(read.count == answer.samples.count)
    #expect(try await Oracle.compare(read, making: 0, of: outerMessages, seed: seed).failures == [])
  }

  private static func sample<M: Message>(of type: M.Type, _ generator: inout RandomMessage<SeededGenerator>) throws
    -> Oracle.Sample
  {
    let bytes = generator.protobuf(type)
    return Oracle.Sample(try M(protobuf: bytes), original: Data(bytes).base64EncodedString())
  }

  /// Reads the three forms of a message of the oracle, which must be equal.
  private static func read<M: Message>(_ sample: Oracle.Sample, as type: M.Type) throws -> Oracle.Sample {
    let message = try M(protobuf: Array(try #require(Data(base64Encoded: sample.protobuf))))
    #expect(try M(json: Data(sample.twirp.utf8)) == message)
    #expect(try M(json: Data(sample.webhook.utf8)) == message)
    return Oracle.Sample(message, original: sample.protobuf)
  }
}
