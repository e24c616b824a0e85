extends Control
## Where the sheep are, as circles: the index counts them by cells.

const Flock := preload("flock.gd")

@export var flock: Flock

var clusters := {}


func _process(_delta: float) -> void:
	clusters = flock.index.clusters(Flock.WORLD, 60.0, Flock.SHEEP)
	queue_redraw()


func _draw() -> void:
	draw_rect(Rect2(Vector2.ZERO, size), Color(0, 0, 0, 0.7))
	for number in clusters.get("counts", []).size():
		draw_circle(clusters.positions[number] / Flock.WORLD.size * size, sqrt(clusters.counts[number]) * 0.5, Color.YELLOW_GREEN)
