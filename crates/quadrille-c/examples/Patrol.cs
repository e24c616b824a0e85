// The patrol of patrol.c in C#, for Mono and .NET: mcs -unsafe Patrol.cs
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
unsafe static class Patrol {
    const string Library = "quadrille_c";
    [StructLayout(LayoutKind.Sequential)]
    struct Query {
        public uint Relation, Shape;
        public double* Numbers;
        public UIntPtr Count;
        public ulong Layers;
        public ulong* Excluding;
        public UIntPtr Excluded;
    }
    [StructLayout(LayoutKind.Sequential)]
    struct Hit { public ulong Handle; public double At, X, Y, Z; }
    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    delegate int Each(IntPtr context, ulong* handles, UIntPtr len);
    [DllImport(Library)] static extern IntPtr qd_last_error();
    [DllImport(Library)] static extern int qd_new(uint dimensions, double[] world, out IntPtr index);
    [DllImport(Library)] static extern int qd_free(IntPtr made);
    [DllImport(Library)] static extern int qd_add_layer(IntPtr index, uint kind, out int layer);
    [DllImport(Library)] static extern int qd_insert(IntPtr index, int layer, double[] shapes, UIntPtr len, ulong[] handles);
    [DllImport(Library)] static extern int qd_move_to(IntPtr index, uint kind, ulong[] handles, double[] shapes, UIntPtr len, IntPtr refused);
    [DllImport(Library)] static extern int qd_remove(IntPtr index, ulong[] handles, UIntPtr len);
    [DllImport(Library)] static extern int qd_find(IntPtr index, ref Query query, ulong[] handles, UIntPtr capacity, out UIntPtr found);
    [DllImport(Library)] static extern int qd_cursor_new(IntPtr index, ref Query query, out IntPtr cursor);
    [DllImport(Library)] static extern int qd_next(IntPtr index, IntPtr cursor, ulong[] handles, UIntPtr capacity, out UIntPtr found);
    [DllImport(Library)] static extern int qd_nearest(IntPtr index, ref Query query, double within, [Out] Hit[] hits, UIntPtr capacity, out UIntPtr found);
    [DllImport(Library)] static extern int qd_raycast(IntPtr index, ref Query query, [Out] Hit[] hits, UIntPtr capacity, out UIntPtr found);
    [DllImport(Library)] static extern int qd_pairs(IntPtr index, ulong layers, ulong between, double within, ulong[] handles, UIntPtr capacity, out UIntPtr found);
    [DllImport(Library)] static extern int qd_watch_new(out IntPtr watch);
    [DllImport(Library)] static extern int qd_poll(IntPtr index, IntPtr watch, ref Query query, Each came, Each gone, IntPtr context);
    static long state = 1;
    static int Below(int limit) {
        state = state * 16807 % 2147483647;
        return (int)(state % limit);
    }
    static string LastError() { return Marshal.PtrToStringAnsi(qd_last_error()); }
    static void Must(int status) { if (status != 0) throw new ArgumentException(LastError()); }
    static UIntPtr Size(int size) { return (UIntPtr)size; }
    // Numbers where C finds them for as long as the program runs.
    static Query Ask(uint shape, ulong layers, params double[] numbers) {
        var copy = (double*)Marshal.AllocHGlobal(8 * numbers.Length + 8);
        for (int i = 0; i < numbers.Length; i++) copy[i] = numbers[i];
        return new Query { Shape = shape, Numbers = copy, Count = Size(numbers.Length), Layers = layers };
    }
    static string Slots(Hit[] hits, UIntPtr found) {
        return string.Join(" ", hits.Take((int)found).Select(hit => (uint)hit.Handle));
    }

    static void Main() {
        IntPtr index, watch, cursor;
        int unitLayer, wallLayer, changes = 0, slices = 0, total = 0;
        UIntPtr found;
        Must(qd_new(2, new double[] { 0, 0, 1000, 1000 }, out index));
        Must(qd_add_layer(index, 0, out unitLayer));
        Must(qd_add_layer(index, 1, out wallLayer));
        ulong units = 1ul << unitLayer, walls = 1ul << wallLayer, all = ulong.MaxValue;
        var places = Enumerable.Range(0, 2000).Select(i => (double)Below(1000)).ToArray();
        var boxes = new List<double>();
        for (int i = 0; i < 100; i++) {
            double x = Below(1000), y = Below(1000);
            boxes.AddRange(new[] { x, y, x + 20, y + 5 });
        }
        ulong[] unitHandles = new ulong[1000], wallHandles = new ulong[100], some = new ulong[64];
        var hits = new Hit[5];
        Must(qd_insert(index, unitLayer, places, Size(1000), unitHandles));
        Must(qd_insert(index, wallLayer, boxes.ToArray(), Size(100), wallHandles));
        Query seen = Ask(0, units, 200, 200, 600, 600), near = Ask(2, all, 500, 500, 100), here = Ask(1, units, 500, 500);
        Query everywhere = Ask(4, all), line = Ask(3, walls, 0, 0, 1000, 1000);
        Each count = (context, handles, len) => { changes += (int)len; return 0; };
        Must(qd_watch_new(out watch));
        for (int tick = 0; tick < 10; tick++) {
            for (int i = 0; i < 2000; i++) places[i] += Below(21) - 10;
            Must(qd_move_to(index, 0, unitHandles, places, Size(1000), IntPtr.Zero));
            Must(qd_poll(index, watch, ref seen, count, count, IntPtr.Zero));
        }
        Console.WriteLine("watch: {0} came or went", changes);
        Must(qd_find(index, ref near, some, Size(64), out found));
        Console.WriteLine("ball: {0} objects, slots {1}", found, some.Take((int)found).Sum(handle => (uint)handle));
        Must(qd_cursor_new(index, ref everywhere, out cursor));
        for (found = Size(64); (int)found == 64; slices++, total += (int)found) Must(qd_next(index, cursor, some, Size(64), out found));
        Console.WriteLine("cursor: {0} objects in {1} slices", total, slices);
        Must(qd_nearest(index, ref here, double.PositiveInfinity, hits, Size(5), out found));
        Console.WriteLine("nearest: " + Slots(hits, found));
        Must(qd_raycast(index, ref line, hits, Size(3), out found));
        Console.WriteLine("ray: " + Slots(hits, found));
        Must(qd_pairs(index, units, walls, 1, null, Size(0), out found));
        Console.WriteLine("pairs: {0}", (int)found / 2);
        Console.WriteLine("error {0}: {1}", qd_remove(index, new[] { wallHandles[0], wallHandles[0] }, Size(2)), LastError());
        Must(qd_free(watch)); Must(qd_free(cursor)); Must(qd_free(index));
    }
}
