import Testing

@testable import RoomWebRTC

@Suite("DTLS: records and flights") struct DTLSFlightTests {
  private func record(_ type: UInt8, epoch: UInt8 = 0, number: UInt8 = 0, count: Int) -> [UInt8] {
    [type, 0xFE, 0xFD, 0, epoch, 0, 0, 0, 0, 0, number, UInt8(count >> 8), UInt8(count & 0xFF)]
      + [UInt8](repeating: type, count: count)
  }

  private func numbers(_ datagrams: [[UInt8]]) -> [UInt8] {
    datagrams.flatMap { datagram in
      datagram.withUnsafeBytes { bytes in
        var found: [UInt8] = []
        var offset = 0
        while let record = DTLSRecord(bytes, at: offset) {
          found.append(bytes[record.range.lowerBound + 10])
          offset = record.range.upperBound
        }
        return found
      }
    }
  }

  @Test("whole records are packed into datagrams of at most the MTU") func packing() {
    var flight = DTLSFlight()
    let written = (0..<10).flatMap { _ in record(22, count: 400) }
    let datagrams = flight.replace(with: written, mtu: 1200)
    #expect(datagrams.map(\.count) == [826, 826, 826, 826, 826])
  }

  @Test("a repetition gets new record numbers in epoch 0 and keeps its own in epoch 1") func repetition() {
    var flight = DTLSFlight()
    let written =
      record(22, number: 0, count: 50) + record(20, number: 1, count: 1) + record(22, epoch: 1, number: 0, count: 40)
    #expect(numbers(flight.replace(with: written, mtu: 1200)) == [0, 1, 0])
    #expect(numbers(flight.repeated(mtu: 1200)) == [2, 3, 0])
    #expect(numbers(flight.replace(with: record(22, number: 2, count: 9), mtu: 1200)) == [4])
  }

  @Test("an alert is sent once and does not replace the flight") func alert() {
    var flight = DTLSFlight()
    _ = flight.replace(with: record(22, count: 50), mtu: 1200)
    #expect(flight.replace(with: record(21, count: 2), mtu: 1200).count == 1)
    #expect(flight.records.count == 1)
  }

  @Test("malformed records are rejected") func malformed() {
    let good = record(22, count: 20)
    for count in 0..<good.count {
      good.prefix(count).withUnsafeBytes { #expect(DTLSRecord($0, at: 0) == nil) }
    }
    for (index, value) in [(0, UInt8(19)), (0, 24), (1, 3), (2, 0xFC)] {
      var bad = good
      bad[index] = value
      bad.withUnsafeBytes { #expect(DTLSRecord($0, at: 0) == nil) }
    }
    good.withUnsafeBytes { #expect(DTLSRecord($0, at: 0)?.range == 0..<33) }
  }
}
