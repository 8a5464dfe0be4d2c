import RoomRedis

/// The scripts of events. Redis runs each atomically.
enum EventScripts {
  /// Lua that makes an incarnation the one that delivers a room's events.
  private static let deliver =
    """
    local function deliver(delivery, room, deliverers, prefix, own)
      local other = redis.call('HGET', delivery, 'node')
      if other and other ~= own then redis.call('SREM', prefix .. other, room) end
      if other ~= own then redis.call('HSET', delivery, 'node', own) end
      redis.call('SADD', deliverers, own)
      redis.call('SADD', prefix .. own, room)
      return other ~= own
    end

    """

  /// Adds events if no later owner has claimed the room.
  ///
  /// KEYS: lease, delivery, events, newest, deliverers. ARGV: fence or "", expected number of the last event, room, prefix of delivering,
  /// own incarnation, maximum number of events, their time to live and that of the numbers in ms, maximum number of newest events,
  /// count of webhooks, their fields, then time and body of each event.
  /// Returns 0 if another node has claimed the room, 2 if the store has lost its record of the claim, 3 and the number of the last
  /// event if it is another, and 1 and whether the node did not deliver the room's events before.
  static let append = RedisScript(
    deliver
      + """
      if ARGV[1] ~= '' then
        local fence = tonumber(redis.call('HGET', KEYS[1], 'fence') or '0')
        if fence < tonumber(ARGV[1]) then return {2, 0} end
        if fence > tonumber(ARGV[1]) then return {0, 0} end
      end
      local last = tonumber(redis.call('HGET', KEYS[2], 'last') or '0')
      if last ~= tonumber(ARGV[2]) then return {3, last} end
      local webhooks = tonumber(ARGV[10])
      for index = 11, 10 + webhooks do redis.call('HSETNX', KEYS[2], ARGV[index], string.format('%.0f', last)) end
      for index = 11 + webhooks, #ARGV, 2 do
        last = last + 1
        redis.call('XADD', KEYS[3], 'MAXLEN', '~', ARGV[6], string.format('%.0f-0', last), 't', ARGV[index], 'b', ARGV[index + 1])
        redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[9], '*', 'b', ARGV[index + 1])
      end
      redis.call('HSET', KEYS[2], 'last', string.format('%.0f', last))
      local isNew = webhooks > 0 and deliver(KEYS[2], ARGV[3], KEYS[5], ARGV[4], ARGV[5])
      redis.call('PEXPIRE', KEYS[3], ARGV[7])
      redis.call('PEXPIRE', KEYS[2], ARGV[8])
      return {1, isNew and 1 or 0}
      """)

  /// KEYS: delivery, events. ARGV: own incarnation, number. Returns 0 if another node delivers, 1 if the event is gone, or the body.
  static let read = RedisScript(
    """
    if redis.call('HGET', KEYS[1], 'node') ~= ARGV[1] then return 0 end
    local event = redis.call('XRANGE', KEYS[2], ARGV[2] .. '-0', ARGV[2] .. '-0')[1]
    if not event then return 1 end
    return event[2][4]
    """)

  /// Moves webhooks forward.
  /// KEYS: delivery, delivering. ARGV: own incarnation, room, count of positions, field and number of each, the fields of all webhooks.
  static let advance = RedisScript(
    """
    if redis.call('HGET', KEYS[1], 'node') ~= ARGV[1] then return 0 end
    local count = tonumber(ARGV[3])
    for index = 4, 3 + 2 * count, 2 do
      local number = tonumber(redis.call('HGET', KEYS[1], ARGV[index]) or '0')
      if number < tonumber(ARGV[index + 1]) then redis.call('HSET', KEYS[1], ARGV[index], ARGV[index + 1]) end
    end
    local last = tonumber(redis.call('HGET', KEYS[1], 'last') or '0')
    for index = 4 + 2 * count, #ARGV do
      if tonumber(redis.call('HGET', KEYS[1], ARGV[index]) or '0') < last then return 1 end
    end
    redis.call('SREM', KEYS[2], ARGV[2])
    return 1
    """)

  /// Returns at most 100 rooms of incarnations that are no members, each followed by its incarnation.
  /// KEYS: deliverers, members. ARGV: prefix of delivering.
  static let orphans = RedisScript(
    """
    local rooms = {}
    for _, node in ipairs(redis.call('SMEMBERS', KEYS[1])) do
      if redis.call('HEXISTS', KEYS[2], node) == 0 then
        local left = redis.call('SRANDMEMBER', ARGV[1] .. node, 100)
        if #left == 0 then redis.call('SREM', KEYS[1], node) end
        for _, room in ipairs(left) do
          if #rooms < 200 then
            rooms[#rooms + 1] = room
            rooms[#rooms + 1] = node
          end
        end
      end
    end
    return rooms
    """)

  /// Takes a room from an incarnation that is no member.
  /// KEYS: delivery, deliverers, members. ARGV: room, prefix of delivering, own incarnation, the other.
  static let take = RedisScript(
    deliver
      + """
      if redis.call('HEXISTS', KEYS[3], ARGV[4]) == 1 or redis.call('HEXISTS', KEYS[3], ARGV[3]) == 0 then return 0 end
      redis.call('SREM', ARGV[2] .. ARGV[4], ARGV[1])
      if redis.call('HGET', KEYS[1], 'node') ~= ARGV[4] then return 0 end
      deliver(KEYS[1], ARGV[1], KEYS[2], ARGV[2], ARGV[3])
      return 1
      """)

  /// Moves all webhooks back, and delivers from there.
  /// KEYS: delivery, deliverers. ARGV: room, prefix of delivering, own incarnation, number of the last event that counts as
  /// delivered, the fields of all webhooks. Returns 0 if the room has no events.
  static let replay = RedisScript(
    deliver
      + """
      if redis.call('HEXISTS', KEYS[1], 'last') == 0 then return 0 end
      for index = 5, #ARGV do redis.call('HSET', KEYS[1], ARGV[index], ARGV[4]) end
      deliver(KEYS[1], ARGV[1], KEYS[2], ARGV[2], ARGV[3])
      return 1
      """)
}
