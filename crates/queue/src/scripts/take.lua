-- Gives a case to a host. KEYS: the prefix. ARGV: epoch, host, milliseconds of the lease, how often a case is given out at most, then
-- lanes. Returns {'case', id, the host that had it before or ''}, {'lost', id, hosts}, {'wait'}, or {'over', cases of other lanes}.
local refusal = unknown(ARGV[1])
if refusal then
    return refusal
end
local host, lease, most, now = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), now()
local about = redis.call('HMGET', p .. 'about', 'opens', 'keep')
local keep = tonumber(about[2])
local function kept(key)
    redis.call('PEXPIRE', p .. key, keep)
end
redis.call('HSET', p .. 'hosts', host, now)
kept('hosts')
kept('about')
-- What a host took that does not tell of itself any more goes to the front of its lane.
for _, id in ipairs(redis.call('ZRANGEBYSCORE', p .. 'leases', '-inf', now, 'LIMIT', 0, 1000)) do
    redis.call('ZREM', p .. 'leases', id)
    local owner = redis.call('HGET', p .. 'owner', id)
    redis.call('HDEL', p .. 'owner', id)
    release(id)
    local before = redis.call('HGET', p .. 'before', id)
    redis.call('HSET', p .. 'before', id, before and (before .. ', ' .. owner) or owner)
    kept('before')
    local lane = redis.call('HGET', p .. 'lane', id)
    redis.call('LPUSH', p .. 'todo:' .. lane, id)
    kept('todo:' .. lane)
end
if now < tonumber(about[1]) then
    return {'wait'}
end
local function is_free(id)
    for lock in locks(id) do
        if redis.call('HEXISTS', p .. 'held', lock) == 1 then
            return false
        end
    end
    return true
end
local left, own = 0, {}
for at = 5, #ARGV do
    local lane = ARGV[at]
    own[lane] = true
    for _, id in ipairs(redis.call('LRANGE', p .. 'todo:' .. lane, 0, 99)) do
        left = left + 1
        if is_free(id) then
            redis.call('LREM', p .. 'todo:' .. lane, 1, id)
            local times = redis.call('HINCRBY', p .. 'taken', id, 1)
            kept('taken')
            redis.call('ZADD', p .. 'leases', now + lease, id)
            kept('leases')
            redis.call('HSET', p .. 'owner', id, host)
            kept('owner')
            local before = redis.call('HGET', p .. 'before', id) or ''
            if times > most then
                return {'lost', id, before}
            end
            hold(id)
            kept('held')
            return {'case', id, before}
        end
    end
end
-- What is leased may come back.
for _, id in ipairs(redis.call('ZRANGE', p .. 'leases', 0, -1)) do
    if own[redis.call('HGET', p .. 'lane', id)] then
        return {'wait'}
    end
end
if left > 0 then
    return {'wait'}
end
local others = 0
for _, lane in ipairs(redis.call('SMEMBERS', p .. 'lanes')) do
    if not own[lane] then
        others = others + redis.call('LLEN', p .. 'todo:' .. lane)
    end
end
return {'over', tostring(others)}
