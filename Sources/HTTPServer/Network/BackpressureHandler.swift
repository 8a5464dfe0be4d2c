import NIOCore

/// Reads from a peer only while the peer can be written to, and closes a peer that reads nothing for too long.
///
/// Otherwise a peer that sends requests and never reads the answers makes the server keep all of them. For the handlers behind
/// this one, reads stop at the channel's high-water mark.
package final class BackpressureHandler: ChannelDuplexHandler {
  package typealias InboundIn = ByteBuffer
  package typealias InboundOut = ByteBuffer
  package typealias OutboundIn = ByteBuffer
  package typealias OutboundOut = ByteBuffer

  private let patience: TimeAmount
  private let onTimeout: () -> Void
  private var readIsHeld = false
  /// Bytes written to the channel so far.
  private var written = 0
  /// Bytes that the kernel had taken when the deadline was last set.
  private var taken = 0
  private var deadline: Scheduled<Void>?

  /// - Parameters:
  ///   - patience: how long a peer that can't be written to may take without reading a byte.
  ///   - onTimeout: called before such a peer is closed.
  package init(patience: TimeAmount, onTimeout: @escaping () -> Void) {
    self.patience = patience
    self.onTimeout = onTimeout
  }

  package func read(context: ChannelHandlerContext) {
    if context.channel.isWritable { context.read() } else { readIsHeld = true }
  }

  package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    written &+= Self.unwrapOutboundIn(data).readableBytes
    context.write(data, promise: promise)
  }

  package func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      deadline?.cancel()
      deadline = nil
      // Runs before the handlers behind this one are notified: they may fill the channel again, and the peer would never be
      // read.
      if readIsHeld {
        readIsHeld = false
        context.read()
      }
    } else if deadline == nil {
      watch(context: context)
    }
    context.fireChannelWritabilityChanged()
  }

  package func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    deadline = nil
    context.fireChannelInactive()
  }

  private func watch(context: ChannelHandlerContext) {
    taken = takenBytes(context: context)
    let bound = context.loopBound
    deadline = context.eventLoop.assumeIsolated().scheduleTask(in: patience) {
      let context = bound.value
      self.deadline = nil
      guard !context.channel.isWritable else { return }
      if self.takenBytes(context: context) > self.taken { return self.watch(context: context) }
      self.onTimeout()
      context.close(promise: nil)
    }
  }

  private func takenBytes(context: ChannelHandlerContext) -> Int {
    written &- ((try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0)
  }
}
