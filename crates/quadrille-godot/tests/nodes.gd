extends SceneTree
## Groups and zones: what they tell, compared with linear scans; nodes that come, go, are freed, and are nowhere.

class Errors extends Logger:
	var said: Array[String] = []

	func _log_error(_in: String, _file: String, _line: int, code: String, rationale: String, _edit: bool, _type: int, _traces: Array[ScriptBacktrace]) -> void:
		said.append(rationale if rationale else code)


var errors := Errors.new()
var failures := 0
var random := RandomNumberGenerator.new()
var dimensions := 2
var group: Node
var zone: Node
var followed: Array[Node] = []
## What was told since the last look.
var told: Dictionary = {}


func _initialize() -> void:
	random.seed = 3
	OS.add_logger(errors)
	await process_frame
	for number in [2, 3]:
		dimensions = number
		for size: float in [0.0, 2.0]:
			await play(size)
		await shared()
	OS.remove_logger(errors)
	check("no error is left", errors.said, [] as Array[String])
	print("nodes: %d checks failed" % failures)
	quit(1 if failures > 0 else 0)


func check(name: String, found: Variant, wanted: Variant) -> void:
	if found == wanted: return
	failures += 1
	print("%dD %s: %s instead of %s" % [dimensions, name, found, wanted])


func vector(x: float, y: float, z: float) -> Variant:
	return Vector2(x, y) if dimensions == 2 else Vector3(x, y, z)


func place() -> Variant:
	return vector(random.randi_range(0, 12), random.randi_range(0, 12), random.randi_range(0, 3))


func add() -> void:
	var node: Node = Node2D.new() if dimensions == 2 else Node3D.new()
	node.add_to_group("flock")
	root.add_child(node)
	node.global_position = place()
	followed.append(node)


func listen(name: String) -> Callable:
	told[name] = []
	return func(one: Variant = null, other: Variant = null) -> void: told[name].append([one, other])


func start(size: float) -> void:
	group = SpatialGroup2D.new() if dimensions == 2 else SpatialGroup3D.new()
	zone = SpatialZone2D.new() if dimensions == 2 else SpatialZone3D.new()
	check("radius as Godot's shapes have it", zone.radius, 10.0 if dimensions == 2 else 0.5)
	group.group = "flock"
	group.size = vector(size, size, size)
	group.contact_distance = 1.0
	zone.group = group
	zone.radius = 4.0
	for name: String in ["contact_began", "contact_ended"]: group.connect(name, listen(name))
	for name: String in ["entered", "left"]: zone.connect(name, listen(name))
	root.add_child(group)
	root.add_child(zone)
	zone.global_position = vector(6, 6, 1)


func gap(one: Variant, other: Variant, size: float) -> float:
	var sum := 0.0
	for axis in dimensions: sum += maxf(0.0, absf(one[axis] - other[axis]) - size) ** 2
	return sqrt(sum)


func play(size: float) -> void:
	start(size)
	var inside := {}
	var touching := {}
	for turn in 30:
		if turn % 4 == 0:
			for number in 6: add()
		for node in followed:
			if random.randf() < 0.5: node.global_position = place()
		var freed: Array[Node] = []
		if turn % 5 == 4:
			freed = [followed.pop_front(), followed.pop_back()]
			freed[0].free()
			freed[1].remove_from_group("flock")
		if turn == 20:
			zone.size = vector(5, 3, 2)
		# Either by the frame, or by hand.
		if turn % 2: await physics_frame; await physics_frame
		else:
			group.update()
			zone.look()
		compare(size, inside, touching)
		for node in freed:
			if is_instance_valid(node): node.free()
	ids_lead_to_nodes()
	await nowhere()
	for node: Node in followed + [zone, group]: node.free()
	followed.clear()
	check("errors", errors.said, [] as Array[String])


func compare(size: float, inside: Dictionary, touching: Dictionary) -> void:
	var now := {}
	var near := {}
	for one in followed:
		var away := gap(one.global_position, zone.global_position, size / 2.0)
		var is_in := away <= 4.0
		if zone.size[0] > 0.0:
			is_in = true
			for axis in dimensions: is_in = is_in and absf(one.global_position[axis] - zone.global_position[axis]) <= (size + zone.size[axis]) / 2.0
		if is_in: now[one.get_instance_id()] = one
		for other in followed:
			if one.get_instance_id() < other.get_instance_id() and gap(one.global_position, other.global_position, size) <= 1.0:
				near[[one.get_instance_id(), other.get_instance_id()]] = true
	check("inside", ordered(zone.get_ids()), ordered(now.keys()))
	check("entered", nodes("entered"), ordered(now.keys().filter(func(id: int) -> bool: return id not in inside)))
	check("left", told.left.size(), inside.keys().filter(func(id: int) -> bool: return id not in now).size())
	check("left and alive", nodes("left"), ordered(inside.keys().filter(func(id: int) -> bool: return id not in now and is_instance_id_valid(id))))
	check("began", pairs("contact_began"), ordered(near.keys().filter(func(pair: Array) -> bool: return pair not in touching)))
	var ended := touching.keys().filter(func(pair: Array) -> bool: return pair not in near)
	check("ended", told.contact_ended.size(), ended.size())
	check("ended and alive", pairs("contact_ended"), ordered(ended.filter(func(pair: Array) -> bool: return is_instance_id_valid(pair[0]) and is_instance_id_valid(pair[1]))))
	check("size", group.space.size(), followed.size())
	for memory: Array in [[inside, now], [touching, near]]:
		memory[0].clear()
		memory[0].merge(memory[1])
	for list: Array in told.values(): list.clear()


func ordered(list: Variant) -> Array:
	var sorted := Array(list)
	sorted.sort()
	return sorted


func nodes(name: String) -> Array:
	return ordered(told[name].filter(func(news: Array) -> bool: return news[0] != null).map(func(news: Array) -> int: return news[0].get_instance_id()))


func pairs(name: String) -> Array:
	var alive: Array = told[name].filter(func(news: Array) -> bool: return news[0] != null and news[1] != null)
	return ordered(alive.map(func(news: Array) -> Array: return ordered([news[0].get_instance_id(), news[1].get_instance_id()])))


func ids_lead_to_nodes() -> void:
	var node := followed[0]
	node.global_position = vector(100, 100, 100)
	group.update()
	check("nearest", instance_from_id(group.space.nearest(vector(101, 101, 101))[0]), node)


func expect(words: String) -> void:
	check("an error", errors.said.size() > 0, true)
	for said in errors.said: check("%s in %s" % [words, said], said.contains(words), true)
	errors.said.clear()


## What no game should do must not end it.
func nowhere() -> void:
	group.add_to_group("flock") # A node without a position is passed over.
	group.update()
	check("size with itself", group.space.size(), followed.size())
	followed[0].global_position = vector(NAN, 0, 0)
	group.update()
	expect("update: ")
	check("it stays", group.space.size(), followed.size())
	followed[0].global_position = place()
	group.layer = 33
	group.update()
	expect("layer 33")
	group.layer = 1
	group.contact_distance = NAN
	group.update()
	expect("contact_distance")
	group.contact_distance = 1.0
	zone.size = vector(0, 0, 0)
	zone.radius = -1.0
	zone.look()
	expect("radius -1")
	zone.radius = 1000.0
	zone.look()
	check("all are inside", zone.get_ids().size(), followed.size())
	# Handlers that change what tells them.
	var meddle := func(_one: Variant, _other: Variant = null) -> void:
		group.space.clear()
		group.update()
		zone.look()
	group.contact_began.connect(meddle, CONNECT_ONE_SHOT)
	zone.left.connect(meddle, CONNECT_ONE_SHOT)
	zone.radius = 0.0
	zone.look()
	group.space = SpatialIndex2D.new() if dimensions == 2 else SpatialIndex3D.new()
	group.update()
	zone.look()
	check("another index", group.space.size(), followed.size())
	var other: Node = group.duplicate()
	root.add_child(other)
	zone.group = other
	zone.group.free()
	check("group of old", zone.group, null)
	zone.look()
	zone.group = null
	zone.look()
	await physics_frame


## Two groups in one index.
func shared() -> void:
	start(0.0)
	for number in 5: add()
	var wolves: Node = SpatialGroup2D.new() if dimensions == 2 else SpatialGroup3D.new()
	var wolf: Node = Node2D.new() if dimensions == 2 else Node3D.new()
	wolf.add_to_group("wolves")
	root.add_child(wolf)
	wolves.group = "wolves"
	wolves.layer = 2
	wolves.space = group.space
	root.add_child(wolves)
	await physics_frame
	await physics_frame
	check("size of both", [group.space.size(), group.space.size(1), group.space.size(2)], [6, 5, 1])
	for node: Node in followed + [wolf, wolves, zone, group]: node.free()
	followed.clear()
