/// An offer of a client that sends and receives on one connection: an m-line for each direction of a kind.
package struct SingleConnectionOffer: Sendable {
  package struct Line: Sendable {
    var kind: String
    var direction: String
    /// The codecs, without RTX.
    var codecs: [String]
  }

  package var lines: [Line] = []
  package var ufrag = "user"
  private static let payloadTypes = ["opus/48000/2": 111, "VP8/90000": 96, "VP9/90000": 98, "H264/90000": 106]

  package init() {}

  package mutating func add(_ kind: String, _ direction: String = "recvonly", codecs: [String]? = nil) {
    let all = kind == "audio" ? ["opus/48000/2"] : ["VP8/90000", "VP9/90000", "H264/90000"]
    lines.append(Line(kind: kind, direction: direction, codecs: codecs ?? all))
  }

  /// Its m-lines have the mids 0, 1, …
  package var sdp: String {
    let mids = lines.indices.map { "\($0)" }
    var text = [
      "v=0", "o=- 1 1 IN IP4 0.0.0.0", "s=-", "t=0 0", "a=group:BUNDLE \(mids.joined(separator: " "))",
      "a=fingerprint:sha-256 \(Array(repeating: "AA", count: 32).joined(separator: ":"))", "a=setup:actpass",
      "a=ice-ufrag:\(ufrag)", "a=ice-pwd:passwordOf24Characters00",
    ]
    for (index, line) in lines.enumerated() {
      let types = line.codecs.compactMap { codec in Self.payloadTypes[codec].map { (codec, $0) } }
      text += [
        "m=\(line.kind) 9 UDP/TLS/RTP/SAVPF \(types.map { "\($0.1)" }.joined(separator: " "))", "c=IN IP4 0.0.0.0",
        "a=mid:\(index)", "a=\(line.direction)", "a=rtcp-mux",
      ]
      for (codec, type) in types {
        text += ["a=rtpmap:\(type) \(codec)", "a=rtcp-fb:\(type) nack"]
        if codec == "H264/90000" { text += ["a=fmtp:\(type) profile-level-id=42e01f;packetization-mode=1"] }
      }
      if line.direction == "sendonly" { text += ["a=ssrc:\(1000 + index) cname:c"] }
    }
    return text.map { $0 + "\r\n" }.joined()
  }
}
