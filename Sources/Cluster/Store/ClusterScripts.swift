import RoomRedis

/// The scripts of leases. Redis runs each atomically; none depends on its clock, except for the age of the store.
enum ClusterScripts {
  /// KEYS: epoch, members, process. ARGV: process of the store, node, process of the node, record, previous incarnation or "",
  /// incarnations to remove.
  static let join = RedisScript(
    """
    local time = redis.call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    local known, since, new = string.match(redis.call('GET', KEYS[3]) or '', '^(%S+) (%d+) (%d)$')
    if not known then
      since, new = now, 1
      redis.call('SET', KEYS[3], ARGV[1] .. ' ' .. string.format('%.0f', now) .. ' 1')
    elseif known ~= ARGV[1] then
      since, new = now, 0
      redis.call('SET', KEYS[3], ARGV[1] .. ' ' .. string.format('%.0f', now) .. ' 0')
    end
    for index = 6, #ARGV do redis.call('HDEL', KEYS[2], ARGV[index]) end
    local own = ARGV[5]
    if own == '' or redis.call('HEXISTS', KEYS[2], own) == 0 then
      own = ARGV[2] .. ':' .. string.format('%.0f', redis.call('INCR', KEYS[1])) .. ':' .. ARGV[3]
      redis.call('HSET', KEYS[2], own, ARGV[4])
    end
    return {own, redis.call('GET', KEYS[1]) or '0', redis.call('HGETALL', KEYS[2]),
      string.format('%.0f', math.max(0, now - since)), tonumber(new)}
    """)

  /// Lua of the scripts that list orphans: the rooms of owners that are no members, at most 1000.
  private static let orphans =
    """
    local function orphans(owners, members, prefix)
      local rooms = {}
      for _, owner in ipairs(redis.call('SMEMBERS', owners)) do
        if redis.call('HEXISTS', members, owner) == 0 then
          local owned = redis.call('SRANDMEMBER', prefix .. owner, 1000)
          if #owned == 0 then redis.call('SREM', owners, owner) end
          for _, room in ipairs(owned) do
            if #rooms < 2000 then
              rooms[#rooms + 1] = room
              rooms[#rooms + 1] = owner
            end
          end
        end
      end
      return rooms
    end

    """

  /// KEYS: epoch, members, owners, kicks. ARGV: incarnation, record, prefix of owned rooms, last known kick.
  static let renew = RedisScript(
    orphans
      + """
      if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 0 then return {} end
      redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
      return {redis.call('GET', KEYS[1]) or '0', redis.call('HGETALL', KEYS[2]), orphans(KEYS[3], KEYS[2], ARGV[3]),
        redis.call('ZRANGEBYSCORE', KEYS[4], '(' .. ARGV[4], '+inf', 'WITHSCORES', 'LIMIT', 0, 1000)}
      """)

  /// KEYS: epoch, members, owners. ARGV: own incarnation, member, its beat, prefix of owned rooms.
  static let end = RedisScript(
    orphans
      + """
      if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 0 then return {} end
      local beat = string.match(redis.call('HGET', KEYS[2], ARGV[2]) or '', '^(%d+) ')
      if beat == ARGV[3] then redis.call('HDEL', KEYS[2], ARGV[2]) end
      return {redis.call('GET', KEYS[1]) or '0', redis.call('HGETALL', KEYS[2]), orphans(KEYS[3], KEYS[2], ARGV[4])}
      """)

  /// Lua of the scripts that change an owner: moves a room between the sets of owned rooms.
  private static let move =
    """
    local function move(room, lease, owners, prefix, from, to, fence)
      if from and from ~= '' and from ~= to then redis.call('SREM', prefix .. from, room) end
      redis.call('SADD', owners, to)
      redis.call('SADD', prefix .. to, room)
      redis.call('HSET', lease, 'owner', to, 'fence', fence)
      redis.call('PERSIST', lease)
    end

    """

  /// KEYS: owners, leases of the rooms. ARGV: own incarnation, `node:` and `:process` of it, prefix of owned rooms, then room and
  /// fence of each. Returns the rooms that another node owns.
  static let assert = RedisScript(
    move
      + """
      local refused = {}
      for index = 2, #KEYS do
        local room, fence = ARGV[2 * index + 1], ARGV[2 * index + 2]
        local lease = redis.call('HMGET', KEYS[index], 'owner', 'fence')
        local owner, current = lease[1] or '', tonumber(lease[2] or '0')
        local isOwn = string.sub(owner, 1, #ARGV[2]) == ARGV[2] and string.sub(owner, -#ARGV[3]) == ARGV[3]
        if current > tonumber(fence) or (current == tonumber(fence) and not isOwn) then
          refused[#refused + 1] = room
        else
          move(room, KEYS[index], KEYS[1], ARGV[4], owner, ARGV[1], fence)
        end
      end
      return refused
      """)

  /// KEYS: owners, lease. ARGV: own incarnation, expected owner or "", room, prefix of owned rooms. Returns the fence, or the
  /// other owner.
  static let claim = RedisScript(
    move
      + """
      local lease = redis.call('HMGET', KEYS[2], 'owner', 'fence')
      local owner = lease[1] or ''
      if owner ~= ARGV[2] and owner ~= ARGV[1] then return owner end
      local fence = tonumber(lease[2] or '0') + 1
      move(ARGV[3], KEYS[2], KEYS[1], ARGV[4], owner, ARGV[1], string.format('%.0f', fence))
      return fence
      """)

  /// KEYS: owners, lease. ARGV: own incarnation, the owner that gives the room, room, prefix of owned rooms, the owner's fence.
  /// Returns the fence, or the other owner.
  static let receive = RedisScript(
    move
      + """
      local lease = redis.call('HMGET', KEYS[2], 'owner', 'fence')
      local owner = lease[1] or ''
      if owner ~= ARGV[2] or lease[2] ~= ARGV[5] then return owner end
      local fence = string.format('%.0f', tonumber(ARGV[5]) + 1)
      move(ARGV[3], KEYS[2], KEYS[1], ARGV[4], owner, ARGV[1], fence)
      return tonumber(fence)
      """)

  /// The fence of a room outlives it for an hour, so that a late write of its last owner is refused.
  /// KEYS: lease. ARGV: own incarnation, fence, room, prefix of owned rooms.
  static let release = RedisScript(
    """
    local lease = redis.call('HMGET', KEYS[1], 'owner', 'fence')
    if lease[1] ~= ARGV[1] or lease[2] ~= ARGV[2] then return 0 end
    redis.call('HSET', KEYS[1], 'owner', '')
    redis.call('EXPIRE', KEYS[1], 3600)
    redis.call('SREM', ARGV[4] .. ARGV[1], ARGV[3])
    return 1
    """)
}
