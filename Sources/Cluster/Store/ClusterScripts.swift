import RoomRedis

/// The scripts of leases. Redis runs each atomically; none depends on its clock, except for the age of the store.
enum ClusterScripts {
  /// Lua of the scripts that change the members: notes a change, and removes a member.
  private static let changes =
    """
    local function changed(version, changes, member)
      redis.call('ZADD', changes, redis.call('INCR', version), member)
      redis.call('ZREMRANGEBYRANK', changes, 0, -1001)
    end
    local function remove(member, members, version, changes, ended)
      if redis.call('HDEL', members, member) == 0 then return end
      changed(version, changes, member)
      redis.call('SADD', ended, member)
    end

    """

  /// KEYS: epoch, members, process, version, changes, ended. ARGV: process of the store, node, process of the node, record, previous
  /// incarnation or "", incarnations to remove.
  static let join = RedisScript(
    changes
      + """
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
      for index = 6, #ARGV do remove(ARGV[index], KEYS[2], KEYS[4], KEYS[5], KEYS[6]) end
      local own = ARGV[5]
      if own == '' or redis.call('HEXISTS', KEYS[2], own) == 0 then
        own = ARGV[2] .. ':' .. string.format('%.0f', redis.call('INCR', KEYS[1])) .. ':' .. ARGV[3]
        redis.call('HSET', KEYS[2], own, ARGV[4])
        changed(KEYS[4], KEYS[5], own)
      end
      return {own, redis.call('GET', KEYS[1]) or '0', redis.call('HGETALL', KEYS[2]),
        string.format('%.0f', math.max(0, now - since)), tonumber(new), redis.call('GET', KEYS[4]) or '0'}
      """)

  /// Lua of the scripts that list orphans: the rooms of owners that are no members, at most 1000 of each.
  private static let orphans =
    """
    local function orphans(ended, prefix)
      local rooms = {}
      for _, owner in ipairs(redis.call('SMEMBERS', ended)) do
        local owned = redis.call('SRANDMEMBER', prefix .. owner, 1000)
        if #owned == 0 then redis.call('SREM', ended, owner) end
        for _, room in ipairs(owned) do
          if #rooms < 2000 then
            rooms[#rooms + 1] = room
            rooms[#rooms + 1] = owner
          end
        end
      end
      return rooms
    end

    """

  /// KEYS: epoch, members, ended, kicks, version, changes. ARGV: incarnation, record, prefix of owned rooms, last known kick, known
  /// version or "", members to read. Returns all members with their records, and 1; or those that have changed since the known
  /// version, without a record if they have ended, then those to read, and 0.
  static let renew = RedisScript(
    orphans
      + """
      if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 0 then return {} end
      redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
      local version, list = redis.call('GET', KEYS[5]) or '0', nil
      if ARGV[5] ~= '' then
        local changes = redis.call('ZRANGEBYSCORE', KEYS[6], '(' .. ARGV[5], '+inf')
        if #changes == tonumber(version) - tonumber(ARGV[5]) then
          list = {}
          for index = 6, #ARGV do changes[#changes + 1] = ARGV[index] end
          for _, member in ipairs(changes) do
            list[#list + 1] = member
            list[#list + 1] = redis.call('HGET', KEYS[2], member)
          end
        end
      end
      return {redis.call('GET', KEYS[1]) or '0', list or redis.call('HGETALL', KEYS[2]), orphans(KEYS[3], ARGV[3]),
        redis.call('ZRANGEBYSCORE', KEYS[4], '(' .. ARGV[4], '+inf', 'WITHSCORES', 'LIMIT', 0, 1000), version, list and 0 or 1}
      """)

  /// KEYS: epoch, members, ended, version, changes. ARGV: own incarnation, member, its beat, prefix of owned rooms. Returns the epoch,
  /// whether it is a member, and the orphans.
  static let end = RedisScript(
    changes + orphans
      + """
      if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 0 then return {} end
      local beat = string.match(redis.call('HGET', KEYS[2], ARGV[2]) or '', '^(%d+) ')
      if beat == ARGV[3] then remove(ARGV[2], KEYS[2], KEYS[4], KEYS[5], KEYS[3]) end
      return {redis.call('GET', KEYS[1]) or '0', redis.call('HEXISTS', KEYS[2], ARGV[2]), orphans(KEYS[3], ARGV[4])}
      """)

  /// KEYS: members, version, changes, ended. ARGV: own incarnation.
  static let leave = RedisScript(
    changes
      + """
      remove(ARGV[1], KEYS[1], KEYS[2], KEYS[3], KEYS[4])
      return 1
      """)

  /// Lua of the scripts that change an owner: moves a room between the sets of owned rooms. A claim may arrive after the end of its node.
  private static let move =
    """
    local function move(room, lease, members, ended, prefix, from, to, fence)
      if from and from ~= '' and from ~= to then redis.call('SREM', prefix .. from, room) end
      if redis.call('HEXISTS', members, to) == 0 then redis.call('SADD', ended, to) end
      redis.call('SADD', prefix .. to, room)
      redis.call('HSET', lease, 'owner', to, 'fence', fence)
      redis.call('PERSIST', lease)
    end

    """

  /// KEYS: members, ended, leases of the rooms. ARGV: own incarnation, `node:` and `:process` of it, prefix of owned rooms, then room
  /// and fence of each. Returns the rooms that another node owns.
  static let assert = RedisScript(
    move
      + """
      local refused = {}
      for index = 3, #KEYS do
        local room, fence = ARGV[2 * index - 1], ARGV[2 * index]
        local lease = redis.call('HMGET', KEYS[index], 'owner', 'fence')
        local owner, current = lease[1] or '', tonumber(lease[2] or '0')
        local isOwn = string.sub(owner, 1, #ARGV[2]) == ARGV[2] and string.sub(owner, -#ARGV[3]) == ARGV[3]
        if current > tonumber(fence) or (current == tonumber(fence) and not isOwn) then
          refused[#refused + 1] = room
        else
          move(room, KEYS[index], KEYS[1], KEYS[2], ARGV[4], owner, ARGV[1], fence)
        end
      end
      return refused
      """)

  /// KEYS: members, ended, lease. ARGV: own incarnation, expected owner or "", room, prefix of owned rooms. Returns the fence, or the
  /// other owner.
  static let claim = RedisScript(
    move
      + """
      local lease = redis.call('HMGET', KEYS[3], 'owner', 'fence')
      local owner = lease[1] or ''
      if owner ~= ARGV[2] and owner ~= ARGV[1] then return owner end
      local fence = tonumber(lease[2] or '0') + 1
      move(ARGV[3], KEYS[3], KEYS[1], KEYS[2], ARGV[4], owner, ARGV[1], string.format('%.0f', fence))
      return fence
      """)

  /// KEYS: members, ended, lease. ARGV: own incarnation, the owner that gives the room, room, prefix of owned rooms, the owner's fence.
  /// Returns the fence, or the other owner.
  static let receive = RedisScript(
    move
      + """
      local lease = redis.call('HMGET', KEYS[3], 'owner', 'fence')
      local owner = lease[1] or ''
      if owner ~= ARGV[2] or lease[2] ~= ARGV[5] then return owner end
      local fence = string.format('%.0f', tonumber(ARGV[5]) + 1)
      move(ARGV[3], KEYS[3], KEYS[1], KEYS[2], ARGV[4], owner, ARGV[1], fence)
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
