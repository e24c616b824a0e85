extends Node2D
## 20 000 sheep that flock, and flee from wolves, between walls. Drag the mouse around some of them to select them.
##
## A sheep's id is its number in the arrays, so answers of the index lead straight into them. What all sheep do is one call; only
## what each decides is a loop, for a quarter of them in each frame.

const COUNT := 20000
const WORLD := Rect2(0, 0, 1920, 1080)
const SIGHT := 16.0
const FEAR := 90.0
const SPEED := 60.0
const QUARTERS := 4
## Bits of the layers 1 and 2.
const SHEEP := 1
const WALLS := 2

var index := SpatialIndex2D.new()
var ids := PackedInt64Array(range(COUNT))
var positions := PackedVector2Array()
var velocities := PackedVector2Array()
var wolves := PackedVector2Array([Vector2(200, 200), Vector2(960, 540), Vector2(1700, 900), Vector2(300, 900)])
var walls: Array[Rect2] = []
var lasso := PackedVector2Array()
var selected := PackedInt64Array()

## What the neighbors of each do, on average.
var headings: PackedVector2Array
var centers: PackedVector2Array
var crowding: PackedVector2Array
var frame := 0
var mesh := ArrayMesh.new()
var marked := ArrayMesh.new()


func _ready() -> void:
	seed(7)
	index.world = WORLD
	for number in 24:
		walls.append(Rect2(Vector2(randf(), randf()) * WORLD.size, Vector2(20, 160) if number % 2 else Vector2(160, 20)))
		index.insert_rect(COUNT + number, walls[number], 2)
	for number in COUNT:
		positions.append(Vector2(randf(), randf()) * WORLD.size)
		velocities.append(Vector2.from_angle(randf() * TAU) * SPEED)
	index.insert_all(ids, positions)


func _physics_process(delta: float) -> void:
	if frame % QUARTERS == 0:
		headings = index.neighbor_means(ids, velocities, SIGHT, SHEEP)
		centers = index.neighbor_means(ids, positions, SIGHT, SHEEP)
		crowding = index.neighbor_means(ids, positions, SIGHT / 3.0, SHEEP)
	flock(frame % QUARTERS)
	hunt(delta)
	move(delta)
	frame += 1
	queue_redraw()


func flock(quarter: int) -> void:
	for sheep in range(quarter * COUNT / QUARTERS, (quarter + 1) * COUNT / QUARTERS):
		var at := positions[sheep]
		var to := velocities[sheep] * 0.6 + headings[sheep] * 0.4 + (centers[sheep] - at) * 0.5 + (at - crowding[sheep]) * 6.0
		velocities[sheep] = to.limit_length(SPEED)


## Wolves run to the nearest sheep, not through walls. Sheep flee.
func hunt(delta: float) -> void:
	for wolf in wolves.size():
		var at := wolves[wolf]
		for prey in index.nearest(at, 1, INF, SHEEP):
			var motion := at.direction_to(positions[prey]) * SPEED * 1.2 * delta
			var wall := index.cast_circle(at, 6.0, motion, WALLS)
			if wall: motion = motion.slide(wall.normal) if wall.normal else -motion
			wolves[wolf] = (at + motion).clamp(WORLD.position, WORLD.end)
		for sheep in index.query_circle(at, FEAR, SHEEP):
			velocities[sheep] = at.direction_to(positions[sheep]) * SPEED * 1.5


func move(delta: float) -> void:
	for sheep in COUNT:
		positions[sheep] = (positions[sheep] + velocities[sheep] * delta).clamp(WORLD.position, WORLD.end)
	index.move_all(ids, positions)
	for wall in walls:
		for sheep in index.query_rect(wall, SHEEP):
			leave(sheep, wall)


## Puts a sheep beside a wall, at the nearest side.
func leave(sheep: int, wall: Rect2) -> void:
	var at := positions[sheep]
	var outside := wall.grow(0.1)
	var sides := [Vector2(outside.position.x, at.y), Vector2(outside.end.x, at.y), Vector2(at.x, outside.position.y), Vector2(at.x, outside.end.y)]
	var nearest: Vector2 = sides.reduce(func(one: Vector2, other: Vector2) -> Vector2: return one if at.distance_squared_to(one) <= at.distance_squared_to(other) else other)
	positions[sheep] = nearest
	velocities[sheep] = at.direction_to(nearest) * SPEED
	index.move_to(sheep, nearest)


func select(corners: PackedVector2Array) -> void:
	if corners.size() > 2:
		selected = index.query_polygon(corners, SHEEP)


func _unhandled_input(event: InputEvent) -> void:
	if event is InputEventMouseButton and event.button_index == MOUSE_BUTTON_LEFT:
		if event.pressed:
			lasso = [event.position]
		else:
			select(lasso)
			lasso.clear()
	elif event is InputEventMouseMotion and not lasso.is_empty():
		lasso.append(event.position)


func _draw() -> void:
	for wall in walls: draw_rect(wall, Color.SLATE_GRAY)
	draw_points(mesh, positions, Color.WHITE_SMOKE)
	var chosen := PackedVector2Array()
	for sheep in selected: chosen.append(positions[sheep])
	draw_points(marked, chosen, Color.GOLD)
	for wolf in wolves: draw_circle(wolf, 6.0, Color.CRIMSON)
	if lasso.size() > 1: draw_polyline(lasso, Color.GOLD, 2.0)


## All points at once. A shader sets their size.
func draw_points(points: ArrayMesh, places: PackedVector2Array, color: Color) -> void:
	points.clear_surfaces()
	if places.is_empty(): return
	var arrays := []
	arrays.resize(Mesh.ARRAY_MAX)
	arrays[Mesh.ARRAY_VERTEX] = places
	points.add_surface_from_arrays(Mesh.PRIMITIVE_POINTS, arrays)
	draw_mesh(points, null, Transform2D.IDENTITY, color)
