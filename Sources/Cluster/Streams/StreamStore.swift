import RoomRedis

/// The directory of streams in Redis: which member publishes a stream. An entry counts only while its incarnation is a member.
public struct StreamStore: Sendable {
  /// The life of an entry that its node does not write again: what a dead node leaves behind disappears after it; ms.
  private static let life = 3_600_000

  /// KEYS: members, claimed streams, released streams. ARGV: own incarnation, life in ms, number of claimed streams. Returns the
  /// indices of the claimed streams that other members publish; nil if the node is no member.
  private static let exchange = RedisScript(
    """
    if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return false end
    local refused, claimed = {}, tonumber(ARGV[3])
    for index = 2, claimed + 1 do
      local owner = redis.call('GET', KEYS[index])
      if owner and owner ~= ARGV[1] and redis.call('HEXISTS', KEYS[1], owner) == 1 then
        refused[#refused + 1] = index - 2
      else
        redis.call('SET', KEYS[index], ARGV[1], 'PX', ARGV[2])
      end
    end
    for index = claimed + 2, #KEYS do
      if redis.call('GET', KEYS[index]) == ARGV[1] then redis.call('DEL', KEYS[index]) end
    end
    return refused
    """)

  private let redis: RedisClient

  public init(_ redis: RedisClient) { self.redis = redis }

  /// Writes and removes entries.
  /// - Returns: the claimed streams that other members publish; nil if the node is no member, which changes nothing.
  public func carryOut(
    _ exchange: StreamClaims.Exchange, in session: RedisSession
  ) async throws(RedisError) -> Set<String>? {
    let reply = try await redis.run(
      Self.exchange, keys: [ClusterKeys.members] + (exchange.claimed + exchange.released).map(ClusterKeys.stream),
      ["\(exchange.own)", "\(Self.life)", "\(exchange.claimed.count)"].map { Array($0.utf8) }, in: session)
    guard let indices = reply.elements else { return nil }
    return Set(
      indices.compactMap(\.number).filter { exchange.claimed.indices.contains(Int(clamping: $0)) }.map {
        exchange.claimed[Int(clamping: $0)]
      })
  }

  /// Returns the incarnation that has published a stream, which may have ended; nil if there is none.
  public func publisher(of stream: String) async throws(RedisError) -> Incarnation? {
    try await redis.send(["GET", ClusterKeys.stream(stream)]).text.flatMap { Incarnation($0) }
  }
}
