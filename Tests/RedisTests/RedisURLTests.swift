import RoomRedis
import Testing

@Suite("Addresses of Redis")
struct RedisURLTests {
  @Test("an address has a server, a user, a password and a database")
  func direct() throws {
    let url = try RedisURL("redis://ann:p%40ss@redis.example:6380/3")
    #expect(url.server == .direct(.init(host: "redis.example", port: 6380)))
    #expect(url.user == "ann" && url.password == "p@ss" && url.database == 3 && !url.usesTLS && url.replicas == 0)
    let least = try RedisURL("redis://[::1]")
    #expect(least.server == .direct(.init(host: "::1", port: 6379)) && least.user == nil && least.database == 0)
    let tls = try RedisURL("rediss://:secret@host?ca=/etc/ca.pem&replicas=2")
    #expect(tls.usesTLS && tls.authorities == "/etc/ca.pem" && tls.password == "secret" && tls.user == nil && tls.replicas == 2)
  }

  @Test("an address of Sentinels names them and the master")
  func sentinels() throws {
    let url = try RedisURL("redis+sentinel://:secret@a,b:26380/rooms/2?sentinel-password=other")
    #expect(
      url.server
        == .sentinels([.init(host: "a", port: 26379), .init(host: "b", port: 26380)], master: "rooms", password: "other"))
    #expect(url.password == "secret" && url.database == 2 && url.replicas == 1)
  }

  @Test("an address of a Redis Cluster names some of its nodes")
  func cluster() throws {
    let url = try RedisURL("redis+cluster://ann:secret@a:7000,[::1]:7001,b/")
    #expect(
      url.server == .cluster([.init(host: "a", port: 7000), .init(host: "::1", port: 7001), .init(host: "b", port: 6379)]))
    #expect(url.user == "ann" && url.password == "secret" && !url.usesTLS && url.replicas == 1)
    let tls = try RedisURL("rediss+cluster://a?ca=/ca.pem&replicas=0")
    #expect(tls.usesTLS && tls.authorities == "/ca.pem" && tls.replicas == 0)
    #expect(url.description == "redis+cluster://a:7000,[::1]:7001,b:6379")
  }

  @Test(
    "invalid addresses are refused",
    arguments: [
      "localhost", "http://host", "redis://", "redis://host:0", "redis://host:99999", "redis://host/x", "redis://host/1/2",
      "redis+sentinel://a,b", "redis+sentinel://a,,b/m", "redis+cluster://a/1",
      "redis+cluster://a,", "redis+cluster://\(Array(repeating: "a", count: 17).joined(separator: ","))", "redis://host?x=1",
      "redis://%zz@host", "redis://host?replicas=-1",
      "redis://[::1]x",
    ])
  func invalid(text: String) { #expect(throws: RedisURL.Invalid.self) { try RedisURL(text) } }

  @Test("logs show neither user nor password")
  func logs() throws {
    #expect(try RedisURL("redis://ann:secret@host/1").description == "redis://host:6379/1")
    #expect(try RedisURL("rediss+sentinel://ann:secret@a/m?sentinel-password=x").description == "rediss+sentinel://a:26379/m/0")
  }
}
