-- What the scripts share. KEYS: the prefix.
local p = KEYS[1]
local function now()
    local t = redis.call('TIME')
    return t[1] * 1000 + math.floor(t[2] / 1000)
end
-- An error where the queue is not the one that the host knows, by its epoch: the server lost it, and others may have begun it anew.
local function unknown(epoch)
    local current = redis.call('HGET', p .. 'about', 'epoch')
    if not current then
        return redis.error_reply('GONE the server has lost the queue')
    end
    if current ~= epoch then
        return redis.error_reply('ANEW the queue was begun anew')
    end
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
