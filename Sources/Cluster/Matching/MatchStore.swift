import RoomProtocol
import RoomRedis

/// The queue of a cluster's rooms that look for an opponent, in Redis. The same rules as ``MatchQueue``, in scripts.
///
/// What Redis loses returns when the rooms confirm their places.
public struct MatchStore: Matchmaking {
  /// Lua of both scripts: reads, writes and removes a ticket.
  private static let tickets =
    """
    local tickets, expiries = KEYS[1], KEYS[2]
    local function record(id)
      local text = redis.call('HGET', tickets, id)
      return text and cjson.decode(text)
    end
    local function unlist(record)
      for _, key in ipairs(record.keys) do redis.call('ZREM', key, record.member) end
    end
    local function remove(id)
      local gone = record(id)
      if gone then unlist(gone) end
      redis.call('HDEL', tickets, id)
      redis.call('ZREM', expiries, id)
    end

    """

  /// KEYS: tickets, expiries, waiting tickets by tag. ARGV: ticket, room, now, time of the ticket, its expiry, level, lowest and highest
  /// accepted level, id of the PK, failed PK or "", prefix of meetings, ms between meetings, maximum number of tickets, and of those
  /// that a search reads. Returns the PK and the opponent, nothing for a waiting ticket, or only a text if there are too many.
  private static let enter = RedisScript(
    tickets
      + """
      local id, room, now, expires = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[5])
      local level, least, most, most_read = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8]), ARGV[14]
      for _, gone in ipairs(redis.call('ZRANGEBYSCORE', expiries, '-inf', ARGV[3], 'LIMIT', 0, 100)) do remove(gone) end
      local own = record(id)
      if own and own.pk and own.pk ~= ARGV[10] then return {own.pk, own.opponent} end
      if expires <= now then
        remove(id)
        return {}
      end
      if not own and redis.call('ZCARD', expiries) >= tonumber(ARGV[13]) then return {'full'} end
      own = own or {room = room, keys = {unpack(KEYS, 3)},
        member = table.concat({ARGV[4], id, ARGV[5], ARGV[7], ARGV[8], room}, ' ')}
      own.pk, own.opponent = nil, nil

      local best
      local function meeting(other)
        local first, second = room, other
        if second < first then first, second = second, first end
        return ARGV[11] .. #first .. ':' .. first .. second
      end
      local function consider(members)
        for _, member in ipairs(members) do
          local at, other, ends, low, high, name = string.match(member, '^(%d+) (%S+) (%d+) (%-?%d+) (%d+) (%S+)$')
          if at and level >= tonumber(low) and level <= tonumber(high) and tonumber(ends) > now and name ~= room then
            at = tonumber(at)
            if (not best or at < best.at or (at == best.at and other < best.id))
              and redis.call('EXISTS', meeting(name)) == 0 then
              best = {at = at, id = other, room = name}
            end
          end
        end
      end
      for _, key in ipairs(own.keys) do
        consider(redis.call('ZRANGEBYSCORE', key, math.max(level, least), most, 'LIMIT', 0, most_read))
        consider(redis.call('ZREVRANGEBYSCORE', key, level > most and most or '(' .. level, least, 'LIMIT', 0, most_read))
      end

      local partner = best and record(best.id)
      if partner then
        unlist(own)
        unlist(partner)
        own.pk, own.opponent, partner.pk, partner.opponent = ARGV[9], best.room, ARGV[9], room
        redis.call('HSET', tickets, best.id, cjson.encode(partner))
        redis.call('SET', meeting(best.room), 1, 'PX', ARGV[12])
      else
        for _, key in ipairs(own.keys) do redis.call('ZADD', key, level, own.member) end
      end
      redis.call('HSET', tickets, id, cjson.encode(own))
      redis.call('ZADD', expiries, expires, id)
      return partner and {own.pk, own.opponent} or {}
      """)

  /// KEYS: tickets, expiries. ARGV: ticket.
  private static let leave = RedisScript(
    tickets
      + """
      remove(ARGV[1])
      return 1
      """)

  private let redis: RedisClient
  private let rules: MatchRules

  public init(_ redis: RedisClient, _ rules: MatchRules = MatchRules()) {
    self.redis = redis
    self.rules = rules
  }

  public func enter(_ ticket: MatchTicket, after failed: PKID?, pkId: PKID, now: Int64) async -> MatchPlace? {
    let own = ticket.ticket
    let waiting = (own.tags.isEmpty ? [""] : own.tags).map { ClusterKeys.waiting(own.mode, own.duration, tag: $0) }
    let numbers: [Int] = [rules.tickets, rules.searched]
    let arguments: [String] =
      [own.ticket.rawValue, ticket.room.rawValue, "\(now)", "\(own.at)", "\(own.expiresAt)", "\(own.level ?? -1)"]
      + ["\(own.accepted.lowerBound)", "\(own.accepted.upperBound)", pkId.rawValue, failed?.rawValue ?? ""]
      + [ClusterKeys.meetings, "\(rules.meetingTime)"] + numbers.map { "\($0)" }
    let reply = try? await redis.run(
      Self.enter, keys: [ClusterKeys.tickets, ClusterKeys.ticketExpiry] + waiting, arguments.map { Array($0.utf8) })
    guard let parts = reply?.elements else { return nil }
    if parts.isEmpty { return .waiting }
    guard parts.count == 2, let pkId = parts[0].text, let room = parts[1].text else { return .full }
    return .matched(Match(pkId: PKID(pkId), room: RoomName(room)))
  }

  public func leave(_ ticket: TicketID) async {
    _ = try? await redis.run(
      Self.leave, keys: [ClusterKeys.tickets, ClusterKeys.ticketExpiry], [Array(ticket.rawValue.utf8)])
  }
}
