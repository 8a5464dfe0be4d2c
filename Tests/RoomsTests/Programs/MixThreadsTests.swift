import Glibc
import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import RoomEngine

@Suite("Mix threads") struct MixThreadsTests {
  @Test("work that an ending mix starts on another thread completes before the threads stop") func endsInOrder() async {
    let mixes = MixDirectory(RelaySettings())
    let (mix, decoder) = (mixes.loop(), mixes.loop())
    let isDone = NIOLockedValueBox(false)
    mix.execute {
      // Long enough for the other thread to end if nothing prevents it.
      usleep(100_000)
      decoder.execute { isDone.withLockedValue { $0 = true } }
    }
    await mixes.stop()
    #expect(isDone.withLockedValue { $0 })
  }
}
