-- Appends an event or the end to a topic, if its key is new, and wakes those who watch.
--
-- KEYS: the stream, what is known about the topic, and, if the caller has named the entry, where its position is stored
-- ARGV: the server's run ID, the event (empty: the end), how many entries to keep, for how many milliseconds without an
--       append to keep the topic (0: forever), the channel, ten random digits
-- Returns the position, or nil if the topic has ended.
local stream, about, named = KEYS[1], KEYS[2], KEYS[3]
local run, event, most, expiry, channel, random = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5], ARGV[6]
local DAY = 24 * 60 * 60 * 1000
-- The last time of an epoch, in the year 2540. After a later one, a position of 64 bits would soon have no room.
local LATEST = 1.8e15

if named then
    local at = redis.call('GET', named)
    if at then
        return at
    end
end

local known = redis.call('HMGET', about, 'run', 'epoch', 'number', 'ended')
local epoch, number, ended = known[2], tonumber(known[3]), known[4]

-- Starts over, in an epoch above all that the topic has had. An epoch is the time in units of 10 microseconds, so
-- epochs also rise if nothing is known about the topic, and four random digits. It has more digits than are exact in a
-- number of Lua, so it stays a text.
local function start_over()
    local now = redis.call('TIME')
    local time = tonumber(now[1]) * 100000 + math.floor(tonumber(now[2]) / 10)
    local last = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
    for _, old in ipairs({ epoch or '', last and string.match(last[1], '^%d+') or '' }) do
        local old_time = tonumber(string.sub(old, 1, -5)) or 0
        if old_time >= time and old_time < LATEST then
            -- The clock was set back. Another server, or this one with an older copy of the data, may do the same, so
            -- the time is random, too. The numbers of Lua's own generator are the same each time.
            time = old_time + 1 + tonumber(string.sub(random, 1, 6))
        end
    end
    epoch, number = string.format('%.0f', time) .. string.sub(random, 7), 0
    -- If the memory is full, this is refused before anything is stored. After a DEL, Redis would let the script use more.
    redis.call('HSET', about, 'run', run, 'epoch', epoch, 'number', 0)
    redis.call('HDEL', about, 'ended')
    redis.call('DEL', stream)
end

local function position()
    return epoch .. '-' .. string.format('%.0f', number)
end

if epoch and number and ended then
    if event == '' then
        return position()
    end
    return false
end
-- Another server, or the same one after a restart, may not have all that readers were sent.
if known[1] ~= run or not epoch or not number then
    start_over()
end

-- For what comes after the event is stored. If it is refused, for example because the user may not publish, the caller
-- is told that.
local refused
local function try(...)
    local result = redis.pcall(...)
    if type(result) == 'table' and result.err then
        refused = result.err
    end
end

local message = ''
if event == '' then
    redis.call('HSET', about, 'ended', 1)
else
    local function add()
        number = number + 1
        return redis.pcall('XADD', stream, 'MAXLEN', '~', most, position(), 'e', event)
    end
    local added = add()
    -- The stream has entries that this script has not written.
    if type(added) == 'table' and added.err and string.find(added.err, 'equal or smaller', 1, true) then
        start_over()
        added = add()
    end
    if type(added) == 'table' and added.err then
        return added
    end
    try('HSET', about, 'number', number)
    message = position() .. '\n' .. event
end

if expiry > 0 then
    try('PEXPIRE', stream, expiry)
    try('PEXPIRE', about, expiry)
end
if named then
    try('SET', named, position(), 'PX', DAY)
end
try('PUBLISH', channel, message)
if refused then
    return redis.error_reply('STORED ' .. refused)
end
return position()
