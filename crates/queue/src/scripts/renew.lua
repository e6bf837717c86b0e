-- Makes leases last longer. KEYS: the prefix. ARGV: epoch, host, milliseconds, ids. Returns the ids that are the host's no more.
local refusal = unknown(ARGV[1])
if refusal then
    return refusal
end
local host, lease, now = ARGV[2], tonumber(ARGV[3]), now()
local lost = {}
for at = 4, #ARGV do
    local id = ARGV[at]
    if redis.call('HGET', p .. 'owner', id) == host then
        redis.call('ZADD', p .. 'leases', 'XX', now + lease, id)
    else
        lost[#lost + 1] = id
    end
end
redis.call('HSET', p .. 'hosts', host, now)
return lost
