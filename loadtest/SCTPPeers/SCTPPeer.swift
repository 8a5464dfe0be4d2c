import Glibc
import RoomLinkModel
import RoomRTP
import RoomWebRTC

/// A peer of this project, beside those on usrsctp and aiortc in this folder, for `Benchmarks/sctp.sh`:
///
///     sctp-peer LOCAL_PORT REMOTE_PORT sink BYTES
///     sctp-peer LOCAL_PORT REMOTE_PORT source BYTES SIZE
///     sctp-peer memory BYTES SIZE      both ends in this process, without sockets
///     sctp-peer link PEER LOCAL PEER LOCAL LOSS DELAY REORDER
///
/// The last is a link between two peers: the port of each, and the one at which it reaches the link; the shares of packets that
/// are lost, and that arrive later by a DELAY; and the delay of each packet in ms.
@main struct SCTPPeer {
  private static let channel = DataChannelID(0)

  static func main() throws {
    let arguments = CommandLine.arguments
    if arguments.count == 4, arguments[1] == "memory", let total = Int(arguments[2]), let size = Int(arguments[3]) {
      return transferInMemory(total, size)
    }
    if arguments.count == 9, arguments[1] == "link", let loss = Double(arguments[6]), let delay = Int64(arguments[7]),
      let reorder = Double(arguments[8])
    {
      let ports = arguments[2...5].map { UInt16($0) ?? 0 }
      let conditions = LinkConditions(loss: loss, delay: delay * 1000, reorder: reorder, reorderDelay: delay * 1000)
      var link = try PacketLink([(ports[1], ports[0]), (ports[3], ports[2])], conditions)
      link.run()
    }
    guard arguments.count >= 5, let local = UInt16(arguments[1]), let remote = UInt16(arguments[2]),
      let total = Int(arguments[4])
    else {
      print("usage: sctp-peer LOCAL_PORT REMOTE_PORT sink|source BYTES [SIZE]")
      exit(64)
    }
    let isSource = arguments[3] == "source"
    let size = arguments.count > 5 ? Int(arguments[5]) ?? 16384 : 16384
    let socket = try AssociationSocket(local: local, remote: remote, role: isSource ? .client : .server)
    _ = try socket.channels.open(DataChannel(label: "source"), negotiated: channel)
    socket.channels.setBufferedAmountLow(512 * 1024, of: channel)
    socket.channels.start(now: AssociationSocket.now)
    let message = DataChannelMessage([UInt8](repeating: 7, count: size))
    var (isOpen, hasEnded, isDone) = (false, false, false)
    var (sent, received) = (0, 0)
    var begun: (time: Instant, cpu: Double)?
    while !hasEnded {
      while isSource, isOpen, sent < total {
        do { try socket.channels.send(message, on: channel, now: AssociationSocket.now) } catch { break }
        sent += size
      }
      socket.step(until: AssociationSocket.now.advanced(milliseconds: 1000)) { event in
        switch event {
        case .opened:
          isOpen = true
          if isSource { begun = (AssociationSocket.now, cpu) }
        case .message(_, let message):
          if isSource {
            isDone = true
          } else {
            begun = begun ?? (AssociationSocket.now, cpu)
            received += message.payload.count
          }
        case .ended: hasEnded = true
        case .bufferedAmountLow, .closed: break
        }
      }
      if isSource ? isDone : received >= total, let start = begun {
        if !isSource { try? socket.channels.send(DataChannelMessage("done"), on: channel, now: AssociationSocket.now) }
        let seconds = Double(AssociationSocket.now - start.time) / 1_000_000
        print("{\"bytes\": \(total), \"seconds\": \(seconds), \"cpu\": \(cpu - start.cpu)}")
        fflush(nil)
        begun = nil
        received = 0
        if isSource { return }
      }
    }
  }

  private static func transferInMemory(_ total: Int, _ size: Int) {
    let ends = (DataChannels(role: .client, remote: DataParameters()), DataChannels(role: .server, remote: DataParameters()))
    let message = DataChannelMessage([UInt8](repeating: 7, count: size))
    let start = cpu
    var now = Instant(microseconds: 0)
    var (sent, received, packets) = (0, 0, 0)
    _ = try? ends.0.open(DataChannel(label: "source"), negotiated: channel)
    _ = try? ends.1.open(DataChannel(label: "source"), negotiated: channel)
    ends.0.start(now: now)
    while received < total {
      while sent < total, (try? ends.0.send(message, on: channel, now: now)) != nil { sent += size }
      for (from, to) in [ends, (ends.1, ends.0)] {
        while let event = from.nextEvent() {
          if case .message(_, let message) = event { received += message.payload.count }
        }
        while let packet = from.nextPacket(now: now) {
          packets += 1
          packet.withUnsafeBytes { to.receive($0, now: now) }
        }
        now = now.advanced(microseconds: 100)
        from.advance(to: now)
      }
    }
    print("{\"bytes\": \(received), \"packets\": \(packets), \"cpu\": \(cpu - start)}")
  }

  /// Seconds of CPU that this process has used.
  private static var cpu: Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
      + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1_000_000
  }
}
