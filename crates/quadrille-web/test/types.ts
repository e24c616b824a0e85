// Uses each entry; what is marked with `@ts-expect-error` must not compile.
import { init, Ids, type Answers, type Clusters, type World, type Region } from 'quadrille';
import { init as init3, type Clusters as Clusters3, type World as World3 } from 'quadrille/3d';
import { init as initLite } from 'quadrille/lite';
import { init as initF32 } from 'quadrille/f32';
import { init as initPeriodic } from 'quadrille/periodic';
import RBush, { type BBox } from 'quadrille/rbush';
import Supercluster, { type PointFeature } from 'quadrille/supercluster';

const quadrille = await init();
const world: World = quadrille.world(0, 0, 1000, 1000);
const walls = world.addBoxLayer(), units = world.addPointLayer();
world.insert(walls, 0, 100, 0, 110, 500);
world.insertPoints(units, 1, [90, 40, 300, 300]);
const ids: Uint32Array = world.window(0, 0, 1, 1, 1 << walls);
const { distances } = world.nearest(1, 1, { k: 2, except: ids[0] });
distances.slice();
const [wayX, wayY]: Float64Array | Float32Array = world.raycast(0, 0, 1, 1, { until: 2 }).normals;
const { normals, touching } = world.cast(0, 0, 1, 1, wayX, wayY, { skin: 0.001, except: 1 });
touching[0] + normals[1];
world.castBall(0, 0, 1, wayX, wayY, { k: 2 }).touching[0];
const { of, ends }: Answers & { of: Uint32Array } = world.neighbors({ within: 5, layers: 1 << units, between: 1 << walls });
of[0] + ends[0];
// @ts-expect-error
world.castBall(0, 0, 1, 1);
// @ts-expect-error
world.raycast(0, 0, 1, 1).touching;
const region: Region = { polygon: [0, 0, 1, 0, 1, 1], holes: [[1, 2]] };
using watch = world.watch(region);
watch.move({ ball: [0, 0, 1] });
watch.move({ cap: [179.9, -17, 50_000] });
const near: Uint32Array = world.withinCap(179.9, -17, 50_000, 1 << units);
near.slice();
const contacts = world.contacts({ between: 1 });
contacts.poll([1]).begun;
contacts.poll(world.window(0, 0, 1, 1));
contacts.of(1)[0];
const space: World3 = (await init3(Promise.resolve(new Uint8Array(8)))).world(0, 0, 0, 1, 1, 1);
space.insert(space.addPointLayer(), 0, 1, 2, 3);
space.cast(0, 0, 0, 1, 1, 1, 1, 2, 3).times;
space.castBall(0, 0, 0, 1, 1, 2, 3, { skin: 0.1 }).times;
space.nearest(1, 2, 3);
// @ts-expect-error
space.polygon([1, 2]);
// @ts-expect-error
space.watch({ polygon: [1, 2] });
const lite = (await initLite()).world(0, 0, 1, 1, { lists: 'checked' });
lite.free();
// @ts-expect-error
lite.nearest(0, 0);
// @ts-expect-error
quadrille.world(0, 0, 1, 1, { lists: 'copied' });
// @ts-expect-error
world.nearest(1, 1, { K: 3 });
using l = (await initLite()).world(0, 0, 1, 1);
(await initF32()).world(0, 0, 1, 1);
(await initPeriodic()).world(0, 0, 1, 1, { periodic: [true, false] });
const { cells, counts, means }: Clusters = world.clusters(0, 0, 1, 1, 0.25, 1 << units);
cells[0] + counts[0] + means[1];
const groups: Clusters3 = space.clusters(0, 0, 0, 1, 1, 1, 0.5);
groups.boxes[5].toFixed();
space.clusterCounts(0, 0, 0, 1, 1, 1, 0.5).counts;
// @ts-expect-error
lite.clusters(0, 0, 1, 1, 0.5);
const towns = new Supercluster<{ people: number }, { sum: number }>({ map: ({ people }) => ({ sum: people }), reduce: (all, one) => { all.sum += one.sum; } });
const town: PointFeature<{ people: number }> = { type: 'Feature', properties: { people: 3 }, geometry: { type: 'Point', coordinates: [1, 2] } };
const [first] = towns.load([town]).move(town).getClusters([-180, -85, 180, 85], 3);
const { ids: shown, come: [{ id: came, from }] } = towns.changes;
shown[0] + came + (from ?? 0);
if ('cluster' in first.properties) towns.getLeaves(first.properties.cluster_id);
const names: Ids<string> = new Ids<string>();
names.add('a');
lite.save().buffer;
const again: World = quadrille.load(world.save(), { lists: 'borrowed' });
again.insertPoints(units, names.addMany(['b', 'c']), [1, 1, 2, 2]);
const found: string[] = names.keysOf(again.window(0, 0, 9, 9));
again.polygon({ type: 'Polygon', coordinates: [[[0, 0], [1, 0], [1, 1]]] });
again.watch({ type: 'MultiPolygon', coordinates: [[[[0, 0], [1, 0], [1, 1]]]] });
// @ts-expect-error
again.watch({ type: 'Point', coordinates: [0, 0] });
// @ts-expect-error
space.watch({ type: 'Polygon', coordinates: [] });
found.length;
const tree = new RBush<BBox & { name: string }>();
tree.load([{ minX: 0, minY: 0, maxX: 1, maxY: 1, name: 'a' }]).search({ minX: 0, minY: 0, maxX: 1, maxY: 1 })[0].name;
