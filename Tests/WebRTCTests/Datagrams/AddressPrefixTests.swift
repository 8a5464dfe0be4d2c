import Testing
import RoomWebRTC

@Suite("Address prefixes")
struct AddressPrefixTests {
  @Test(
    "a network contains the addresses of its own family with its prefix",
    arguments: [
      ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.0", false), ("10.1.2.3/8", "10.9.9.9", true),
      ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false), ("192.0.2.0/31", "192.0.2.1", true),
      ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "2001:db8::1", false), ("::/0", "2001:db8::1", true),
      ("::/0", "203.0.113.9", false), ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::", false),
      ("fd00::1", "fd00::1", true), ("fd00::1", "fd00::2", false), ("fd00::/65", "fd00::7fff:0:0:1", true),
      ("fd00::/65", "fd00::8000:0:0:1", false), ("10.0.0.0/8", "::ffff:10.0.0.1", true),
    ])
  func contains(network: String, host: String, isIn: Bool) throws {
    let prefix = try #require(AddressPrefix(network))
    #expect(prefix.contains(try #require(TransportAddress(host: host, port: 7))) == isIn)
  }

  @Test(
    "text that is not a network is rejected",
    arguments: [
      "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "fd00::/129", "10.0.0/8",
      "example.org", "10.0.0.1:80", "10.0.0.1\u{0}", "10.0.0.0/99999999999999999999",
    ])
  func refused(text: String) { #expect(AddressPrefix(text) == nil) }
}
