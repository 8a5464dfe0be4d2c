import Foundation
import RoomLinkModel
import RoomPeers
import RoomRTP
import RoomWebRTC
import Testing

@testable import sctp_peer

@Suite("Data channels with usrsctp and aiortc", .enabled(if: ForeignPeer.areInstalled), .serialized)
struct ForeignPeerTests {
  /// Our end, and the events so far.
  private final class End {
    let socket: AssociationSocket
    private let program: Program
    private(set) var events: [DataChannelEvent] = []

    init(_ peer: ForeignPeer, _ conditions: LinkConditions? = nil) async throws {
      let ports = try (UDPPort.free(), UDPPort.free())
      program = try await peer.start(local: ports.1, remote: ports.0)
      socket = try AssociationSocket(local: ports.0, remote: ports.1, role: .client, conditions: conditions, seed: 11)
      socket.channels.start(now: AssociationSocket.now)
    }

    var channels: DataChannels { socket.channels }

    /// Runs until a condition holds; false after the limit.
    func run(_ limit: Duration = .seconds(30), until condition: () -> Bool) -> Bool {
      let end = AssociationSocket.now.advanced(microseconds: limit.microseconds)
      while !condition() {
        guard AssociationSocket.now < end else {
          print(program.text)
          return false
        }
        socket.step(until: end) { events.append($0) }
      }
      return true
    }

    func open(_ channel: DataChannel) throws -> DataChannelID {
      let id = try channels.open(channel)
      try #require(run { events.contains(.opened(id, channel)) && channels.isConnected })
      return id
    }

    /// Sends as much as the buffer accepts and waits for the echoes.
    func echo(_ messages: [DataChannelMessage], on id: DataChannelID, _ limit: Duration) throws -> [DataChannelMessage] {
      let before = events.messages(on: id).count
      var next = 0
      _ = run(limit) {
        while next < messages.count, (try? channels.send(messages[next], on: id, now: AssociationSocket.now)) != nil {
          next += 1
        }
        return events.messages(on: id).count >= before + messages.count
      }
      return Array(events.messages(on: id).dropFirst(before))
    }
  }

  private static let losses = [0, 0.01, 0.05]

  @Test("usrsctp returns what it is sent", arguments: losses)
  func usrsctp(loss: Double) async throws {
    try await echoes(.usrsctp, loss, count: 50, size: 50_000)
  }

  @Test("aiortc returns what it is sent", arguments: losses)
  func aiortc(loss: Double) async throws {
    try await echoes(.aiortc, loss, count: 40, size: 25_000)
  }

  /// Losses apply to both directions, with the same share of packets that others overtake.
  private func echoes(_ peer: ForeignPeer, _ loss: Double, count: Int, size: Int) async throws {
    let conditions = LinkConditions(loss: loss, delay: 1000, reorder: loss, reorderDelay: 5000)
    let end = try await End(peer, loss > 0 ? conditions : nil)
    let id = try end.open(DataChannel(label: "echo"))
    var messages = [DataChannelMessage("héllo"), DataChannelMessage(""), DataChannelMessage([UInt8](repeating: 9, count: 1))]
    for number in 0..<count {
      messages.append(DataChannelMessage([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size + number)))
    }
    let echoed = try end.echo(messages, on: id, .seconds(60))
    // aiortc and the peer on usrsctp return empty text as they received it.
    #expect(echoed == messages)
  }

  @Test("a channel without repetitions skips what is lost", arguments: ForeignPeer.allCases)
  func lossy(peer: ForeignPeer) async throws {
    let end = try await End(peer, LinkConditions(loss: 0.1, delay: 2000))
    let id = try end.open(DataChannel(label: "lossy", isOrdered: false, reliability: .retransmissions(0)))
    var sent = 0
    _ = end.run(.seconds(2)) {
      if sent < 300,
        (try? end.channels.send(DataChannelMessage([UInt8(sent & 0xFF)]), on: id, now: AssociationSocket.now)) != nil
      {
        sent += 1
      }
      return false
    }
    let echoed = end.events.messages(on: id).count
    // Both directions lose; the peers' own direction is reliable.
    #expect((150...300).contains(echoed), "\(echoed) of \(sent)")
    // A reliable channel still works.
    let other = try end.open(DataChannel(label: "reliable"))
    #expect(try end.echo([DataChannelMessage("after")], on: other, .seconds(10)) == [DataChannelMessage("after")])
  }

  @Test("a channel closes and opens again", arguments: ForeignPeer.allCases)
  func reset(peer: ForeignPeer) async throws {
    let end = try await End(peer, LinkConditions(loss: 0.05, delay: 1000))
    for round in 1...3 {
      let id = try end.open(DataChannel(label: "round"))
      #expect(id == DataChannelID(0))
      let messages = (0..<5).map { DataChannelMessage([UInt8](repeating: UInt8($0), count: 3000)) }
      #expect(try end.echo(messages, on: id, .seconds(10)) == messages)
      end.channels.close(id)
      #expect(end.run(.seconds(20)) { end.events.count { $0 == .closed(id) } == round })
    }
  }

  @Test("usrsctp that does not read closes its window, and opens it again")
  func zeroWindow() async throws {
    let end = try await End(.usrsctp)
    let id = try end.open(DataChannel(label: "window"))
    try end.channels.send(DataChannelMessage("pause 2"), on: id, now: AssociationSocket.now)
    let messages = (0..<60).map { DataChannelMessage([UInt8](repeating: UInt8($0), count: 50_000)) }
    var most = 0
    var next = 0
    let start = AssociationSocket.now
    #expect(
      end.run(.seconds(30)) {
        while next < messages.count, (try? end.channels.send(messages[next], on: id, now: AssociationSocket.now)) != nil {
          next += 1
        }
        if AssociationSocket.now - start > 1_500_000 { most = max(most, end.channels.bufferedAmount(of: id)) }
        return end.events.messages(on: id).count == messages.count + 1
      })
    #expect(most > 500_000, "what exceeds the window of 1 MB waits here")
    #expect(Array(end.events.messages(on: id).dropFirst()) == messages)
  }
}
