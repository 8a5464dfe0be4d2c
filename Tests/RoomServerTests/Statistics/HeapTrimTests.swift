import RoomCLinux
import Foundation
import Testing

@testable import RoomServer

@Suite("Memory of clients that have left")
struct HeapTrimTests {
  @Test("is returned to the system once, when more than half of a crowd has left a large server")
  func rule() {
    let large = HeapTrim.leastResident
    #expect(times([1000, 500, 499, 480, 200], resident: large) == [499, 200], "once for those that have left by then")
    #expect(times([1000, 10], resident: large - 1) == [], "too small")
    #expect(times([90, 3], resident: large) == [], "no crowd")
  }

  /// Returns the numbers of sockets, in sequence, at which memory is returned to the system.
  private func times(_ sockets: [Int], resident: Int64) -> [Int] {
    var heap = HeapTrim()
    return sockets.filter { heap.isDue(sockets: $0, resident: resident) }
  }

  @Test("freed memory in the middle of the heap is no longer resident afterwards")
  func trim() async {
    var blocks: [UnsafeMutableRawPointer] = []
    for _ in 0..<400_000 {
      let block = UnsafeMutableRawPointer.allocate(byteCount: 400, alignment: 16)
      block.initializeMemory(as: UInt8.self, repeating: 1, count: 400)
      blocks.append(block)
    }
    let full = linux_resident_bytes()
    // One in a hundred stays, so that the heap can't shrink at its end.
    for (index, block) in blocks.enumerated() where !index.isMultiple(of: 100) { block.deallocate() }
    await HeapTrim.trim()
    #expect(full - linux_resident_bytes() > 100 << 20)
    for (index, block) in blocks.enumerated() where index.isMultiple(of: 100) { block.deallocate() }
  }
}
