-- Takes the results of a case from the host that has its lease. KEYS: the prefix. ARGV: host, id, outcome, results. Returns 1, or 0 where the
-- lease is another's.
local host, id = ARGV[1], ARGV[2]
if redis.call('HGET', p .. 'owner', id) ~= host then
    return 0
end
redis.call('ZREM', p .. 'leases', id)
redis.call('HDEL', p .. 'owner', id)
release(id)
local keep = tonumber(redis.call('HGET', p .. 'about', 'keep') or '0')
redis.call('HSET', p .. 'done', id, ARGV[3])
redis.call('RPUSH', p .. 'results', ARGV[4])
if keep > 0 then
    redis.call('PEXPIRE', p .. 'done', keep)
    redis.call('PEXPIRE', p .. 'results', keep)
end
return 1
