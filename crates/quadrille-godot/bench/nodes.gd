extends SceneTree
## A group of nodes that all move: how long `SpatialGroup2D.update` takes, the least of some, in milliseconds of processor time. In the
## last rows some nodes go and others come before each update.

const COUNT := 20000
const TICKS := 15


func _initialize() -> void:
	await process_frame
	seed(1)
	var side := sqrt(COUNT * 10.0 * PI)
	var nodes: Array[Node2D] = []
	for number in COUNT:
		nodes.append(Node2D.new())
		nodes[number].position = Vector2(randf(), randf()) * side
		nodes[number].add_to_group("units")
		root.add_child(nodes[number])
	var group := SpatialGroup2D.new()
	group.group = "units"
	group.size = Vector2(2, 2)
	group.set_physics_process(false)
	group.space.world = Rect2(0, 0, side, side)
	root.add_child(group)
	var least: Dictionary[String, float] = {}
	for tick in TICKS:
		for way: String in ["update", "with contacts", "half a hundred change"]:
			group.contact_distance = 1.0 if way == "with contacts" else -1.0
			for node in nodes: node.position += Vector2.from_angle(randf() * TAU)
			if way == "half a hundred change":
				for some in 50: renew(nodes, randi_range(0, COUNT - 1))
			var begin := now()
			group.update()
			# The first one makes all.
			if tick > 0: least[way] = minf(least.get(way, INF), (now() - begin) / 1000.0)
	for way in least: print("%d nodes, %-22s %7.2f ms" % [COUNT, way, least[way]])
	quit()


## Another node in the place of one.
func renew(nodes: Array[Node2D], number: int) -> void:
	var other := Node2D.new()
	other.position = nodes[number].position
	other.add_to_group("units")
	nodes[number].free()
	nodes[number] = other
	root.add_child(other)


## In microseconds.
func now() -> int:
	# The scheduler adds up when it switches.
	OS.delay_usec(1)
	var told := FileAccess.open("/proc/self/schedstat", FileAccess.READ)
	return told.get_line().get_slice(" ", 0).to_int() / 1000 if told else Time.get_ticks_usec()
