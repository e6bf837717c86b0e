-- Makes leases last longer. KEYS: the prefix. ARGV: host, milliseconds, ids. Returns the ids that are the host's no more.
local host, lease, now = ARGV[1], tonumber(ARGV[2]), now()
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
