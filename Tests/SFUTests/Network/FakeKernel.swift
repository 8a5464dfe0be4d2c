import RoomCLinux
import Glibc

@testable import RoomSFU

/// A fake kernel that accepts what it wants: `answer` decides each call, and accepted messages are kept.
final class FakeKernel {
  struct Message: Equatable {
    var socket: Int32
    var packets: [[UInt8]]
    /// Whether `sendto` was called.
    var isSingle = false
  }

  enum Answer: Equatable { case take(Int), refuse(Int32) }

  /// Called before each call with its messages.
  var answer: ([Message]) -> Answer = { .take($0.count) }
  private(set) var taken: [Message] = []
  private(set) var callCount = 0
  /// Accepted packets, in order.
  var packets: [[UInt8]] { taken.flatMap(\.packets) }

  var calls: SendingCalls {
    SendingCalls(
      context: Unmanaged.passUnretained(self).toOpaque(),
      batch: { context, socket, messages, count in FakeKernel.from(context)?.take(socket, messages, count, false) ?? -EBADF },
      single: { context, socket, messages, _ in FakeKernel.from(context)?.take(socket, messages, 1, true) ?? -EBADF })
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> FakeKernel? {
    context.map { Unmanaged<FakeKernel>.fromOpaque($0).takeUnretainedValue() }
  }

  private func take(_ socket: Int32, _ list: UnsafePointer<linux_datagram>, _ count: Int32, _ isSingle: Bool) -> Int32 {
    callCount += 1
    let messages = (0..<Int(count)).map { index in
      let bytes = Array(UnsafeBufferPointer(start: list[index].data, count: Int(list[index].capacity)))
      let segment = list[index].segment == 0 ? max(1, bytes.count) : Int(list[index].segment)
      let packets = stride(from: 0, to: bytes.count, by: segment).map { Array(bytes[$0..<min($0 + segment, bytes.count)]) }
      return Message(socket: socket, packets: packets, isSingle: isSingle)
    }
    switch answer(messages) {
    case .refuse(let cause): return -cause
    case .take(let number):
      taken += messages.prefix(number)
      return Int32(number)
    }
  }
}

/// Returns a packet of this length, identified by its number.
func packet(_ number: Int, _ length: Int = 100) -> [UInt8] {
  [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: length - 2)
}

extension SendBatch {
  mutating func add(_ bytes: [UInt8], to destination: Destination, subscription: Int32 = 1, joins: Bool = true) {
    bytes.withUnsafeBytes { source in
      guard let base = source.baseAddress else { return }
      next.copyMemory(from: base, byteCount: source.count)
    }
    commit(bytes.count, to: destination, subscription: subscription, joins: joins)
  }
}
