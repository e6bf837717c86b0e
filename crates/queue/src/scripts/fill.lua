-- Begins a queue with its cases; where it has begun already, tells what it holds.
-- KEYS: the prefix. ARGV: digest, the epoch of a queue that is begun now, milliseconds that the data is kept, milliseconds until the first
-- case is given out, then for each case its id, its lane, and its locks separated by "\31". Returns the digest and the epoch.
local known = redis.call('HGET', p .. 'about', 'digest')
if known then
    return {known, redis.call('HGET', p .. 'about', 'epoch')}
end
local keep, wait = tonumber(ARGV[3]), tonumber(ARGV[4])
local cases = (#ARGV - 4) / 3
redis.call('HSET', p .. 'about', 'digest', ARGV[1], 'epoch', ARGV[2], 'cases', cases, 'opens', now() + wait, 'keep', keep)
for at = 5, #ARGV, 3 do
    redis.call('RPUSH', p .. 'todo:' .. ARGV[at + 1], ARGV[at])
    redis.call('HSET', p .. 'lane', ARGV[at], ARGV[at + 1])
    redis.call('SADD', p .. 'lanes', ARGV[at + 1])
    if ARGV[at + 2] ~= '' then
        redis.call('HSET', p .. 'locks', ARGV[at], ARGV[at + 2])
    end
end
for _, key in ipairs({'about', 'lane', 'lanes', 'locks'}) do
    redis.call('PEXPIRE', p .. key, keep)
end
for _, lane in ipairs(redis.call('SMEMBERS', p .. 'lanes')) do
    redis.call('PEXPIRE', p .. 'todo:' .. lane, keep)
end
return {ARGV[1], ARGV[2]}
