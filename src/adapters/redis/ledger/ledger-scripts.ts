import { script } from "../run-script.ts";

/**
 * Why scripts, when XADD refuses an id that is not above the top one? Because that alone lets too much through: a writer
 * that expects more than there is, and, after a FLUSHALL, anybody. So the version is compared in the same step.
 */
const VERSION = `
local function versionOf(id)
  return tonumber(string.match(id, '-(%d+)$'))
end
local function topVersion(key)
  local top = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
  if top then return versionOf(top[1]) end
  return 0
end
`;

/**
 * KEYS: stream. ARGV: channel, expected version, number of events, mark, events.
 * Returns 1 and the new version, or 0 and the one found. A connection that broke after the write sends the same command
 * again; the mark tells it from a rival's.
 */
export const APPEND = script(`${VERSION}
local expected, count = tonumber(ARGV[2]), tonumber(ARGV[3])
local version = topVersion(KEYS[1])
if version ~= expected then
  local first = string.format('%d', expected + 1)
  local there = redis.call('XRANGE', KEYS[1], first .. '-0', first .. '-18446744073709551615')[1]
  if count > 0 and there and there[2][2] == ARGV[4] then return {1, versionOf(there[1])} end
  return {0, version}
end
if count == 0 then return {1, version} end
local id = string.format('%d-%d', expected + 1, expected + count)
redis.call('XADD', KEYS[1], id, 'm', ARGV[4], 'e', ARGV[5])
-- A user without the right to publish still writes; readers then find out by looking.
redis.pcall('PUBLISH', ARGV[1], id)
return {1, expected + count}
`);

/**
 * KEYS: stream. ARGV: version. Returns the version before the entries, and the entries that hold what came after ARGV[1].
 * What was known before is not sent again, except for a batch that begins before that version and ends behind it.
 */
export const LOAD_SINCE = script(`${VERSION}
local since = tonumber(ARGV[1])
local from = 0
local after = redis.call('XRANGE', KEYS[1], string.format('%d-0', since + 1), '+')
if since > 0 then
  local before = redis.call('XREVRANGE', KEYS[1], string.format('%d-18446744073709551615', since), '-', 'COUNT', 1)[1]
  if before then
    from = versionOf(before[1])
    if from > since then
      from = tonumber(string.match(before[1], '^(%d+)')) - 1
      table.insert(after, 1, before)
    end
  end
end
return {from, after}
`);

/** KEYS: stream. Returns the id of the top entry, or an empty text. */
export const TOP_ID = script(`
local top = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
return top and (top[1] .. ' ' .. top[2][2]) or ''
`);
