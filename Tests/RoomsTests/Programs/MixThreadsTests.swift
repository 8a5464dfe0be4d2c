import Glibc
import NIOCore
import RoomTestSupport
import Testing

@testable import RoomEngine

@Suite("Mix threads") struct MixThreadsTests {
  @Test("work that an ending mix starts on another thread completes before the threads stop") func endsInOrder() async {
    let mixes = MixDirectory(RelaySettings())
    let (mix, decoder) = (mixes.loop(), mixes.loop())
    let isDone = Shared(false)
    mix.execute {
      // Long enough for the other thread to end if nothing prevents it.
      usleep(100_000)
      decoder.execute { isDone.withLock { $0 = true } }
    }
    await mixes.stop()
    #expect(isDone.withLock { $0 })
  }
}
