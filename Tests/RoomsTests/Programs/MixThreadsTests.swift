import Glibc
import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import Rooms

@Suite("The threads of mixes") struct MixThreadsTests {
  @Test("what a mix sets off on another thread when it ends is done before the threads end") func endsInOrder() async {
    let mixes = MixDirectory(RelaySettings())
    let (mix, decoder) = (mixes.loop(), mixes.loop())
    let isDone = NIOLockedValueBox(false)
    mix.execute {
      // Long enough for the other thread to have ended, if nothing held it.
      usleep(100_000)
      decoder.execute { isDone.withLockedValue { $0 = true } }
    }
    await mixes.stop()
    #expect(isDone.withLockedValue { $0 })
  }
}
