// Where names, circles and codes go on the screen, so that none lies over another.

const meet = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
export const boxOf = ({ x, y, radius }) => [x - radius, y - radius, x + radius, y + radius];

/** Boxes on the screen, each of which is free or taken. */
export class Room {
  constructor(boxes) {
    this.boxes = boxes;
  }

  /** Takes a box if it is free. */
  take(box) {
    const isFree = !this.boxes.some((taken) => meet(box, taken));
    if (isFree) this.boxes.push(box);
    return isFree;
  }
}

/** Circles that overlap become smaller until they touch: on a small screen markers are nearer to each other than their counts are long. */
export function shrink(circles) {
  for (const [at, one] of circles.entries()) {
    for (const other of circles.slice(0, at)) {
      const distance = Math.hypot(one.x - other.x, one.y - other.y), both = one.radius + other.radius, part = distance < both ? distance / both : 1;
      [one.radius, other.radius] = [part * one.radius, part * other.radius];
    }
  }
}

/**
 * Names keep their places, and a circle that would cover one goes beside it, as near as there is room; the larger ones first. Where there is
 * none, it stays, and the names below it go. Returns the names that are left.
 */
export function settle(names, circles) {
  for (const circle of circles.toSorted((a, b) => b.radius - a.radius)) {
    const { x, y, radius } = circle, covered = ({ box }) => meet(box, boxOf(circle));
    const far = (place) => Math.hypot(place.x - x, place.y - y);
    const beside = ({ box: [left, top, right, bottom] }) =>
      [{ x, y: top - radius }, { x, y: bottom + radius }, { x: left - radius, y }, { x: right + radius, y }];
    const hasRoom = (place) => far(place) < 2 * radius && names.every(({ box }) => !meet(box, boxOf({ ...place, radius })))
      && circles.every((other) => other === circle || radius + other.radius < Math.hypot(place.x - other.x, place.y - other.y));
    const ways = names.filter(covered).flatMap(beside).filter(hasRoom).sort((a, b) => far(a) - far(b));
    if (ways.length > 0) Object.assign(circle, ways[0]);
    names = names.filter((name) => !covered(name));
  }
  return names;
}
