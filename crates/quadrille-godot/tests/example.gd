extends SceneTree
## The example: plays some frames, and compares what it has asked with linear scans.

const Flock := preload("res://examples/flock/flock.gd")


func _initialize() -> void:
	var flock: Flock = load("res://examples/flock/flock.tscn").instantiate()
	root.add_child(flock)
	await process_frame
	var begin := Time.get_ticks_msec()
	var first := flock.frame
	while flock.frame < first + 20: await physics_frame
	print("example: %d ms a frame" % ((Time.get_ticks_msec() - begin) / (flock.frame - first)))
	var failures := PackedStringArray()
	for sheep in Flock.COUNT:
		if flock.walls.any(func(wall: Rect2) -> bool: return wall.grow(-1e-3).has_point(flock.positions[sheep])):
			if flock.walls.filter(func(wall: Rect2) -> bool: return wall.grow(0.2).has_point(flock.positions[sheep])).size() < 2:
				failures.append("sheep %d is in a wall" % sheep)
	var corners := PackedVector2Array([Vector2(500.5, 300.5), Vector2(1200.5, 400.5), Vector2(700.5, 700.5)])
	flock.select(corners)
	var inside := 0
	for at in flock.positions: inside += int(Geometry2D.is_point_in_polygon(at, corners))
	if absi(flock.selected.size() - inside) > 2: failures.append("%d selected, not %d" % [flock.selected.size(), inside])
	var minimap := flock.get_node("Minimap")
	minimap._process(0.0)
	var counted: int = Array(minimap.clusters.counts).reduce(func(sum: int, count: int) -> int: return sum + count, 0)
	if counted != Flock.COUNT: failures.append("%d on the map" % counted)
	for failure in failures: print("example: ", failure)
	print("example: %d failures" % failures.size())
	quit(mini(failures.size(), 1))
