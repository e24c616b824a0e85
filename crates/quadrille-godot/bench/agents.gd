extends SceneTree
## Agents that all move and each ask for those near, by several means, in turn in one run: milliseconds a tick, the least of some, by
## the processor time of the main thread where Linux tells it. Each says how many neighbors it has found; the exact ones must agree.

const RADIUS := 10.0
const TICKS := 7

var count: int
var side: float
var ids: PackedInt64Array
var positions: PackedVector2Array
var velocities: PackedVector2Array
var means: PackedVector2Array


func _initialize() -> void:
	Engine.max_fps = 0
	Engine.physics_ticks_per_second = 100000
	Engine.max_physics_steps_per_frame = 1
	await process_frame
	for agents: int in [2000, 20000]:
		await measure(agents)
	quit()


func measure(agents: int) -> void:
	count = agents
	side = sqrt(count * PI * RADIUS * RADIUS / 10.0)
	seed(1)
	ids = PackedInt64Array(range(count))
	positions.resize(count)
	velocities.resize(count)
	means.resize(count)
	for agent in count:
		positions[agent] = Vector2(randf(), randf()) * side
		velocities[agent] = Vector2.from_angle(randf() * TAU)
	start_index()
	start_physics()
	var ways: Dictionary[String, Callable] = {
		"index, neighbors": by_neighbors, "index, neighbors in a loop": by_loop, "index, neighbor_means": by_means, "index, query_circle each": by_query,
		"typed arrays": by_arrays, "typed arrays, means": by_arrays_means, "dictionary": by_dictionary, "intersect_shape": by_shape,
	}
	var least: Dictionary[String, float] = {}
	var found: Dictionary[String, int] = {}
	for tick in TICKS:
		step()
		for way in ways:
			var begin := now()
			found[way] = ways[way].call()
			least[way] = minf(least.get(way, INF), (now() - begin) / 1000.0)
	await by_areas(least, found)
	for way in least:
		print("%6d agents  %-28s %9.2f ms  %d neighbors" % [count, way, least[way], found[way]])
	for way: String in ["index, query_circle each", "typed arrays", "dictionary"]:
		if found[way] != found["index, neighbors"]: printerr("%s: another answer" % way)
	stop_physics()


## In microseconds.
func now() -> int:
	# The scheduler adds up when it switches.
	OS.delay_usec(1)
	var told := FileAccess.open("/proc/self/schedstat", FileAccess.READ)
	return told.get_line().get_slice(" ", 0).to_int() / 1000 if told else Time.get_ticks_usec()


func step() -> void:
	for agent in count:
		var to := positions[agent] + velocities[agent]
		positions[agent] = to.clamp(Vector2.ZERO, Vector2(side, side))


# The index.

var index: SpatialIndex2D


func start_index() -> void:
	index = SpatialIndex2D.new()
	index.world = Rect2(0, 0, side, side)
	index.insert_all(ids, positions)


func by_neighbors() -> int:
	index.move_all(ids, positions)
	var near := index.neighbors(ids, RADIUS)
	return near.ids.size()


## GDScript looks at each.
func by_loop() -> int:
	index.move_all(ids, positions)
	var near := index.neighbors(ids, RADIUS)
	var offsets: PackedInt32Array = near.offsets
	var found: PackedInt64Array = near.ids
	for agent in count:
		var sum := Vector2.ZERO
		for place in range(offsets[agent], offsets[agent + 1]):
			sum += positions[found[place]]
		means[agent] = sum
	return found.size()


func by_means() -> int:
	index.move_all(ids, positions)
	means = index.neighbor_means(ids, positions, RADIUS)
	return means.size()


func by_query() -> int:
	index.move_all(ids, positions)
	var all := 0
	for agent in count:
		all += index.query_circle(positions[agent], RADIUS).size() - 1
	return all


# A grid in typed arrays: the agents sorted by cell, by counting.

var columns: int
var starts: PackedInt32Array
var cells: PackedInt32Array
var order: PackedInt32Array
var sorted: PackedVector2Array


func sort_by_cell() -> void:
	columns = int(side / RADIUS) + 3
	starts.resize(columns * columns + 1)
	starts.fill(0)
	cells.resize(count)
	order.resize(count)
	sorted.resize(count)
	for agent in count:
		var at := positions[agent]
		var cell := (int(at.y / RADIUS) + 1) * columns + int(at.x / RADIUS) + 1
		cells[agent] = cell
		starts[cell + 1] += 1
	for cell in columns * columns:
		starts[cell + 1] += starts[cell]
	var next := starts.duplicate()
	for agent in count:
		var place := next[cells[agent]]
		sorted[place] = positions[agent]
		order[place] = agent
		next[cells[agent]] = place + 1


## As the index answers: offsets and ids.
func by_arrays() -> int:
	sort_by_cell()
	var offsets := PackedInt32Array([0])
	var found := PackedInt64Array()
	var limit := RADIUS * RADIUS
	for agent in count:
		var at := positions[agent]
		for row: int in [-columns, 0, columns]:
			var cell := cells[agent] + row
			for other in range(starts[cell - 1], starts[cell + 2]):
				if at.distance_squared_to(sorted[other]) <= limit and order[other] != agent: found.append(order[other])
		offsets.append(found.size())
	return found.size()


func by_arrays_means() -> int:
	sort_by_cell()
	var limit := RADIUS * RADIUS
	for agent in count:
		var at := positions[agent]
		var around := 0
		var sum := Vector2.ZERO
		for row: int in [-columns, 0, columns]:
			var cell := cells[agent] + row
			for other in range(starts[cell - 1], starts[cell + 2]):
				var place := sorted[other]
				if at.distance_squared_to(place) <= limit:
					around += 1
					sum += place
		means[agent] = (sum - at) / (around - 1) if around > 1 else at
	return count


# A grid in a dictionary.

func by_dictionary() -> int:
	var grid: Dictionary[Vector2i, PackedInt32Array] = {}
	for agent in count:
		var cell := Vector2i(positions[agent] / RADIUS)
		if cell not in grid: grid[cell] = PackedInt32Array()
		grid[cell].append(agent)
	var all := 0
	var limit := RADIUS * RADIUS
	for agent in count:
		var at := positions[agent]
		var cell := Vector2i(at / RADIUS)
		for y in range(cell.y - 1, cell.y + 2):
			for x in range(cell.x - 1, cell.x + 2):
				for other in grid.get(Vector2i(x, y), PackedInt32Array()):
					if at.distance_squared_to(positions[other]) <= limit: all += 1
		all -= 1
	return all


# The physics server: areas without nodes, which no other watches.

var space: RID
var areas: Array[RID]
var dot: RID
var circle: RID


func start_physics() -> void:
	space = PhysicsServer2D.space_create()
	dot = PhysicsServer2D.circle_shape_create()
	PhysicsServer2D.shape_set_data(dot, 0.001)
	circle = PhysicsServer2D.circle_shape_create()
	PhysicsServer2D.shape_set_data(circle, RADIUS)
	areas = []
	for agent in count:
		var area := PhysicsServer2D.area_create()
		PhysicsServer2D.area_add_shape(area, dot)
		PhysicsServer2D.area_set_collision_mask(area, 0)
		PhysicsServer2D.area_set_transform(area, Transform2D(0.0, positions[agent]))
		PhysicsServer2D.area_set_space(area, space)
		areas.append(area)


func stop_physics() -> void:
	for rid: RID in areas + [dot, circle, space]: PhysicsServer2D.free_rid(rid)


func by_shape() -> int:
	for agent in count:
		PhysicsServer2D.area_set_transform(areas[agent], Transform2D(0.0, positions[agent]))
	var state := PhysicsServer2D.space_get_direct_state(space)
	var asked := PhysicsShapeQueryParameters2D.new()
	asked.shape_rid = circle
	asked.collide_with_areas = true
	asked.collide_with_bodies = false
	var all := 0
	for agent in count:
		asked.transform = Transform2D(0.0, positions[agent])
		all += state.intersect_shape(asked, 64).size() - 1
	return all


# Nodes: Area2D with circles of half the radius.

func by_areas(least: Dictionary[String, float], found: Dictionary[String, int]) -> void:
	var shape := CircleShape2D.new()
	shape.radius = RADIUS / 2.0
	var nodes: Array[Area2D] = []
	var parent := Node2D.new()
	for agent in count:
		var node := Area2D.new()
		var collision := CollisionShape2D.new()
		collision.shape = shape
		node.add_child(collision)
		node.position = positions[agent]
		parent.add_child(node)
		nodes.append(node)
	root.add_child(parent)
	await physics_frame
	await physics_frame
	for tick in mini(TICKS, 3):
		step()
		await physics_frame
		var begin := now()
		for agent in count:
			nodes[agent].position = positions[agent]
		await physics_frame
		var all := 0
		for node in nodes:
			all += node.get_overlapping_areas().size()
		found["Area2D"] = all
		least["Area2D"] = minf(least.get("Area2D", INF), (now() - begin) / 1000.0)
	parent.free()
