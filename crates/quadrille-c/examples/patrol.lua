-- The patrol of patrol.c in LuaJIT: luajit patrol.lua quadrille.h libquadrille_c.so
local ffi = require 'ffi'

-- The header without what a preprocessor does.
local header = assert(io.open(arg[1])):read('*a')
header = header:gsub('#ifdef __cplusplus.-#endif\n', ''):gsub('\n#[^\n]*', '\n')
ffi.cdef(header)
local qd = ffi.load(arg[2])
local ALL = 0xffffffffffffffffULL

local state = 1
local function below(limit)
  state = state * 16807 % 2147483647
  return state % limit
end

local function must(status)
  if status ~= qd.QD_OK then error(ffi.string(qd.qd_last_error())) end
end

-- What a function makes, by a pointer to it.
local function made(type, call, ...)
  local out = ffi.new(type .. '[1]')
  local arguments = { ... }
  arguments[#arguments + 1] = out
  must(call(unpack(arguments)))
  return out[0]
end

local function layer(number) return bit.lshift(1ULL, number) end
local function slot(handle) return tonumber(handle % 4294967296ULL) end

-- Numbers are kept with the query, so that they live as long.
local alive = {}
local function query(shape, numbers, layers)
  local list = ffi.new('double[?]', #numbers, numbers)
  local asked = ffi.new('qd_query', { shape = shape, numbers = list, count = #numbers, layers = layers })
  alive[asked] = list
  return asked
end

local index = made('qd_index *', qd.qd_new, 2, ffi.new('double[4]', 0, 0, 1000, 1000))
local unit_layer = made('uint32_t', qd.qd_add_layer, index, qd.QD_POINTS)
local wall_layer = made('uint32_t', qd.qd_add_layer, index, qd.QD_BOXES)
local places, boxes = ffi.new('double[2000]'), ffi.new('double[400]')
for i = 0, 1999 do places[i] = below(1000) end
for i = 0, 99 do
  local x, y = below(1000), below(1000)
  boxes[4 * i], boxes[4 * i + 1], boxes[4 * i + 2], boxes[4 * i + 3] = x, y, x + 20, y + 5
end
local units, walls = ffi.new('qd_handle[1000]'), ffi.new('qd_handle[100]')
must(qd.qd_insert(index, unit_layer, places, 1000, units))
must(qd.qd_insert(index, wall_layer, boxes, 100, walls))

local seen = query(qd.QD_BOX, { 200, 200, 600, 600 }, layer(unit_layer))
local watch, changes = made('qd_watch *', qd.qd_watch_new), 0
local count = ffi.cast('qd_each_fn', function(_, _, len) changes = changes + tonumber(len) return 0 end)
for _ = 1, 10 do
  for i = 0, 1999 do places[i] = places[i] + below(21) - 10 end
  must(qd.qd_move_to(index, qd.QD_POINTS, units, places, 1000, nil))
  must(qd.qd_poll(index, watch, seen, count, count, nil))
end
print(('watch: %d came or went'):format(changes))

local some, found, sum = ffi.new('qd_handle[64]'), ffi.new('size_t[1]'), 0
must(qd.qd_find(index, query(qd.QD_BALL, { 500, 500, 100 }, ALL), some, 64, found))
for i = 0, tonumber(found[0]) - 1 do sum = sum + slot(some[i]) end
print(('ball: %d objects, slots %d'):format(tonumber(found[0]), sum))

local cursor, slices, total = made('qd_cursor *', qd.qd_cursor_new, index, query(qd.QD_EVERYWHERE, {}, ALL)), 0, 0
repeat
  must(qd.qd_next(index, cursor, some, 64, found))
  slices, total = slices + 1, total + tonumber(found[0])
until found[0] < 64
print(('cursor: %d objects in %d slices'):format(total, slices))

local hits = ffi.new('qd_hit[5]')
local function slots()
  local list = {}
  for i = 0, tonumber(found[0]) - 1 do list[i + 1] = slot(hits[i].handle) end
  return table.concat(list, ' ')
end
must(qd.qd_nearest(index, query(qd.QD_POINT, { 500, 500 }, layer(unit_layer)), math.huge, hits, 5, found))
print('nearest: ' .. slots())
must(qd.qd_raycast(index, query(qd.QD_SEGMENT, { 0, 0, 1000, 1000 }, layer(wall_layer)), hits, 3, found))
print('ray: ' .. slots())
must(qd.qd_pairs(index, layer(unit_layer), layer(wall_layer), 1, nil, 0, found))
print(('pairs: %d'):format(tonumber(found[0]) / 2))
local refused = qd.qd_remove(index, ffi.new('qd_handle[2]', walls[0], walls[0]), 2)
print(('error %d: %s'):format(tonumber(refused), ffi.string(qd.qd_last_error())))
must(qd.qd_free(watch)) must(qd.qd_free(cursor)) must(qd.qd_free(index))
