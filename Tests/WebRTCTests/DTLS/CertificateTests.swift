import Testing

@testable import RoomWebRTC

@Suite("DTLS: certificate") struct CertificateTests {
  @Test("each certificate has its own SHA-256 fingerprint") func unique() throws {
    let first = try Certificate()
    let second = try Certificate()
    #expect(first.fingerprint.algorithm == "sha-256")
    #expect(first.fingerprint.bytes.count == 32)
    #expect(first.fingerprint != second.fingerprint)
  }

  @Test("many peers on many threads can share one certificate") func shared() async throws {
    let certificate = try Certificate()
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<32 {
        group.addTask {
          DTLSAssociation(certificate: certificate, role: .client, profiles: SRTPProfile.preferred)?
            .start(now: .init(microseconds: 0)) == DTLSAssociation.Progress.none
        }
      }
      for await started in group { #expect(started) }
    }
  }
}
