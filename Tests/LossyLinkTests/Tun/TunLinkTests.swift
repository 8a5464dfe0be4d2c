import RoomLinkModel
import Testing

@testable import RoomLossyLink

@Suite("An IP link over TUN devices", .serialized)
struct TunLinkTests {
  private static let noNetworks: Comment = "this system does not allow network namespaces and TUN devices"

  @Test("datagrams arrive after the delay, and the log counts them", .enabled(if: Networks.areAllowed, noNetworks))
  func delay() throws {
    let (near, far) = (try NetworkNamespace(), try NetworkNamespace())
    let delay = LinkConditions(delay: 40_000)
    let link = try TunLink(LinkSchedule(down: delay, up: delay), seed: 1, near: near, far: far)
    defer { link.stop() }
    let stream = try DatagramStream(near: near, far: far, rate: 400_000, seconds: 1.5, warmup: 0.2)
    #expect(stream.delays.allSatisfy { $0 >= 40_000 })
    let down = link.report.down
    #expect(down.packets > 60 && down.lost == 0 && down.overflowed == 0)
    #expect(down.deliveredPackets <= down.packets && stream.delays.count <= down.deliveredPackets)
  }

  @Test("the seed decides which datagrams are lost", .enabled(if: Networks.areAllowed, noNetworks))
  func loss() throws {
    let (near, far) = (try NetworkNamespace(), try NetworkNamespace())
    let conditions = LinkConditions(loss: 0.2, burst: 3)
    let link = try TunLink(LinkSchedule(down: conditions, up: .perfect), seed: 5, near: near, far: far)
    defer { link.stop() }
    _ = try DatagramStream(near: near, far: far, rate: 4_000_000, seconds: 1, warmup: 0)
    let down = link.report.down
    var model = LinkModel(conditions, seed: 5)
    let expected = (0..<down.packets).count { _ in model.send(bytes: 1000, at: .init(microseconds: 0)) == .lost }
    #expect(down.packets > 100 && down.lost == expected)
  }

  @Test(
    "the link agrees with the kernel's token bucket within 10 % in throughput and queue",
    .enabled(if: Networks.haveTokenBucket, "this system has no token bucket filter, or no ip and tc"))
  func agreesWithTheKernel() throws {
    var conditions = LinkConditions()
    conditions.limit(rate: 1_000_000, queueing: 300)
    let (near, far) = (try NetworkNamespace(), try NetworkNamespace())
    let link = try TunLink(LinkSchedule(down: conditions, up: .perfect), seed: 1, near: near, far: far)
    let ours = try DatagramStream(near: near, far: far, rate: 1_500_000, seconds: 4, warmup: 1.5)
    let report = link.report
    link.stop()

    let (kernelNear, kernelFar) = (try NetworkNamespace(), try NetworkNamespace())
    // The filter counts 14 bytes of Ethernet header in each packet of 1014.
    _ = try TokenBucketLink(near: kernelNear, far: kernelFar, rate: 1_014_000, queueBytes: conditions.queue * 1014 / 1000)
    let kernels = try DatagramStream(near: kernelNear, far: kernelFar, rate: 1_500_000, seconds: 4, warmup: 1.5)

    #expect(abs(ours.throughput / kernels.throughput - 1) < 0.1, "\(ours.throughput) and \(kernels.throughput) bps")
    #expect(abs(ours.medianDelay / kernels.medianDelay - 1) < 0.1, "\(ours.medianDelay) and \(kernels.medianDelay) ms")
    #expect(abs(report.down.queueP95 / 300 - 1) < 0.1)
    print(
      "throughput \(Int(ours.throughput)) and \(Int(kernels.throughput)) bps, delay \(ours.medianDelay) and \(kernels.medianDelay) ms, lateness p99 \(report.latenessP99) ms"
    )
  }
}
