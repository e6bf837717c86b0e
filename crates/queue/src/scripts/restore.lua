-- Tells a queue that was begun anew, after its server lost it, what a host has done and has in hand. KEYS: the prefix. ARGV: host,
-- milliseconds of a lease, how many of the following are done, then id, outcome and results of each of those, then ids in hand. Returns
-- the epoch, and the ids of what is done that another host was given meanwhile.
local host, lease, done, now = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), now()
local keep = tonumber(redis.call('HGET', p .. 'about', 'keep') or '0')
local function taken_out(id)
    local lane = redis.call('HGET', p .. 'lane', id)
    return lane and redis.call('LREM', p .. 'todo:' .. lane, 1, id) == 1
end
local answer = {redis.call('HGET', p .. 'about', 'epoch') or ''}
for n = 0, done - 1 do
    local at = 4 + 3 * n
    if taken_out(ARGV[at]) then
        redis.call('HSET', p .. 'done', ARGV[at], ARGV[at + 1])
        redis.call('HSET', p .. 'by', ARGV[at], host)
        redis.call('RPUSH', p .. 'results', ARGV[at + 2])
    elseif redis.call('HGET', p .. 'by', ARGV[at]) ~= host then
        answer[#answer + 1] = ARGV[at]
    end
end
for at = 4 + 3 * done, #ARGV do
    if taken_out(ARGV[at]) then
        redis.call('HINCRBY', p .. 'taken', ARGV[at], 1)
        redis.call('ZADD', p .. 'leases', now + lease, ARGV[at])
        redis.call('HSET', p .. 'owner', ARGV[at], host)
        hold(ARGV[at])
    end
end
if keep > 0 then
    for _, key in ipairs({'done', 'by', 'results', 'taken', 'leases', 'owner', 'held'}) do
        redis.call('PEXPIRE', p .. key, keep)
    end
end
return answer
