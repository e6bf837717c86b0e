-- Makes leases last longer. KEYS: the prefix. ARGV: host, milliseconds, ids. Returns the ids that are the host's no more.
local p, host, lease = KEYS[1], ARGV[1], tonumber(ARGV[2])
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local lost = {}
for at = 3, #ARGV do
    local id = ARGV[at]
    if redis.call('HGET', p .. 'owner', id) == host then
        redis.call('ZADD', p .. 'leases', 'XX', now + lease, id)
    else
        lost[#lost + 1] = id
    end
end
redis.call('HSET', p .. 'hosts', host, now)
return lost
