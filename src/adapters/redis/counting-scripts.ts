/** The scripts that count in Redis. They implement the rules of `counting-rules.ts`. Redis runs one script at a time. */
import { createHash } from 'node:crypto';

export interface Script {
  text: string;
  sha1: string;
}

function script(text: string): Script {
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}

/**
 * Raises every counter, or none if one refuses. ARGV: the time; then the window, the maximum, the first and the longest wait of each
 * counter, or an empty string. Returns count, end of the window and time of the next hit (-1: now) of each counter.
 * A counter is kept for a minute longer than its window, because the clocks of processes differ.
 */
export const hitScript = script(`
local now = tonumber(ARGV[1])
local counters, refused = {}, false
for i, key in ipairs(KEYS) do
  local at = 4 * i - 2
  local window, max, first, longest =
    tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local stored = redis.call('hmget', key, 'count', 'reset')
  local count, reset = tonumber(stored[1]) or 0, tonumber(stored[2]) or now
  if not first and reset > now + window then
    reset = now + window
    redis.call('hset', key, 'reset', string.format('%.0f', reset))
  end
  local retry = -1
  if reset > now and max and count >= max then
    if not first then
      retry = reset
    else
      local at = reset - window + math.min(first * 2 ^ (count - max), longest)
      if at > now and at <= now + longest then retry = at end
    end
  end
  if retry >= 0 then refused = true end
  counters[i] = { key, count, reset, retry, window, first }
end
local results = {}
for i, c in ipairs(counters) do
  local key, count, reset, retry, window, first = unpack(c)
  if not refused then
    if reset <= now then count, reset = 0, now + window end
    count = count + 1
    if first then reset = now + window end
    redis.call('hset', key, 'count', count, 'reset', string.format('%.0f', reset))
    redis.call('pexpire', key, string.format('%.0f', reset - now + 60000))
  end
  results[#results + 1] = count
  results[#results + 1] = reset
  results[#results + 1] = retry
end
return results`);

/** ARGV: the time, and per counter `refund` or `reset`. */
export const correctScript = script(`
local now = tonumber(ARGV[1])
for i, key in ipairs(KEYS) do
  local stored = redis.call('hmget', key, 'count', 'reset')
  local count, reset = tonumber(stored[1]) or 0, tonumber(stored[2]) or 0
  if count > 0 then
    if ARGV[i + 1] == 'reset' then
      redis.call('hset', key, 'count', 0)
    elseif reset > now then
      redis.call('hset', key, 'count', count - 1)
    end
  end
end
return 0`);
