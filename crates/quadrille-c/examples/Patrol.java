// The patrol of patrol.c in Java 22 or later: java --enable-native-access=ALL-UNNAMED Patrol.java libquadrille_c.so
import static java.lang.foreign.ValueLayout.*;
import java.lang.foreign.*;
import java.lang.invoke.*;
import java.nio.file.Path;
import java.util.stream.*;

public class Patrol {
    static final Arena ARENA = Arena.ofAuto();
    static final Linker LINKER = Linker.nativeLinker();
    static SymbolLookup library;
    static long state = 1, changes = 0;

    static int below(int limit) {
        state = state * 16807 % 2147483647;
        return (int) (state % limit);
    }
    // Calls a function; the types of C follow from those of Java.
    static Object call(MemoryLayout returned, String name, Object... arguments) throws Throwable {
        var layouts = Stream.of(arguments).map(argument -> switch (argument) {
            case Integer i -> JAVA_INT;
            case Long l -> JAVA_LONG;
            case Double d -> JAVA_DOUBLE;
            default -> ADDRESS;
        }).toArray(MemoryLayout[]::new);
        var function = LINKER.downcallHandle(library.find(name).orElseThrow(), FunctionDescriptor.of(returned, layouts));
        return function.invokeWithArguments(arguments);
    }

    static String lastError() throws Throwable {
        return ((MemorySegment) call(ADDRESS, "qd_last_error")).reinterpret(Long.MAX_VALUE).getString(0);
    }
    static void must(String name, Object... arguments) throws Throwable {
        if ((int) call(JAVA_INT, name, arguments) != 0) throw new IllegalArgumentException(lastError());
    }

    static MemorySegment doubles(double... numbers) { return ARENA.allocateFrom(JAVA_DOUBLE, numbers); }
    static MemorySegment query(int shape, long layers, double... numbers) {
        var query = ARENA.allocate(56, 8);
        query.set(JAVA_INT, 4, shape);
        query.set(ADDRESS, 8, doubles(numbers));
        query.set(JAVA_LONG, 16, numbers.length);
        query.set(JAVA_LONG, 24, layers);
        return query;
    }

    static String slots(MemorySegment hits, long found) {
        return LongStream.range(0, found).mapToObj(i -> " " + hits.get(JAVA_INT, 40 * i)).collect(Collectors.joining());
    }

    static int count(MemorySegment context, MemorySegment handles, long len) { changes += len; return 0; }

    public static void main(String[] arguments) throws Throwable {
        library = SymbolLookup.libraryLookup(Path.of(arguments[0]), ARENA);
        MemorySegment out = ARENA.allocate(ADDRESS), found = ARENA.allocate(JAVA_LONG), none = MemorySegment.NULL;
        must("qd_new", 2, doubles(0, 0, 1000, 1000), out);
        var index = out.get(ADDRESS, 0);
        must("qd_add_layer", index, 0, out);
        must("qd_add_layer", index, 1, found);
        int unitLayer = out.get(JAVA_INT, 0), wallLayer = found.get(JAVA_INT, 0);
        long units = 1L << unitLayer, walls = 1L << wallLayer, all = -1;
        var places = doubles(IntStream.range(0, 2000).mapToDouble(i -> below(1000)).toArray());
        var boxes = doubles(IntStream.range(0, 100).mapToObj(i -> new double[] {below(1000), below(1000)})
            .flatMapToDouble(at -> DoubleStream.of(at[0], at[1], at[0] + 20, at[1] + 5)).toArray());
        MemorySegment unitHandles = ARENA.allocate(JAVA_LONG, 1000), wallHandles = ARENA.allocate(JAVA_LONG, 100);
        must("qd_insert", index, unitLayer, places, 1000L, unitHandles);
        must("qd_insert", index, wallLayer, boxes, 100L, wallHandles);
        var seen = query(0, units, 200, 200, 600, 600);
        must("qd_watch_new", out);
        var type = MethodType.methodType(int.class, MemorySegment.class, MemorySegment.class, long.class);
        var count = LINKER.upcallStub(MethodHandles.lookup().findStatic(Patrol.class, "count", type),
            FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG), ARENA);
        for (int tick = 0; tick < 10; tick++) {
            for (int i = 0; i < 2000; i++) places.setAtIndex(JAVA_DOUBLE, i, places.getAtIndex(JAVA_DOUBLE, i) + below(21) - 10);
            must("qd_move_to", index, 0, unitHandles, places, 1000L, none);
            must("qd_poll", index, out.get(ADDRESS, 0), seen, count, count, none);
        }
        System.out.println("watch: " + changes + " came or went");
        var some = ARENA.allocate(JAVA_LONG, 64);
        must("qd_find", index, query(2, all, 500, 500, 100), some, 64L, found);
        long near = found.get(JAVA_LONG, 0), slices = 0, total = 0;
        System.out.println("ball: " + near + " objects, slots " + LongStream.range(0, near).map(i -> some.get(JAVA_INT, 8 * i)).sum());
        must("qd_cursor_new", index, query(4, all), out);
        for (var more = true; more; slices++) {
            must("qd_next", index, out.get(ADDRESS, 0), some, 64L, found);
            total += found.get(JAVA_LONG, 0);
            more = found.get(JAVA_LONG, 0) == 64;
        }
        System.out.println("cursor: " + total + " objects in " + slices + " slices");
        var hits = ARENA.allocate(40 * 5, 8);
        must("qd_nearest", index, query(1, units, 500, 500), Double.POSITIVE_INFINITY, hits, 5L, found);
        System.out.println("nearest:" + slots(hits, found.get(JAVA_LONG, 0)));
        must("qd_raycast", index, query(3, walls, 0, 0, 1000, 1000), hits, 3L, found);
        System.out.println("ray:" + slots(hits, found.get(JAVA_LONG, 0)));
        must("qd_pairs", index, units, walls, 1.0, none, 0L, found);
        System.out.println("pairs: " + found.get(JAVA_LONG, 0) / 2);
        var twice = ARENA.allocateFrom(JAVA_LONG, wallHandles.get(JAVA_LONG, 0), wallHandles.get(JAVA_LONG, 0));
        System.out.println("error " + call(JAVA_INT, "qd_remove", index, twice, 2L) + ": " + lastError());
    }
}
