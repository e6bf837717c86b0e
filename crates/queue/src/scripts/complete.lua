-- Takes the results of a case from the host that has its lease. KEYS: the prefix. ARGV: epoch, host, id, outcome, results. Returns 1, or 0
-- where the lease is another's.
local refusal = unknown(ARGV[1])
if refusal then
    return refusal
end
local host, id = ARGV[2], ARGV[3]
if redis.call('HGET', p .. 'owner', id) ~= host then
    -- It may have handed them over before, and not have heard the answer.
    return redis.call('HGET', p .. 'by', id) == host and 1 or 0
end
redis.call('ZREM', p .. 'leases', id)
redis.call('HDEL', p .. 'owner', id)
release(id)
local keep = tonumber(redis.call('HGET', p .. 'about', 'keep') or '0')
redis.call('HSET', p .. 'done', id, ARGV[4])
redis.call('HSET', p .. 'by', id, host)
redis.call('RPUSH', p .. 'results', ARGV[5])
if keep > 0 then
    redis.call('PEXPIRE', p .. 'done', keep)
    redis.call('PEXPIRE', p .. 'results', keep)
    redis.call('PEXPIRE', p .. 'by', keep)
end
return 1
