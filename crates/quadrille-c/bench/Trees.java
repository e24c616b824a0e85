// Points that all move, and windows: beside the trees of JTS, in turn in one process, by the processor time of the thread.
// java --enable-native-access=ALL-UNNAMED -cp jts-core.jar Trees.java target/release/libquadrille_c.so
import static java.lang.foreign.ValueLayout.*;
import java.lang.foreign.*;
import java.lang.invoke.MethodHandle;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.*;
import org.locationtech.jts.geom.Envelope;
import org.locationtech.jts.index.SpatialIndex;
import org.locationtech.jts.index.quadtree.Quadtree;
import org.locationtech.jts.index.strtree.STRtree;

public class Trees {
    static final int N = 100_000, WINDOWS = 1000, ROUNDS = 31;
    static final double SIDE = 1000, WIDTH = 10 * SIDE / Math.sqrt(N); // 100 points each
    static final Arena ARENA = Arena.ofAuto();
    static SymbolLookup library;
    static final Random RANDOM = new Random(1);
    static final double[] at = new double[2 * N], windows = new double[4 * WINDOWS];
    static final Map<String, List<Double>> times = new TreeMap<>();

    static MethodHandle function(String name, MemoryLayout... arguments) {
        return Linker.nativeLinker().downcallHandle(library.find(name).orElseThrow(), FunctionDescriptor.of(JAVA_INT, arguments));
    }
    static void must(int status) { if (status != 0) throw new IllegalStateException("status " + status); }

    interface Work { long run() throws Throwable; }
    static long timed(String name, Work work) throws Throwable {
        var clock = ManagementFactory.getThreadMXBean();
        long begin = clock.getCurrentThreadCpuTime(), answer = work.run();
        times.computeIfAbsent(name, key -> new ArrayList<>()).add((clock.getCurrentThreadCpuTime() - begin) / 1e6);
        return answer;
    }

    static Envelope point(int i) { return new Envelope(at[2 * i], at[2 * i], at[2 * i + 1], at[2 * i + 1]); }
    static <T extends SpatialIndex> T filled(T tree) {
        for (int i = 0; i < N; i++) tree.insert(point(i), i);
        return tree;
    }
    // A sum over all answers. A quadtree of JTS finds candidates.
    static long ask(SpatialIndex tree) {
        long sum = 0;
        for (int w = 0; w < 4 * WINDOWS; w += 4) {
            var window = new Envelope(windows[w], windows[w + 2], windows[w + 1], windows[w + 3]);
            for (var found : tree.query(window)) {
                int i = (Integer) found;
                if (window.contains(at[2 * i], at[2 * i + 1])) sum += (long) i * (w + 1);
            }
        }
        return sum;
    }

    public static void main(String[] arguments) throws Throwable {
        library = SymbolLookup.libraryLookup(Path.of(arguments[0]), ARENA);
        var make = function("qd_new", JAVA_INT, ADDRESS, ADDRESS);
        var addLayer = function("qd_add_layer", ADDRESS, JAVA_INT, ADDRESS);
        var insert = function("qd_insert", ADDRESS, JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS);
        var move = function("qd_move_to", ADDRESS, JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS);
        var findMany = function("qd_find_many", ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS);
        var free = function("qd_free", ADDRESS);
        var queries = ARENA.allocate(48L * WINDOWS, 8);
        MemorySegment numbers = ARENA.allocate(JAVA_DOUBLE, 4 * WINDOWS), shapes = ARENA.allocate(JAVA_DOUBLE, 2 * N);
        MemorySegment handles = ARENA.allocate(JAVA_LONG, N), found = ARENA.allocate(JAVA_LONG, 1000 * WINDOWS);
        MemorySegment offsets = ARENA.allocate(JAVA_LONG, WINDOWS + 1), out = ARENA.allocate(ADDRESS);
        var world = ARENA.allocateFrom(JAVA_DOUBLE, 0, 0, SIDE, SIDE);
        for (long w = 0; w < WINDOWS; w++) {
            queries.set(ADDRESS, 48 * w + 8, numbers.asSlice(32 * w));
            queries.set(JAVA_LONG, 48 * w + 16, 4L);
            queries.set(JAVA_LONG, 48 * w + 24, -1L);
        }
        for (int i = 0; i < 2 * N; i++) at[i] = RANDOM.nextDouble() * SIDE;
        var quadtree = filled(new Quadtree());
        MemorySegment moving = MemorySegment.NULL;
        for (int round = 0; round < ROUNDS; round++) {
            for (int w = 0; w < 4 * WINDOWS; w++) windows[w] = w % 4 < 2 ? RANDOM.nextDouble() * (SIDE - WIDTH) : windows[w - 2] + WIDTH;
            var before = at.clone();
            for (int i = 0; i < 2 * N; i++) at[i] = Math.clamp(at[i] + RANDOM.nextGaussian(), 0, SIDE);
            var last = moving;
            moving = MemorySegment.ofAddress(timed("build, quadrille", () -> {
                must((int) make.invokeExact(2, world, out));
                var index = out.get(ADDRESS, 0);
                must((int) addLayer.invokeExact(index, 0, found));
                MemorySegment.copy(before, 0, shapes, JAVA_DOUBLE, 0, 2 * N);
                must((int) insert.invokeExact(index, 0, shapes, (long) N, handles));
                return index.address();
            }));
            must((int) free.invokeExact(last));
            var index = moving;
            timed("move all, quadrille", () -> {
                MemorySegment.copy(at, 0, shapes, JAVA_DOUBLE, 0, 2 * N);
                must((int) move.invokeExact(index, 0, handles, shapes, (long) N, MemorySegment.NULL));
                return 0;
            });
            long ours = timed("windows, quadrille", () -> {
                MemorySegment.copy(windows, 0, numbers, JAVA_DOUBLE, 0, 4 * WINDOWS);
                must((int) findMany.invokeExact(index, queries, (long) WINDOWS, offsets, found, 1000L * WINDOWS, out));
                long sum = 0;
                for (int w = 0; w < WINDOWS; w++)
                    for (long n = offsets.getAtIndex(JAVA_LONG, w); n < offsets.getAtIndex(JAVA_LONG, w + 1); n++)
                        sum += (long) ((int) found.getAtIndex(JAVA_LONG, n) - 1) * (4 * w + 1);
                return sum;
            });
            timed("move all, Quadtree", () -> {
                for (int i = 0; i < N; i++) {
                    quadtree.remove(new Envelope(before[2 * i], before[2 * i], before[2 * i + 1], before[2 * i + 1]), i);
                    quadtree.insert(point(i), i);
                }
                return 0;
            });
            timed("build, Quadtree", () -> filled(new Quadtree()).size());
            var packed = new STRtree[1];
            timed("build, STRtree", () -> {
                packed[0] = filled(new STRtree());
                packed[0].build();
                return 0;
            });
            if (timed("windows, Quadtree", () -> ask(quadtree)) != ours || timed("windows, STRtree", () -> ask(packed[0])) != ours)
                throw new AssertionError("another answer");
        }
        times.forEach((name, all) -> {
            all.sort(null);
            System.out.printf("%-22s %7.2f ms%n", name, all.get(all.size() / 2));
        });
    }
}
