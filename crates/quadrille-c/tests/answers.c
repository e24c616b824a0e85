/* Each answer beside a linear scan. Compiled for each kind of index: -DD=2 or 3, with -DFLOAT for float. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quadrille.h"

#ifdef FLOAT
typedef float scalar;
typedef qdf_index tree;
typedef qdf_query query;
typedef qdf_hit hit;
typedef qdf_cluster cluster;
#define QD(name) qdf_##name
#else
typedef double scalar;
typedef qd_index tree;
typedef qd_query query;
typedef qd_hit hit;
typedef qd_cluster cluster;
#define QD(name) qd_##name
#endif

enum { N = 600, LAYERS = 2 };

/* Whole numbers, so that edges coincide and all distances are exact. */
static scalar boxes[N][2 * D];
static qd_handle handles[N];
static int alive[N];
static tree *indexed;
static uint32_t points, rects;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s; %s\n", __FILE__, __LINE__, #condition, qd_last_error()); \
            exit(1); \
        } \
    } while (0)
#define MUST(call) CHECK((call) == QD_OK)

static unsigned below(unsigned limit) {
    static uint64_t state = 88172645463325252u;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (unsigned)(state % limit);
}

static void choose(int i) {
    for (int axis = 0; axis < D; axis++) {
        boxes[i][axis] = (scalar)below(60);
        boxes[i][D + axis] = boxes[i][axis] + (i % 2 ? (scalar)below(9) : 0);
    }
}

/* The kind of an object is its number's parity. */
static uint32_t layer_of(int i) { return i % 2 ? rects : points; }
static void flat(int i, scalar *to) { memcpy(to, boxes[i], (i % 2 ? 2 * D : D) * sizeof(scalar)); }

static double gap_squared(const scalar *a, const scalar *b) {
    double sum = 0;
    for (int axis = 0; axis < D; axis++) {
        double gap = fmax(0, fmax((double)a[axis] - b[D + axis], (double)b[axis] - a[D + axis]));
        sum += gap * gap;
    }
    return sum;
}

static int inside(const scalar *outer, const scalar *inner) {
    for (int axis = 0; axis < D; axis++)
        if (inner[axis] < outer[axis] || outer[D + axis] < inner[D + axis]) return 0;
    return 1;
}

static int by_number(const void *a, const void *b) {
    qd_handle x = *(const qd_handle *)a, y = *(const qd_handle *)b;
    return (x > y) - (x < y);
}

static void same(qd_handle *found, size_t n, qd_handle *expected, size_t m) {
    CHECK(n == m);
    qsort(found, n, sizeof *found, by_number);
    qsort(expected, m, sizeof *expected, by_number);
    CHECK(memcmp(found, expected, n * sizeof *found) == 0);
}

typedef struct { qd_handle list[N]; size_t len, most; } Taken;

static int take(void *context, const qd_handle *some, size_t len) {
    Taken *taken = context;
    CHECK(len > 0 && len <= 64 && taken->len + len <= N);
    memcpy(taken->list + taken->len, some, len * sizeof *some);
    taken->len += len;
    return taken->len >= taken->most;
}

static void regions(void) {
    static const uint32_t relations[] = {QD_INTERSECTING, QD_CONTAINED_IN, QD_CONTAINING};
    for (int round = 0; round < 60; round++) {
        scalar box[2 * D], ball[D + 1];
        for (int axis = 0; axis < D; axis++) {
            box[axis] = (scalar)below(60), box[D + axis] = box[axis] + (scalar)below(round % 3 ? 25 : 4);
            ball[axis] = box[axis];
        }
        ball[D] = (scalar)below(20);
        int is_ball = round % 4 == 3, relation = is_ball ? 0 : round % 3;
        uint64_t layers = round % 5 ? QD_ALL_LAYERS : QD_LAYER(rects);
        qd_handle left_out = handles[below(N)];
        query asked = {.relation = relations[relation], .shape = is_ball ? QD_BALL : QD_BOX, .numbers = is_ball ? ball : box,
                       .count = is_ball ? D + 1 : 2 * D, .layers = layers, .excluding = &left_out, .excluded = 1};
        qd_handle expected[N], found[N];
        size_t m = 0, n, sliced = 0;
        for (int i = 0; i < N; i++) {
            scalar center[2 * D];
            memcpy(center, ball, D * sizeof(scalar)), memcpy(center + D, ball, D * sizeof(scalar));
            int holds = is_ball ? gap_squared(boxes[i], center) <= (double)ball[D] * ball[D]
                : relation == 0 ? gap_squared(boxes[i], box) == 0
                : relation == 1 ? inside(box, boxes[i]) : inside(boxes[i], box);
            if (alive[i] && handles[i] != left_out && layers >> layer_of(i) & 1 && holds) expected[m++] = handles[i];
        }
        MUST(QD(find)(indexed, &asked, found, N, &n));
        same(found, n, expected, m);
        MUST(QD(find)(indexed, &asked, NULL, 0, &n));
        CHECK(n == m);
        memset(found, 0xff, sizeof found);
        MUST(QD(find)(indexed, &asked, found, 3, &n));
        CHECK(n == m && found[3] == UINT64_MAX);

        Taken taken = {.most = SIZE_MAX};
        MUST(QD(each)(indexed, &asked, take, &taken));
        same(taken.list, taken.len, expected, m);
        taken.len = 0, taken.most = 1;
        MUST(QD(each)(indexed, &asked, take, &taken));
        CHECK(taken.len <= 64 && (taken.len > 0) == (m > 0));

        qd_cursor *cursor;
        size_t room = 1 + below(9);
        MUST(QD(cursor_new)(indexed, &asked, &cursor));
        do {
            MUST(QD(next)(indexed, cursor, found + sliced, room, &n));
            sliced += n;
        } while (n == room);
        same(found, sliced, expected, m);
        MUST(qd_free(cursor));
    }
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void nearest(void) {
    for (int round = 0; round < 40; round++) {
        scalar at[2 * D];
        for (int axis = 0; axis < D; axis++) at[axis] = at[D + axis] = (scalar)below(70) - 5;
        query asked = {.shape = QD_POINT, .numbers = at, .count = D, .layers = QD_ALL_LAYERS};
        double expected[N];
        size_t m = 0, n;
        hit found[7];
        for (int i = 0; i < N; i++) if (alive[i]) expected[m++] = sqrt(gap_squared(boxes[i], at));
        qsort(expected, m, sizeof *expected, by_value);
        MUST(QD(nearest)(indexed, &asked, (scalar)INFINITY, found, 7, &n));
        CHECK(n == (m < 7 ? m : 7));
        for (size_t i = 0; i < n; i++) CHECK(fabs(found[i].at - expected[i]) < 1e-4);
        scalar within = (scalar)below(9);
        size_t near = 0;
        while (near < 7 && near < m && expected[near] <= within) near++;
        MUST(QD(nearest)(indexed, &asked, within, found, 7, &n));
        CHECK(n == near);
    }
}

static void rays(void) {
    for (int round = 0; round < 40; round++) {
        /* Along an axis, so that a scan is simple. */
        int axis = (int)below(D);
        scalar line[2 * D], way[2 * D], motion[D] = {0};
        for (int other = 0; other < D; other++) way[other] = way[D + other] = (scalar)below(60);
        way[axis] = -5, way[D + axis] = 75, motion[axis] = 80;
        memcpy(line, way, sizeof line);
        query ray = {.shape = QD_SEGMENT, .numbers = line, .count = 2 * D, .layers = QD_ALL_LAYERS};
        query body = {.shape = QD_POINT, .numbers = line, .count = D, .layers = QD_ALL_LAYERS};
        size_t m = 0, n;
        qd_handle expected[N], found[N];
        hit hits[N];
        for (int i = 0; i < N; i++) if (alive[i] && gap_squared(boxes[i], way) == 0) expected[m++] = handles[i];
        for (int is_cast = 0; is_cast < 2; is_cast++) {
            if (is_cast) MUST(QD(cast)(indexed, &body, motion, -1, hits, N, &n));
            else MUST(QD(raycast)(indexed, &ray, hits, N, &n));
            for (size_t i = 0; i < n; i++) {
                scalar box[2 * D];
                MUST(QD(shapes_of)(indexed, &hits[i].handle, 1, box, NULL));
                CHECK(fabs(hits[i].at - (box[axis] + 5) / 80) < 1e-5 && (i == 0 || hits[i - 1].at <= hits[i].at));
                CHECK(fabs(hits[i].normal[0]) + fabs(hits[i].normal[1]) + fabs(hits[i].normal[2]) == 1);
                found[i] = hits[i].handle;
            }
            same(found, n, expected, m);
        }
    }
}

/* Polygons with a hole and another part, and corridors. */
static void shapes(void) {
    scalar rings[] = {5, 5, 45, 5, 45, 45, 5, 45, 5, 5, 15, 15, 35, 15, 35, 35, 15, 35, 15, 15, 50, 50, 58, 50, 58, 58, 50, 58, 50, 50};
    scalar outer[] = {5, 5, 45, 45}, hole[] = {15, 15, 35, 35}, part[] = {50, 50, 58, 58};
    scalar line[2 * D + 1], way[2 * D];
    for (int axis = 0; axis < D; axis++) line[axis] = line[D + axis] = way[axis] = way[D + axis] = 20;
    line[0] = way[0] = 10, line[D] = way[D] = 50, line[2 * D] = 4;
    for (int round = 0; round < 3; round++) {
        int is_corridor = round == 2, relation = round == 1 ? QD_CONTAINED_IN : QD_INTERSECTING;
        query asked = {.relation = (uint32_t)relation, .shape = is_corridor ? QD_CORRIDOR : QD_RINGS, .numbers = is_corridor ? line : rings,
                       .count = is_corridor ? 2 * D + 1 : 30, .layers = QD_ALL_LAYERS};
        if (is_corridor && D == 3) asked.layers = QD_LAYER(points); /* of boxes it may find more */
        qd_handle expected[N], found[N];
        size_t m = 0, n;
        if (!is_corridor && D == 3) {
            CHECK(QD(find)(indexed, &asked, found, N, &n) == QD_BAD_CHOICE);
            continue;
        }
        for (int i = 0; i < N; i++) {
            int in_hole = 1, meets_hole = 1;
            for (int axis = 0; axis < 2; axis++) {
                in_hole &= hole[axis] < boxes[i][axis] && boxes[i][D + axis] < hole[2 + axis];
                meets_hole &= boxes[i][axis] < hole[2 + axis] && hole[axis] < boxes[i][D + axis];
            }
            int holds = is_corridor ? gap_squared(boxes[i], way) <= 16
                : relation == QD_CONTAINED_IN ? (inside(outer, boxes[i]) && !meets_hole) || inside(part, boxes[i])
                : (gap_squared(boxes[i], outer) == 0 && !in_hole) || gap_squared(boxes[i], part) == 0;
            if (alive[i] && asked.layers >> layer_of(i) & 1 && holds) expected[m++] = handles[i];
        }
        MUST(QD(find)(indexed, &asked, found, N, &n));
        CHECK(m > 0);
        same(found, n, expected, m);
    }
}

/* Many questions in one call, beside scans, and beside one by one. */
static void batches(void) {
    enum { M = 50, MOST = 5 };
    static scalar windows[M][2 * D];
    static query asked[M];
    static qd_handle found[M * N];
    static hit hits[M * MOST];
    size_t offsets[M + 1], n, m, all = 0;
    for (int q = 0; q < M; q++) {
        for (int axis = 0; axis < D; axis++) {
            windows[q][axis] = (scalar)below(60);
            windows[q][D + axis] = windows[q][axis] + (scalar)below(20);
        }
        asked[q] = (query){.relation = q % 2 ? QD_CONTAINED_IN : QD_INTERSECTING, .shape = QD_BOX, .numbers = windows[q], .count = 2 * D,
                           .layers = QD_ALL_LAYERS, .excluding = &handles[q], .excluded = 1};
    }
    MUST(QD(find_many)(indexed, asked, M, NULL, NULL, 0, &n));
    MUST(QD(find_many)(indexed, asked, M, offsets, found, M * N, &m));
    CHECK(n == m && offsets[0] == 0 && offsets[M] == m);
    for (int q = 0; q < M; q++) {
        qd_handle expected[N];
        size_t count = 0;
        for (int i = 0; i < N; i++) {
            int holds = q % 2 ? inside(windows[q], boxes[i]) : gap_squared(boxes[i], windows[q]) == 0;
            if (alive[i] && i != q && holds) expected[count++] = handles[i];
        }
        same(found + offsets[q], offsets[q + 1] - offsets[q], expected, count);
        all += count;
    }
    CHECK(all == m);
    found[2] = QD_NOBODY;
    MUST(QD(find_many)(indexed, asked, M, offsets, found, 2, &n));
    CHECK(n == m && found[2] == QD_NOBODY && offsets[M] == m);
    MUST(QD(find_many)(indexed, NULL, 0, offsets, NULL, 0, &n));
    CHECK(n == 0 && offsets[0] == 0);

    MUST(QD(nearest_many)(indexed, asked, M, 9, MOST, offsets, hits, M * MOST, &n));
    CHECK(offsets[M] == n);
    for (int q = 0; q < M; q++) {
        hit one[MOST];
        MUST(QD(nearest)(indexed, &asked[q], 9, one, MOST, &m));
        CHECK(m == offsets[q + 1] - offsets[q]);
        for (size_t i = 0; i < m; i++) CHECK(one[i].handle == hits[offsets[q] + i].handle && one[i].at == hits[offsets[q] + i].at);
    }
}

static void clusters(void) {
    enum { SIDE = 9, CELLS = D == 2 ? SIDE * SIDE : SIDE * SIDE * SIDE };
    static cluster found[CELLS], expected[CELLS];
    scalar window[2 * D];
    size_t n, m = 0, again;
    for (int axis = 0; axis < D; axis++) window[axis] = 5, window[D + axis] = 50;
    query asked = {.shape = QD_BOX, .numbers = window, .count = 2 * D, .layers = QD_ALL_LAYERS};
    memset(expected, 0, sizeof expected);
    for (int i = 0; i < N; i++) {
        if (!alive[i] || gap_squared(boxes[i], window) != 0) continue;
        scalar center[D];
        int cell = 0;
        for (int axis = D - 1; axis >= 0; axis--) {
            center[axis] = (boxes[i][axis] + boxes[i][D + axis]) / 2;
            cell = SIDE * cell + (int)(center[axis] / 8);
        }
        cluster *of = &expected[cell];
        for (int axis = 0; axis < D; axis++) {
            of->mean[axis] += center[axis];
            if (!of->count || boxes[i][axis] < of->least[axis]) of->least[axis] = boxes[i][axis];
            if (!of->count || of->greatest[axis] < boxes[i][D + axis]) of->greatest[axis] = boxes[i][D + axis];
        }
        if (!of->count || QD_SLOT(handles[i]) < QD_SLOT(of->handle)) of->handle = handles[i];
        m += of->count++ == 0;
    }
    MUST(QD(clusters)(indexed, &asked, 8, NULL, 0, &again));
    MUST(QD(clusters)(indexed, &asked, 8, found, CELLS, &n));
    CHECK(n == m && again == m && m > 0);
    for (size_t i = 0; i < n; i++) {
        int cell = found[i].cell[0] + SIDE * found[i].cell[1] + SIDE * SIDE * found[i].cell[2];
        cluster *of = &expected[cell];
        CHECK(found[i].count == of->count && found[i].handle == of->handle);
        of->count = 0;
        for (int axis = 0; axis < 3; axis++) {
            CHECK(found[i].least[axis] == of->least[axis] && found[i].greatest[axis] == of->greatest[axis]);
            CHECK(fabs(found[i].mean[axis] - of->mean[axis] / (scalar)found[i].count) < 1e-4);
        }
    }
}

/* Some points lie down, and rise again. */
static void layers(uint32_t asleep) {
    qd_handle lying[N], found[N], mixed[2] = {handles[N - 1], QD_NOBODY};
    size_t n, m = 0, refused;
    query asked = {.shape = QD_EVERYWHERE, .layers = QD_LAYER(asleep)};
    for (int i = 0; i < N; i += 6) if (alive[i]) lying[m++] = handles[i];
    MUST(QD(set_layer)(indexed, asleep, lying, m, &refused));
    CHECK(refused == 0);
    MUST(QD(find)(indexed, &asked, found, N, &n));
    same(found, n, lying, m);
    regions();
    CHECK(QD(set_layer)(indexed, asleep, mixed, 2, &refused) == QD_WRONG_KIND && refused == 2);
    MUST(QD(set_layer)(indexed, points, lying, m, NULL));
    MUST(QD(count)(indexed, QD_LAYER(asleep), &n, NULL));
    CHECK(n == 0);
}

static int count_neighbors(void *context, const qd_handle *around, size_t len) {
    (void)around;
    *(size_t *)context += len - 1;
    return 0;
}

static void pairs(void) {
    static qd_handle listed[2 * N * N];
    for (int round = 0; round < 3; round++) {
        size_t n, m = 0, mixed = 0, neighbors = 0;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < i; j++)
                if (alive[i] && alive[j] && gap_squared(boxes[i], boxes[j]) <= round * round) m++, mixed += (i + j) % 2;
        MUST(QD(pairs)(indexed, QD_ALL_LAYERS, 0, (scalar)round, listed, 2 * N * N, &n));
        CHECK(n == 2 * m);
        MUST(QD(pairs)(indexed, QD_LAYER(points), QD_LAYER(rects), (scalar)round, NULL, 0, &n));
        CHECK(n == 2 * mixed);
        MUST(QD(each_neighbors)(indexed, QD_ALL_LAYERS, 0, (scalar)round, 0, count_neighbors, &neighbors));
        CHECK(neighbors == 2 * m);
    }
}

static void saved(void) {
    size_t len, again, n, m, slots;
    MUST(QD(save)(indexed, NULL, 0, &len));
    uint8_t *bytes = malloc(len);
    MUST(QD(save)(indexed, bytes, len, &again));
    CHECK(len == again);
    tree *loaded;
    MUST(QD(load)(D, bytes, len, &loaded));
    MUST(QD(count)(indexed, QD_ALL_LAYERS, &n, NULL));
    MUST(QD(count)(loaded, QD_ALL_LAYERS, &m, &slots));
    CHECK(n == m && slots > m);
    for (int i = 0; i < N; i++) if (alive[i]) MUST(QD(shapes_of)(loaded, &handles[i], 1, NULL, NULL));
    CHECK(QD(load)(D, bytes, len - 1, &loaded) == QD_BAD_BYTES);
    for (size_t i = 0; i < 200; i++) {
        size_t at = below((unsigned)len);
        uint8_t kept = bytes[at];
        bytes[at] ^= (uint8_t)(1 + below(255));
        tree *other;
        if (QD(load)(D, bytes, len, &other) == QD_OK) MUST(qd_free(other));
        bytes[at] = kept;
    }
    MUST(qd_free(loaded));
    free(bytes);
}

static int more(void *sum, const qd_handle *some, size_t len) {
    CHECK(len > 0 && some[0] != QD_NOBODY);
    *(size_t *)sum += len;
    return 0;
}

static int fewer(void *sum, const qd_handle *some, size_t len) {
    CHECK(len > 0 && some[0] != QD_NOBODY);
    *(size_t *)sum -= len;
    return 0;
}

int main(void) {
    scalar world[2 * D] = {0}, numbers[2 * D];
    uint32_t asleep;
    for (int axis = 0; axis < D; axis++) world[D + axis] = 64;
    MUST(QD(new)(D, world, &indexed));
    MUST(QD(add_layer)(indexed, QD_POINTS, &points));
    MUST(QD(add_layer)(indexed, QD_BOXES, &rects));
    MUST(QD(add_layer)(indexed, QD_POINTS, &asleep));
    for (int i = 0; i < N; i++) {
        choose(i), flat(i, numbers), alive[i] = 1;
        MUST(QD(insert)(indexed, layer_of(i), numbers, 1, &handles[i]));
        CHECK(QD_SLOT(handles[i]) == (size_t)i + 1);
    }
    qd_watch *watch;
    qd_contacts *contacts;
    size_t known = 0, touching = 0, n;
    scalar half[2 * D] = {0};
    for (int axis = 0; axis < D; axis++) half[D + axis] = 30;
    query asked = {.shape = QD_BOX, .numbers = half, .count = 2 * D, .layers = QD_ALL_LAYERS};
    MUST(qd_watch_new(&watch));
    MUST(qd_contacts_new(&contacts));
    for (int tick = 0; tick < 4; tick++) {
        regions(), nearest(), rays(), shapes(), batches(), clusters(), layers(asleep);
        if (tick % 2) pairs();
        MUST(QD(poll)(indexed, watch, &asked, more, fewer, &known));
        MUST(QD(find)(indexed, &asked, NULL, 0, &n));
        CHECK(known == n);
        MUST(QD(poll_pairs)(indexed, contacts, QD_ALL_LAYERS, 0, 0, more, fewer, &touching));
        MUST(QD(pairs)(indexed, QD_ALL_LAYERS, 0, 0, NULL, 0, &n));
        CHECK(touching == n);
        for (int kind = 0; kind < 2; kind++) {
            scalar all[N * 2 * D], *to = all;
            qd_handle moved[N];
            size_t len = 0, refused;
            for (int i = kind; i < N; i += 2) {
                if (!alive[i]) continue;
                choose(i), flat(i, to), to += kind ? 2 * D : D;
                moved[len++] = handles[i];
            }
            MUST(QD(move_to)(indexed, kind ? QD_BOXES : QD_POINTS, moved, all, len, &refused));
            CHECK(refused == 0);
        }
        qd_handle gone[40];
        for (int i = 0; i < 40; i++) gone[i] = handles[tick * 40 + i], alive[tick * 40 + i] = 0;
        MUST(QD(remove)(indexed, gone, 40));
        int32_t done = 0;
        while (!done) MUST(QD(optimize)(indexed, 4, &done));
    }
    saved();
    MUST(qd_free(contacts));
    MUST(qd_free(watch));
    MUST(qd_free(indexed));
    puts("answers are those of linear scans");
    return 0;
}
