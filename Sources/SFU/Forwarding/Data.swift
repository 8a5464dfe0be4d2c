import RoomRTP
import RoomWebRTC

// Data channels: messages of clients go to the control plane as events, and come back as commands.

extension Forwarder {
  /// Enables the data channels of a transport; has no effect if they are.
  func enableData(
    _ id: TransportID, _ parameters: DataParameters, sendingOn channels: OutgoingChannels, in number: RoomNumber, now: Instant
  ) {
    guard let index = book(number)?.transports[id], let book = transportBooks[index], book.data == nil else { return }
    book.data = TransportData(limits, sendingOn: channels.channels, now: now)
    book.peer.enableChannels(parameters, now: now)
    if !channels.areOpenedByClient {
      for channel in channels.channels { _ = try? book.peer.openChannel(channel, now: now) }
    }
    drain(index, now: now)
  }

  /// Sends a message on these transports, those without data channels excepted.
  func sendData(_ message: DataMessage, to ids: [TransportID], in number: RoomNumber, now: Instant) {
    guard let room = book(number) else { return }
    var receivers = 0
    for id in ids {
      guard let index = room.transports[id], let book = transportBooks[index], let data = book.data else { continue }
      receivers += 1
      switch data.admit(message, unsent: book.peer.bufferedAmount(of:)) {
      case .send(let channel): if !send(message, on: channel, of: book, now: now) { queue(message, for: index, data, now: now) }
      case .wait: queue(message, for: index, data, now: now)
      case .drop: counters.dataDropped &+= 1
      case .fail: failData(index)
      }
      drain(index, now: now)
    }
    message.share?.spend(message.cost &* receivers)
  }

  /// Returns false if the message has to wait.
  private func send(_ message: DataMessage, on channel: DataChannelID, of book: TransportState, now: Instant) -> Bool {
    do throws(DataChannelError) {
      try book.peer.send(DataChannelMessage(isText: message.isText, payload: message.payload), on: channel, now: now)
      counters.dataSent &+= 1
      counters.dataBytesSent &+= UInt64(message.payload.count)
    } catch {
      if case .bufferFull = error, message.isReliable { return false }
      // Longer than the client accepts, or the channel is closing.
      counters.dataDropped &+= 1
    }
    return true
  }

  private func queue(_ message: DataMessage, for index: Int, _ data: TransportData, now: Instant) {
    data.wait(message, now: now)
    busyData.insert(index)
  }

  private func failData(_ index: Int) {
    guard let data = transportBooks[index]?.data, !data.hasEnded else { return }
    data.end()
    counters.dataSlow &+= 1
    report(.transportFailed(transports[index].pointee.id, .slow), to: transports[index].pointee.room)
  }

  func channelHappened(_ event: DataChannelEvent, to index: Int, now: Instant) {
    guard let book = transportBooks[index], let data = book.data else { return }
    switch event {
    case .opened(let id, let channel):
      data.opened(id, channel)
      if data.isWaiting { busyData.insert(index) }
    case .message(let id, let message):
      guard let received = data.received(message, on: id, now: now) else { break }
      counters.dataReceived &+= 1
      counters.dataBytesReceived &+= UInt64(message.payload.count)
      report(.messageReceived(transports[index].pointee.id, received), to: transports[index].pointee.room)
      guard data.mustWait(now: now) else { break }
      data.isHeld = true
      book.peer.holdChannelEvents(true, now: now)
      counters.dataHeld &+= 1
      busyData.insert(index)
    case .closed(let id): data.closed(id)
    case .ended: data.end()
    case .bufferedAmountLow: break
    }
  }

  /// Sends what waits, and takes the messages of clients that were held back.
  func serveData(_ now: Instant) {
    for index in busyData.sorted() {
      guard let book = transportBooks[index], let data = book.data else {
        busyData.remove(index)
        continue
      }
      while let (channel, message) = data.next(unsent: book.peer.bufferedAmount(of:)),
        send(message, on: channel, of: book, now: now)
      {
        data.removeFirst()
      }
      if data.isTooSlow(now: now) { failData(index) }
      if data.isHeld, !data.mustWait(now: now) {
        data.isHeld = false
        book.peer.holdChannelEvents(false, now: now)
      }
      drain(index, now: now)
      if !data.isHeld, !data.isWaiting { busyData.remove(index) }
    }
  }
}
