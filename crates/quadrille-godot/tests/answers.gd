extends SceneTree
## Compares every answer with a linear scan, in 2D and 3D, and provokes every error. `-- --wrong` falsifies one answer: it must fail.

const ALL := 0xFFFFFFFF

## What is pushed as an error.
class Errors extends Logger:
	var said: Array[String] = []

	func _log_error(_in: String, _file: String, _line: int, code: String, rationale: String, _edit: bool, _type: int, _traces: Array[ScriptBacktrace]) -> void:
		said.append(rationale if rationale else code)


## The words of a dimension.
class Words:
	var dimensions: int
	var index: Variant
	var box_name: String
	var ball_name: String
	var random := RandomNumberGenerator.new()

	func _init(number: int) -> void:
		dimensions = number
		random.seed = 7
		index = SpatialIndex2D.new() if number == 2 else SpatialIndex3D.new()
		box_name = "rect" if number == 2 else "aabb"
		ball_name = "circle" if number == 2 else "sphere"

	func vector(numbers: Array) -> Variant:
		return Vector2(numbers[0], numbers[1]) if dimensions == 2 else Vector3(numbers[0], numbers[1], numbers[2])

	func all_of(number: float) -> Variant:
		return vector([number, number, number])

	## On a coarse lattice, so that edges coincide often.
	func place(to := 40) -> Variant:
		return vector([random.randi_range(0, to), random.randi_range(0, to), random.randi_range(0, to)])

	func box(position: Variant, size: Variant) -> Variant:
		return Rect2(position, size) if dimensions == 2 else AABB(position, size)

	func packed(vectors: Array) -> Variant:
		return PackedVector2Array(vectors) if dimensions == 2 else PackedVector3Array(vectors)

	func of_box(name: String, arguments: Array) -> Variant:
		return index.callv(name % box_name, arguments)

	func of_ball(name: String, arguments: Array) -> Variant:
		return index.callv(name % ball_name, arguments)


var errors := Errors.new()
var failures := 0
var checks := 0
var words: Words
var index: Variant
## By id: the box, the layer.
var model: Dictionary


func _initialize() -> void:
	OS.add_logger(errors)
	await process_frame
	for dimensions in [2, 3]:
		words = Words.new(dimensions)
		index = words.index
		model = {}
		change()
		for mask in [ALL, 1, 2, 5, 0]:
			regions(mask)
			in_order(mask)
			together(mask)
		wrong_calls()
		outside()
	polygons()
	frustum()
	check("no error is left", errors.said, [] as Array[String])
	OS.remove_logger(errors)
	print("answers: %d of %d checks failed" % [failures, checks])
	quit(1 if failures > 0 or checks < 1000 else 0)


func check(name: String, found: Variant, wanted: Variant) -> void:
	checks += 1
	if found == wanted: return
	failures += 1
	if found is Array and wanted is Array and found.size() > 9:
		var more: Array = found.filter(func(one: Variant) -> bool: return one not in wanted)
		var less: Array = wanted.filter(func(one: Variant) -> bool: return one not in found)
		print("%dD %s: %s too much, %s too little" % [words.dimensions, name, more, less])
	else:
		print("%dD %s: %s instead of %s" % [words.dimensions, name, found, wanted])


## Without their order.
func same(name: String, found: PackedInt64Array, wanted: Array) -> void:
	if "--wrong" in OS.get_cmdline_user_args() and name == "query_circle":
		found = found.slice(1)
	var list := Array(found)
	list.sort()
	wanted.sort()
	check(name, list, wanted)


func near(name: String, found: float, wanted: float, margin := 1e-3) -> void:
	check("%s (%f, %f)" % [name, found, wanted], absf(found - wanted) <= margin, true)


# What a linear scan needs.

func is_in(id: int, mask: int) -> bool:
	return mask & (1 << (model[id].layer - 1)) != 0


func scan(mask: int, test: Callable) -> Array:
	return model.keys().filter(func(id: int) -> bool: return is_in(id, mask) and test.call(model[id].box))


func gap(one: Variant, other: Variant) -> float:
	var sum := 0.0
	for axis in words.dimensions:
		var apart := maxf(0.0, maxf(one.position[axis] - other.end[axis], other.position[axis] - one.end[axis]))
		sum += apart * apart
	return sqrt(sum)


func at(point: Variant) -> Variant:
	return words.box(point, words.all_of(0))


## When a round body that moves first comes as near to a box as its radius; INF if never.
func first_touch(from: Variant, motion: Variant, radius: float, box: Variant) -> float:
	var away := func(t: float) -> float: return gap(at(from + motion * t), box)
	var low := 0.0
	var high := 1.0
	for step in 80:
		var thirds := [low + (high - low) / 3.0, high - (high - low) / 3.0]
		if away.call(thirds[0]) <= away.call(thirds[1]): high = thirds[1]
		else: low = thirds[0]
	var nearest := low
	if away.call(nearest) > radius + 1e-4: return INF
	if away.call(0.0) <= radius: return 0.0
	low = 0.0
	high = nearest
	for step in 50:
		var middle := (low + high) / 2.0
		if away.call(middle) <= radius: high = middle
		else: low = middle
	return high


# Changes.

func change() -> void:
	for id in 120:
		var layer := 1 + id % 3
		var point: Variant = words.place()
		check("insert", index.insert(id, point, layer), true)
		model[id] = { box = at(point), layer = layer }
	for id in range(1000, 1030):
		var box: Variant = words.box(words.place(), words.place(6))
		check("insert box", words.of_box("insert_%s", [id, box]), true)
		model[id] = { box = box, layer = 1 }
	var ids := PackedInt64Array(range(-50, 0))
	var places: Array = Array(ids).map(func(_id: int) -> Variant: return words.place())
	var sizes: Array = Array(ids).map(func(_id: int) -> Variant: return words.place(4))
	check("insert boxes", words.of_box("insert_%ss", [ids, words.packed(places), words.packed(sizes), 3]), true)
	for number in ids.size():
		model[ids[number]] = { box = words.box(places[number], sizes[number]), layer = 3 }
	ids = PackedInt64Array(range(5000, 5100))
	check("insert all", index.insert_all(ids, words.packed(Array(ids).map(func(_id: int) -> Variant: return words.place())), 32), true)
	check("size", index.size(), 300)
	check("size by mask", index.size(1 << 31), 100)
	places = Array(ids).map(func(_id: int) -> Variant: return words.place())
	check("move all", index.move_all(ids, words.packed(places)), true)
	for number in ids.size():
		model[ids[number]] = { box = at(places[number]), layer = 32 }
	ids = PackedInt64Array(range(-50, -10))
	places = Array(ids).map(func(_id: int) -> Variant: return words.place())
	check("move boxes", words.of_box("move_%ss", [ids, words.packed(places), words.packed(sizes.slice(0, 40))]), true)
	for number in ids.size():
		model[ids[number]].box = words.box(places[number], sizes[number])
	for id in 30:
		var point: Variant = words.place()
		check("move", index.move_to(id, point), true)
		model[id].box = at(point)
		var box: Variant = words.box(words.place(), words.place(6))
		check("move box", words.of_box("move_%s", [1000 + id, box]), true)
		model[1000 + id].box = box
	for id in range(30, 40):
		check("remove", index.remove(id), true)
		model.erase(id)
	check("remove all", index.remove_all(PackedInt64Array([-1, 5099])), true)
	model.erase(-1)
	model.erase(5099)
	check("has", [index.has(0), index.has(30), index.has(-2), index.has(-1)], [true, false, true, false])
	for id in model:
		check("get box", words.of_box("get_%s", [id]), model[id].box)
	check("size after all", index.size(), model.size())


# Questions.

func regions(mask: int) -> void:
	for turn in 20:
		var box: Variant = words.box(words.place(), words.place(20))
		same("query_box", words.of_box("query_%s", [box, mask]), scan(mask, func(other: Variant) -> bool: return gap(box, other) == 0.0))
		var center: Variant = words.place()
		var radius: float = [0.0, 5.0, 7.5, INF][turn % 4]
		same("query_circle", words.of_ball("query_%s", [center, radius, mask]), scan(mask, func(other: Variant) -> bool: return gap(at(center), other) <= radius))


func in_order(mask: int) -> void:
	for turn in 10:
		var from: Variant = words.place()
		var distances: Array = model.keys().filter(is_in.bind(mask)).map(func(id: int) -> float: return gap(at(from), model[id].box))
		distances.sort()
		var found: PackedInt64Array = index.nearest(from, 7, 9.0, mask)
		check("nearest", Array(found).map(func(id: int) -> float: return gap(at(from), model[id].box)), distances.filter(func(away: float) -> bool: return away <= 9.0).slice(0, 7))
		check("nearest to none", index.nearest(from, 0, 9.0, mask).size(), 0)
		var first: PackedInt64Array = index.nearest(from, 1, INF, mask)
		if not first.is_empty():
			check("exclude", index.nearest(from, 1000, INF, mask, first).size(), distances.size() - 1)
		var to: Variant = words.place() + words.all_of(0.37)
		hit("raycast", index.raycast(from, to, mask), from, to - from, 0.0, mask)
		hit("cast", words.of_ball("cast_%s", [from, 1.5, to - from, mask]), from, to - from, 1.5, mask)
		var before: Dictionary = index.raycast(from, to, mask)
		if before:
			check("exclude from a ray", index.raycast(from, to, mask, [before.id]).get("id") != before.id, true)


func hit(name: String, found: Dictionary, from: Variant, motion: Variant, radius: float, mask: int) -> void:
	var first := INF
	for id in model:
		if is_in(id, mask): first = minf(first, first_touch(from, motion, radius, model[id].box))
	# What is only grazed may be decided by rounding.
	if first == INF or not found:
		check(name + " hits", found.is_empty(), first == INF)
		return
	near(name, found.fraction, first, 0.01)
	near(name + " is where it says", (from + motion * found.fraction).distance_to(found.position), 0.0, 0.01)
	near(name + " touches", gap(at(found.position), model[found.id].box), radius if first > 0.0 else minf(radius, gap(at(from), model[found.id].box)), 0.01)
	check(name + " normal", found.normal.length() < 1e-3 or absf(found.normal.length() - 1.0) < 1e-3, true)


func together(mask: int) -> void:
	for away in [0.0, 1.0, 2.5]:
		var ids := model.keys()
		var wanted := []
		var between := []
		for one in ids.size():
			for other in one:
				var pair := [ids[one], ids[other]]
				if gap(model[pair[0]].box, model[pair[1]].box) > away: continue
				pair.sort()
				if is_in(pair[0], mask) and is_in(pair[1], mask): wanted.append(pair)
				if is_in(pair[0], mask) and is_in(pair[1], 2) or is_in(pair[1], mask) and is_in(pair[0], 2): between.append(pair)
		check("pairs", couples(index.pairs(away, mask, mask)), ordered(wanted))
		check("pairs of two masks", couples(index.pairs(away, mask, 2)), ordered(between))
		around(away, mask)
	var region: Variant = words.box(words.all_of(3), words.all_of(30))
	var cells := {}
	for id in scan(mask, func(box: Variant) -> bool: return gap(region, box) == 0.0):
		var center: Variant = model[id].box.position + model[id].box.size / 2.0
		var cell: Variant = ((center + words.all_of(32768)) / 8.0).floor()
		cells[cell] = cells.get(cell, []) + [center]
	var found: Dictionary = index.clusters(region, 8.0, mask)
	check("number of clusters", [found.positions.size(), found.counts.size()], [cells.size(), cells.size()])
	for number in found.positions.size():
		var centers: Array = cells.get(((found.positions[number] + words.all_of(32768)) / 8.0).floor(), [])
		check("count", found.counts[number], centers.size())
		near("mean", (found.positions[number] - mean(centers)).length(), 0.0, 0.01)


func mean(vectors: Array) -> Variant:
	return vectors.reduce(func(sum: Variant, one: Variant) -> Variant: return sum + one, words.all_of(0)) / maxf(1, vectors.size())


func couples(found: PackedInt64Array) -> Array:
	var pairs := []
	for at_pair in range(0, found.size(), 2):
		var pair := [found[at_pair], found[at_pair + 1]]
		pair.sort()
		pairs.append(pair)
	return ordered(pairs)


func ordered(pairs: Array) -> Array:
	pairs.sort_custom(func(one: Array, other: Array) -> bool: return one[0] < other[0] or one[0] == other[0] and one[1] < other[1])
	return pairs


func around(away: float, mask: int) -> void:
	var ids := PackedInt64Array(model.keys().slice(7, 90))
	var found: Dictionary = index.neighbors(ids, away, mask)
	var nearest: Dictionary = index.neighbors(ids, away, mask, 2)
	check("offsets", [found.offsets.size(), found.offsets[0], found.offsets[ids.size()]], [ids.size() + 1, 0, found.ids.size()])
	var values: Array = Array(ids).map(func(id: int) -> Variant: return words.vector([id, -id, 0.5]))
	var means: Variant = index.neighbor_means(ids, words.packed(values), away, mask)
	for number in ids.size():
		var me := ids[number]
		var wanted := scan(mask, func(box: Variant) -> bool: return gap(model[me].box, box) <= away)
		wanted.erase(me)
		same("neighbors", found.ids.slice(found.offsets[number], found.offsets[number + 1]), wanted)
		var distance := func(id: int) -> float: return gap(model[me].box, model[id].box)
		var distances := wanted.map(distance)
		distances.sort()
		var told := Array(nearest.ids.slice(nearest.offsets[number], nearest.offsets[number + 1])).map(distance)
		told.sort()
		check("nearest neighbors", told, distances.slice(0, 2))
		var known := wanted.filter(func(id: int) -> bool: return id in ids).map(func(id: int) -> Variant: return values[ids.find(id)])
		near("mean of neighbors", (means[number] - (mean(known) if known else values[number])).length(), 0.0, 0.01)


func outside() -> void:
	check("the world", index.world.size, words.all_of(65536))
	index.world = words.box(words.all_of(0), words.all_of(10))
	check("a smaller world", index.world, words.box(words.all_of(0), words.all_of(10)))
	regions(ALL)
	index.clear()
	check("clear", [index.size(), index.has(1)], [0, false])


func polygons() -> void:
	words = Words.new(2)
	index = words.index
	model = {}
	change()
	for turn in 40:
		var middle: Vector2 = words.place() + Vector2(0.37, 0.41)
		var corners := PackedVector2Array()
		for corner in 7:
			corners.append(middle + Vector2.from_angle(corner * TAU / 7.0) * words.random.randf_range(3.0, 17.0))
		var wanted := scan(ALL, func(box: Rect2) -> bool:
			if box.size == Vector2.ZERO: return is_inside(box.position, corners)
			var end := box.end.max(box.position + Vector2(1e-3, 1e-3))
			var around := PackedVector2Array([box.position, Vector2(end.x, box.position.y), end, Vector2(box.position.x, end.y)])
			return not Geometry2D.intersect_polygons(around, corners).is_empty())
		same("query_polygon", index.query_polygon(corners), wanted)
	fails("query_polygon: 2 corners", index.query_polygon.bind(PackedVector2Array([Vector2.ZERO, Vector2.ONE])), PackedInt64Array())
	fails("corner [inf, 0.0]", index.query_polygon.bind(PackedVector2Array([Vector2.ZERO, Vector2.ONE, Vector2(INF, 0)])), PackedInt64Array())


## By the number of edges to the right. Godot's own test has 32 bits.
func is_inside(point: Vector2, corners: PackedVector2Array) -> bool:
	var inside := false
	for number in corners.size():
		var one := corners[number - 1]
		var other := corners[number]
		if (one.y > point.y) != (other.y > point.y):
			var x: float = one.x + (float(point.y) - one.y) / (float(other.y) - one.y) * (float(other.x) - one.x)
			if x > point.x: inside = not inside
	return inside


func frustum() -> void:
	words = Words.new(3)
	index = words.index
	model = {}
	change()
	var camera := Camera3D.new()
	root.add_child(camera)
	camera.look_at_from_position(Vector3(20.1, 45.3, 70.7), Vector3(20, 20, 20))
	camera.fov = 25
	var planes := camera.get_frustum()
	var found: PackedInt64Array = index.query_frustum(planes)
	var points := scan(ALL, func(box: AABB) -> bool: return box.size == Vector3.ZERO and camera.is_position_in_frustum(box.position))
	check("some are seen, others not", points.size() > 10 and points.size() < 190, true)
	same("query_frustum", Array(found).filter(func(id: int) -> bool: return model[id].box.size == Vector3.ZERO), points)
	fails("plane [NaN", index.query_frustum.bind([Plane(NAN, 0, 0, 1)] as Array[Plane]), PackedInt64Array())
	fails("1.0, 0.0, 0.0, NaN", index.query_frustum.bind([Plane(1, 0, 0, NAN)] as Array[Plane]), PackedInt64Array())


# Errors.

## A wrong call says so, answers nothing and changes nothing.
func fails(words_of_error: String, wrong: Callable, answer: Variant) -> void:
	var before := errors.said.size()
	check(words_of_error, wrong.call(), answer)
	var told := errors.said.slice(before)
	check("an error for " + words_of_error, told.size(), 1)
	if told.size() == 1:
		check("%s in %s" % [words_of_error, told[0]], told[0].to_lower().contains(words_of_error.to_lower()), true)
	errors.said.resize(before)
	check("size after " + words_of_error, index.size(), model.size())
	if model: same("contents after " + words_of_error, words.of_box("query_%s", [words.box(words.all_of(0), words.all_of(50))]), model.keys())


func wrong_calls() -> void:
	var none := PackedInt64Array()
	var place: Variant = words.all_of(1)
	var nan: Variant = words.all_of(NAN)
	var endless: Variant = words.all_of(INF)
	var box: Variant = words.box(place, words.all_of(-1))
	fails("id 0 is taken", index.insert.bind(0, place), false)
	fails("layer 0: there are 1 to 32", index.insert.bind(7777, place, 0), false)
	fails("layer 33", index.insert.bind(7777, place, 33), false)
	fails("layer -9223372036854775808", index.insert.bind(7777, place, -0x7FFFFFFFFFFFFFFF - 1), false)
	fails("nan", index.insert.bind(7777, nan), false)
	fails("inf", index.insert.bind(7777, endless), false)
	fails("minimum", words.of_box.bind("insert_%s", [7777, box]), false)
	fails("id 7777 is taken", index.insert_all.bind(PackedInt64Array([7777, 7777]), words.packed([place, place])), false)
	fails("2 ids and 1 shapes", index.insert_all.bind(PackedInt64Array([7777, 7778]), words.packed([place])), false)
	fails("object 1 of the batch", index.insert_all.bind(PackedInt64Array([7777, 7778]), words.packed([place, nan])), false)
	fails("1 positions and 2 sizes", words.of_box.bind("insert_%ss", [PackedInt64Array([7777]), words.packed([place]), words.packed([place, place])]), false)
	fails("id 7777: there is no such object", index.move_to.bind(7777, place), false)
	fails("id 1000: it is one of Rects", index.move_to.bind(1000, place), false)
	fails("id 0: it is one of Points", words.of_box.bind("move_%s", [0, words.box(place, place)]), false)
	fails("minimum", words.of_box.bind("move_%s", [1000, box]), false)
	fails("nan", index.move_to.bind(0, nan), false)
	fails("id 7777: there is no such object (2 of 3 refused)", index.move_all.bind(PackedInt64Array([7777, 0, 1]), words.packed([place, model[0].box.position, nan])), false)
	fails("2 ids and 0 shapes", index.move_all.bind(PackedInt64Array([0, 1]), words.packed([])), false)
	fails("id 7777", index.remove.bind(7777), false)
	fails("id 7777: there is no such object (2 of 2 refused)", index.remove_all.bind(PackedInt64Array([7777, 7778])), false)
	fails("id 7777", words.of_box.bind("get_%s", [7777]), words.box(words.all_of(0), words.all_of(0)))
	fails("mask -1 is not of 32 bits", index.size.bind(-1), 0)
	fails("mask 4294967296", words.of_box.bind("query_%s", [words.box(place, place), ALL + 1]), none)
	fails("minimum", words.of_box.bind("query_%s", [box]), none)
	fails("nan", words.of_box.bind("query_%s", [words.box(nan, place)]), none)
	fails("radius -1", words.of_ball.bind("query_%s", [place, -1.0]), none)
	fails("radius nan", words.of_ball.bind("query_%s", [place, NAN]), none)
	fails("center", words.of_ball.bind("query_%s", [endless, 1.0]), none)
	fails("position", index.nearest.bind(nan), none)
	fails("max_results -1", index.nearest.bind(place, -1), none)
	fails("max_distance -0.5", index.nearest.bind(place, 1, -0.5), none)
	fails("from", index.raycast.bind(nan, place), {})
	fails("to [", index.raycast.bind(place, endless), {})
	fails("motion", words.of_ball.bind("cast_%s", [place, 1.0, nan]), {})
	fails("radius -2", words.of_ball.bind("cast_%s", [place, -2.0, place]), {})
	fails("distance nan", index.pairs.bind(NAN), none)
	fails("mask -5", index.pairs.bind(0.0, ALL, -5), none)
	fails("id 7777", index.neighbors.bind(PackedInt64Array([0, 7777]), 1.0), {})
	fails("id 0: it came before", index.neighbors.bind(PackedInt64Array([0, 0]), 1.0), {})
	fails("max_results -1", index.neighbors.bind(PackedInt64Array([0]), 1.0, ALL, -1), {})
	fails("1 ids and 2 values", index.neighbor_means.bind(PackedInt64Array([0]), words.packed([place, place]), 1.0), words.packed([]))
	fails("cells cannot have the size 0.0", index.clusters.bind(words.box(place, place), 0.0), {})
	fails("cells cannot have the size nan", index.clusters.bind(words.box(place, place), NAN), {})
	fails("world", index.set_world.bind(words.box(place, words.all_of(0))), null)
	fails("minimum", index.set_world.bind(box), null)
	check("no ids", [index.insert_all(none, words.packed([])), index.move_all(none, words.packed([])), index.remove_all(none)], [true, true, true])
	check("neighbors of none", index.neighbors(none, 1.0), { "offsets": PackedInt32Array([0]), "ids": none })
	check("ids of others are passed over", index.nearest(place, 1, INF, ALL, [7777]).size(), 1)
