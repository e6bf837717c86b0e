-- What the scripts share. KEYS: the prefix.
local p = KEYS[1]
local function now()
    local t = redis.call('TIME')
    return t[1] * 1000 + math.floor(t[2] / 1000)
end
local function locks(id)
    return string.gmatch(redis.call('HGET', p .. 'locks', id) or '', '[^\31]+')
end
local function hold(id)
    for lock in locks(id) do
        redis.call('HSET', p .. 'held', lock, id)
    end
end
local function release(id)
    for lock in locks(id) do
        if redis.call('HGET', p .. 'held', lock) == id then
            redis.call('HDEL', p .. 'held', lock)
        end
    end
end
