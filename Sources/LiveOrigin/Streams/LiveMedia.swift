import NIOCore
import RoomRTMP
import Synchronization
public import RoomRTP

/// A message of a live stream, shared by all viewers. The message's wire formats are created on first use.
public final class LiveMedia: Sendable {
  private struct Forms {
    var tag: [UInt8]?
    var prepared: PreparedMedia?
    var chunkSize = 0
    var buffer: ByteBuffer?
    var bufferChunkSize = 0
  }

  /// The message, with its timestamp on the stream's timeline.
  public let media: MediaMessage
  /// The time on the stream's timeline, which does not wrap, in whole ms.
  public let time: MediaTime
  /// Whether decoding can start here.
  public let isKeyFrame: Bool
  private let forms = Mutex(Forms())

  init(_ media: MediaMessage, time: MediaTime, isKeyFrame: Bool) {
    self.media = media
    self.time = time
    self.isKeyFrame = isKeyFrame
  }

  /// The message as an FLV tag followed by its length, for HTTP-FLV.
  public var tag: [UInt8] {
    forms.withLock { forms in
      if let tag = forms.tag { return tag }
      let tag = FLVStream.tag(media)
      forms.tag = tag
      return tag
    }
  }

  /// Returns the message as RTMP chunks of this size. One size is cached, because a server uses only one.
  public func chunks(ofSize chunkSize: Int) -> PreparedMedia {
    forms.withLock { forms in
      if let prepared = forms.prepared, forms.chunkSize == chunkSize { return prepared }
      let prepared = PreparedMedia(media, chunkSize: chunkSize)
      forms.prepared = prepared
      forms.chunkSize = chunkSize
      return prepared
    }
  }

  /// Returns the message as RTMP chunks of this size in a SwiftNIO buffer, for the message stream that almost every client
  /// plays on. All sockets share the bytes. One size is cached.
  public func buffer(ofChunkSize chunkSize: Int) -> ByteBuffer {
    forms.withLock { forms in
      if let buffer = forms.buffer, forms.bufferChunkSize == chunkSize { return buffer }
      let buffer = ByteBuffer(bytes: PreparedMedia(media, chunkSize: chunkSize).bytes)
      forms.buffer = buffer
      forms.bufferChunkSize = chunkSize
      return buffer
    }
  }
}
