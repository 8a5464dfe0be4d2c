import RoomRTP
import Testing

@testable import RoomWebRTC

@Suite("negotiation of the dependency descriptor")
struct DependencyDescriptorNegotiationTests {
  /// Chromium's offer of a video, with AV1 first.
  private func offer(isLayered: Bool = false, isMixed: Bool = true) throws -> String {
    try Fixture.text("chromium-publish-simulcast").components(separatedBy: "\r\n").compactMap { line -> String? in
      if line.hasPrefix("m=video "), let (head, types) = Self.split(line) {
        return head + (["45", "46"] + types.filter { $0 != "45" && $0 != "46" }).joined(separator: " ")
      }
      if !isLayered, line.hasPrefix("a=rid:") || line.hasPrefix("a=simulcast:") { return nil }
      return !isMixed && line == "a=extmap-allow-mixed" ? nil : line
    }.joined(separator: "\r\n")
  }

  private static func split(_ line: String) -> (head: String, types: [String])? {
    let words = line.split(separator: " ").map(String.init)
    return words.count > 3 ? (words.prefix(3).joined(separator: " ") + " ", Array(words.dropFirst(3))) : nil
  }

  private func answer(_ offer: String) throws -> (media: RTPParameters, section: MediaDescription) {
    var publish = PublishNegotiation(local: Fixture.local(.server), simulcast: true)
    let result = try publish.answer(offer)
    let media = try #require(result.media.first { $0.kind == .video })
    let sections = try SessionDescription(parsing: result.sdp).media
    return (media, try #require(sections.first { $0.mid == media.mid }))
  }

  @Test("it is answered for AV1, with leave for the two-byte form")
  func published() throws {
    let (media, section) = try answer(try offer())
    #expect(media.codecs.map(\.name) == ["av1"])
    #expect(media.headerExtensions[.dependencyDescriptor] == 13)
    #expect(section.headerExtensions[.dependencyDescriptor] == 13)
    #expect(section.attributes.has("extmap-allow-mixed"))
  }

  @Test("it is not answered for layers of a simulcast, other codecs, and peers with one form of extensions only")
  func notPublished() throws {
    for text in [
      try offer(isLayered: true), try offer(isMixed: false), try Fixture.text("chromium-publish-simulcast"),
    ] {
      let (media, section) = try answer(text)
      #expect(media.headerExtensions[.dependencyDescriptor] == nil && section.headerExtensions[.dependencyDescriptor] == nil)
      #expect(!section.attributes.has("extmap-allow-mixed"))
    }
  }

  @Test("it is offered to subscribers of AV1, and used if they take both forms of extensions")
  func subscribed() throws {
    for isMixed in [true, false] {
      var subscribe = SubscribeNegotiation(local: Fixture.local(.server))
      _ = try subscribe.add(RTPParameters(mid: "x", kind: .video, codecs: [.av1()]), userID: "bob", trackID: "a")
      _ = try subscribe.add(RTPParameters(mid: "y", kind: .video, codecs: [.vp8]), userID: "bob", trackID: "b")
      let offer = subscribe.makeOffer()
      let sections = try SessionDescription(parsing: offer).media
      #expect(sections.map { $0.headerExtensions[.dependencyDescriptor] } == [13, nil])
      #expect(sections.map { $0.attributes.has("extmap-allow-mixed") } == [true, false])
      var client = SubscribeAnswer(local: Fixture.local(.client)) { _ in true }
      var answer = try client.answer(offer).sdp
      if !isMixed { answer = answer.replacing("a=extmap-allow-mixed\r\n", with: "") }
      let accepted = try subscribe.accept(answer: answer).accepted
      #expect(accepted.map { $0.headerExtensions[.dependencyDescriptor] } == [isMixed ? 13 : nil, nil])
    }
  }
}
