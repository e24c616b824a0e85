/*
 * quadrille: a spatial index for things that move.
 *
 * It keeps points and boxes, in two or three dimensions, and tells which are in a region, which are nearest, and which touch.
 *
 *     double world[] = {0, 0, 1000, 1000};            // its least corner, its greatest
 *     qd_index *index;
 *     uint32_t units;
 *     qd_handle handles[2];
 *     qd_new(2, world, &index);
 *     qd_add_layer(index, QD_POINTS, &units);
 *     qd_insert(index, units, (double[]){90, 40,  500, 500}, 2, handles);
 *     qd_move_to(index, QD_POINTS, handles, (double[]){104, 42}, 1, NULL);
 *
 *     double view[] = {80, 0, 120, 100};
 *     qd_query query = {.shape = QD_BOX, .numbers = view, .count = 4, .layers = QD_ALL_LAYERS};
 *     qd_handle seen[64];
 *     size_t found;
 *     qd_find(index, &query, seen, 64, &found);       // found is 1, seen[0] is handles[0]
 *     qd_free(index);
 *
 * Errors.      Each function returns QD_OK or the code of an error. `qd_last_error` has its message. A call that fails has
 *              changed nothing, unless its comment says else.
 * Coordinates. Functions `qd_` take double, functions `qdf_` at the end of this file the same in float. A point is 2 or 3
 *              numbers, as the index has dimensions; a box is its least corner, then its greatest. Objects may be outside
 *              of the world; those inside are found faster. A world has edges: those that wrap around are not here.
 * Arrays.      They are yours, aligned as their type, and not kept after the call. They may overlap: all is read before
 *              anything is written. Where an array is written, NULL means that you do not want it.
 * Threads.     Any number may ask an index at the same time. A change is alone: if a call comes during another one that
 *              excludes it, it returns QD_BUSY at once. So does a change from within a callback.
 */
#ifndef QUADRILLE_H
#define QUADRILLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Errors ---------------------------------------------------------------------------------------------------------- */

typedef enum qd_status {
    QD_OK = 0,
    QD_BAD_POINTER = 1, /* null, misaligned, or not an object of this kind that lives */
    QD_BAD_LENGTH = 2,  /* longer than memory can be, or not as long as a region of this shape */
    QD_BAD_NUMBER = 3,  /* NaN; in objects and worlds infinite too; a box whose least corner is not the least */
    QD_BAD_CHOICE = 4,  /* a number that names no kind, shape, relation or dimension, or a shape that does not fit here */
    QD_NO_LAYER = 5,    /* no such layer, or none at all */
    QD_NO_OBJECT = 6,   /* no object has this handle, or the handle comes twice */
    QD_WRONG_KIND = 7,  /* a point where a box belongs, or a box where a point does */
    QD_FULL = 8,        /* no more layers, or no more objects */
    QD_BUSY = 9,        /* in use by another thread, or by a call that waits for your callback */
    QD_STALE = 10,      /* a cursor, watch or contacts of another index, or of one that was cleared since */
    QD_BAD_BYTES = 11,  /* not what `qd_save` wrote for this kind of index */
    QD_BUG = 12         /* an error in quadrille itself: please report it. Free the index, it may be half changed. */
} qd_status;

/* The message of the last call on this thread that failed, with the value and the limit. It stays until the next one
 * fails. An object is named as Handle(9v1): its slot, and how often the slot was filled and emptied. */
const char *qd_last_error(void);

/* ---- Indexes --------------------------------------------------------------------------------------------------------- */

/* An index of doubles, in two or three dimensions. */
typedef struct qd_index qd_index;

/* Makes an empty index of 2 or 3 dimensions. The box `world` is where most objects will be. */
qd_status qd_new(uint32_t dimensions, const double *world, qd_index **index);

/* Frees whatever this library has made: an index, cursor, watch, contacts. NULL is nothing. While another call uses it,
 * it stays, and the outcome is QD_BUSY. */
qd_status qd_free(void *made);

/* ---- Layers ---------------------------------------------------------------------------------------------------------- */

/* A layer is a tree of its own, for objects of one kind. An index has up to 64, numbered from 0. Functions that ask
 * take a set of them: a bit for each number. Bits of layers that are not there count for nothing; no bit at all is
 * QD_NO_LAYER. */
#define QD_LAYER(number) (UINT64_C(1) << (number))
#define QD_ALL_LAYERS UINT64_MAX

typedef enum qd_kind { QD_POINTS = 0, QD_BOXES = 1 } qd_kind;

/* Adds a layer for points or boxes. Its number is the least that is free. */
qd_status qd_add_layer(qd_index *index, uint32_t kind, uint32_t *layer);

/* Removes all objects of some layers. */
qd_status qd_clear(qd_index *index, uint64_t layers);

/* The number of objects in some layers, and that of all slots. */
qd_status qd_count(const qd_index *index, uint64_t layers, size_t *objects, size_t *slots);

/* ---- Objects --------------------------------------------------------------------------------------------------------- */

/* The name of an object. It stays while the object lives, wherever it moves, and no later object of this index gets it.
 * The same changes give the same handles, in each process. An index does not know the handles of another one from its
 * own. */
typedef uint64_t qd_handle;

/* A handle that no object has. */
#define QD_NOBODY UINT64_C(0)

/* A small number, for lists of your own: no two objects that live have the same. The first is 1; `qd_count` tells how
 * long such a list must be. */
#define QD_SLOT(handle) ((size_t)((handle) & UINT32_MAX))

/* Adds `len` points or boxes to a layer, all or none, and writes their handles. Many at once are faster than one by
 * one. */
qd_status qd_insert(qd_index *index, uint32_t layer, const double *shapes, size_t len, qd_handle *handles);

/* Moves objects, all of one kind: shapes[n] is the new place of handles[n]. Objects that are not there or of the other
 * kind, and places that are not finite, are left out; the others move all the same. Then the outcome is the error of
 * the first that was left out, and `refused` says how many there are. A box whose least corner is not the least refuses
 * the whole call. */
qd_status qd_move_to(qd_index *index, uint32_t kind, const qd_handle *handles, const double *shapes, size_t len,
                     size_t *refused);

/* Puts objects into another layer of the same kind. Their handles stay. Objects that are not there or of the other kind
 * are left out, as by `qd_move_to`. */
qd_status qd_set_layer(qd_index *index, uint32_t layer, const qd_handle *handles, size_t len, size_t *refused);

/* Removes objects, all or none. */
qd_status qd_remove(qd_index *index, const qd_handle *handles, size_t len);

/* Writes the box and the layer of each object. Both corners of a point are the same. */
qd_status qd_shapes_of(const qd_index *index, const qd_handle *handles, size_t len, double *boxes, uint32_t *layers);

/* Puts memory in order, a little in each frame: at most `budget` buckets of up to 64 objects. Writes 1 when a pass is
 * done. After many changes, queries are faster for it. */
qd_status qd_optimize(qd_index *index, size_t budget, int32_t *done);

/* ---- Queries --------------------------------------------------------------------------------------------------------- */

/* Which objects: touching counts everywhere. */
typedef enum qd_relation {
    QD_INTERSECTING = 0, /* those that share a point with the region */
    QD_CONTAINED_IN = 1, /* those that lie inside it */
    QD_CONTAINING = 2    /* those that hold all of it, or of the box around it */
} qd_relation;

/* Regions, and how many numbers they have in D dimensions. They may be infinite. */
typedef enum qd_shape {
    QD_BOX = 0,        /* 2 D: its least corner, its greatest */
    QD_POINT = 1,      /* D */
    QD_BALL = 2,       /* D + 1: its center, its radius. A negative radius is an empty ball. */
    QD_SEGMENT = 3,    /* 2 D: from, to */
    QD_EVERYWHERE = 4, /* 0 */
    QD_POLYGON = 5,    /* 2 n, in 2D: its corners around. It may cross itself: what is inside an odd number of times is in. */
    QD_CONVEX = 6,     /* n (D + 1): half-spaces, each a normal and an offset; a camera's frustum has six. A point p is in if
                          dot(normal, p) <= offset for each. */
    QD_RINGS = 7,      /* 2 n, in 2D: a polygon of several rings. Each ends where its first corner comes again; the next
                          corner begins another one: a hole, or a part of its own. */
    QD_CORRIDOR = 8    /* n D + 1: the points of a line, then the distance from it. A box lies inside if it lies inside
                          one straight part. */
} qd_shape;

/* A question. What you leave out is 0, so begin with = {0} or name the fields. */
typedef struct qd_query {
    uint32_t relation;          /* qd_relation */
    uint32_t shape;             /* qd_shape */
    const double *numbers;      /* those of the region */
    size_t count;               /* how many */
    uint64_t layers;            /* QD_LAYER(a) | QD_LAYER(b), or QD_ALL_LAYERS */
    const qd_handle *excluding; /* objects that are left out, such as the one that asks */
    size_t excluded;            /* how many */
} qd_query;

/* Takes handles of an answer, and returns 0 to go on or 1 if it has enough. It may ask the index, but not change it. It
 * must return: no longjmp, no exception. */
typedef int (*qd_each_fn)(void *context, const qd_handle *handles, size_t len);

/* Writes up to `capacity` handles, in any order, and says how many objects there are in all. If that is more than you
 * had room for, ask again with more, or with a cursor. With NULL and 0 it only counts, which is faster. */
qd_status qd_find(const qd_index *index, const qd_query *query, qd_handle *handles, size_t capacity, size_t *found);

/* Passes the handles to a function, up to 64 at once, until it has enough. Nothing is looked for that it did not wait
 * for. */
qd_status qd_each(const qd_index *index, const qd_query *query, qd_each_fn each, void *context);

/* Asks many questions in one call, for languages whose calls are dear; short ones come a little faster, too, where the
 * index is larger than the processor's cache. Writes `len + 1` offsets: the answer to query n begins at
 * handles[offsets[n]] and ends before handles[offsets[n + 1]]. Writes up to `capacity` handles, and how many there are in
 * all. An error names the query, and nothing is asked. */
qd_status qd_find_many(const qd_index *index, const qd_query *queries, size_t len, size_t *offsets,
                       qd_handle *handles, size_t capacity, size_t *found);

/* The objects of a query in one square cell. */
typedef struct qd_cluster {
    qd_handle handle; /* the lowest of theirs: one that stands for all, and does not flicker */
    size_t count;
    double mean[3];   /* of their centers; the third is 0 in 2D, as in the next three */
    double least[3];  /* the corners of the box around them */
    double greatest[3];
    int32_t cell[3];  /* its number on each axis, counted from the least corner of the world */
} qd_cluster;

/* Groups the objects of a query by square cells with sides of `size`, in any order: circles on a map. Writes up to
 * `capacity` clusters, and how many there are. An object is in the cell of its center; borders belong to the next cell.
 * Cells below 2^-30 of the distance of an object from the world's least corner are QD_BAD_NUMBER. */
qd_status qd_clusters(const qd_index *index, const qd_query *query, double size,
                      qd_cluster *clusters, size_t capacity, size_t *found);

/* A query that pauses. It has a copy of all that it was asked. */
typedef struct qd_cursor qd_cursor;

qd_status qd_cursor_new(const qd_index *index, const qd_query *query, qd_cursor **cursor);

/* Writes the next handles; fewer than `capacity` are the last. The index may change in between: an object that is left
 * alone and matches throughout comes exactly once; one that moves may come, or not, or again; one that is removed does
 * not. */
qd_status qd_next(const qd_index *index, qd_cursor *cursor, qd_handle *handles, size_t capacity, size_t *found);

/* An object in the order of an answer. */
typedef struct qd_hit {
    qd_handle handle;
    double at;        /* its distance; on a ray or a motion the part before it, from 0 to 1 */
    double normal[3]; /* that of the side which the ray or the body meets; 0 for `qd_nearest`, and the third in 2D */
} qd_hit;

/* The objects nearest to a box or a point, at most `capacity` and at most `within` (INFINITY) away, from near to far;
 * those as near as each other by their handles. Distances are Euclidean, 0 inside. In this and the next three the
 * relation of the query counts for nothing. */
qd_status qd_nearest(const qd_index *index, const qd_query *query, double within,
                     qd_hit *hits, size_t capacity, size_t *found);

/* The same for many boxes and points, at most `most` objects for each. Offsets are those of `qd_find_many`. */
qd_status qd_nearest_many(const qd_index *index, const qd_query *queries, size_t len, double within, size_t most,
                          size_t *offsets, qd_hit *hits, size_t capacity, size_t *found);

/* The objects that a segment meets, at most `capacity`, from its begin on. */
qd_status qd_raycast(const qd_index *index, const qd_query *query, qd_hit *hits, size_t capacity, size_t *found);

/* The objects that a box, point or ball meets as it moves by `motion`, D numbers, at most `capacity`, from the begin
 * on. With a `skin` of 0 or more only what blocks the motion counts, not what is touched in passing, and the body stops
 * that far before it; 0.001 keeps bodies apart in spite of rounding. With a negative one, such as -1, all that is
 * touched counts. */
qd_status qd_cast(const qd_index *index, const qd_query *query, const double *motion, double skin,
                  qd_hit *hits, size_t capacity, size_t *found);

/* ---- Pairs ----------------------------------------------------------------------------------------------------------- */

/* Writes pairs of objects at most `within` apart, two handles each, a pair once; 0 is those that touch. With `between`
 * 0 both are of `layers`, else one of each set. `capacity` and `found` count handles. */
qd_status qd_pairs(const qd_index *index, uint64_t layers, uint64_t between, double within,
                   qd_handle *handles, size_t capacity, size_t *found);

/* Passes on each object of `layers`, followed by its neighbors: objects of `around` at most `within` away; of these the
 * `most` nearest, or all if that is 0. With `around` 0 they are of `layers` too. Much faster than to ask for each. */
qd_status qd_each_neighbors(const qd_index *index, uint64_t layers, uint64_t around, double within, size_t most,
                            qd_each_fn each, void *context);

/* ---- Changes between two frames -------------------------------------------------------------------------------------- */

/* A memory of the objects in a region. */
typedef struct qd_watch qd_watch;
qd_status qd_watch_new(qd_watch **watch);

/* Asks again, and passes on who has come since the last poll, then who has gone, each in one list by ascending handles,
 * if there are any. The region may have moved, too. At the first poll all have come. */
qd_status qd_poll(const qd_index *index, qd_watch *watch, const qd_query *query,
                  qd_each_fn came, qd_each_fn gone, void *context);

/* A memory of pairs. */
typedef struct qd_contacts qd_contacts;
qd_status qd_contacts_new(qd_contacts **contacts);

/* The same for pairs, as `qd_pairs` finds them: two handles each, the lesser first. */
qd_status qd_poll_pairs(const qd_index *index, qd_contacts *contacts, uint64_t layers, uint64_t between, double within,
                        qd_each_fn came, qd_each_fn gone, void *context);

/* ---- Saving ---------------------------------------------------------------------------------------------------------- */

/* Writes the index, with its layers and handles, if there is room; and how many bytes it takes. */
qd_status qd_save(const qd_index *index, uint8_t *bytes, size_t capacity, size_t *len);

/* Makes the index that was saved. Bytes of any origin are safe: they are checked. */
qd_status qd_load(uint32_t dimensions, const uint8_t *bytes, size_t len, qd_index **index);

/* ---- The same in float ----------------------------------------------------------------------------------------------- */

typedef struct qdf_index qdf_index;

typedef struct qdf_query {
    uint32_t relation;
    uint32_t shape;
    const float *numbers;
    size_t count;
    uint64_t layers;
    const qd_handle *excluding;
    size_t excluded;
} qdf_query;

typedef struct qdf_hit {
    qd_handle handle;
    float at;
    float normal[3];
} qdf_hit;

typedef struct qdf_cluster {
    qd_handle handle;
    size_t count;
    float mean[3];
    float least[3];
    float greatest[3];
    int32_t cell[3];
} qdf_cluster;

qd_status qdf_new(uint32_t dimensions, const float *world, qdf_index **index);
qd_status qdf_add_layer(qdf_index *index, uint32_t kind, uint32_t *layer);
qd_status qdf_clear(qdf_index *index, uint64_t layers);
qd_status qdf_count(const qdf_index *index, uint64_t layers, size_t *objects, size_t *slots);
qd_status qdf_insert(qdf_index *index, uint32_t layer, const float *shapes, size_t len, qd_handle *handles);
qd_status qdf_move_to(qdf_index *index, uint32_t kind, const qd_handle *handles, const float *shapes, size_t len,
                      size_t *refused);
qd_status qdf_set_layer(qdf_index *index, uint32_t layer, const qd_handle *handles, size_t len, size_t *refused);
qd_status qdf_remove(qdf_index *index, const qd_handle *handles, size_t len);
qd_status qdf_shapes_of(const qdf_index *index, const qd_handle *handles, size_t len, float *boxes, uint32_t *layers);
qd_status qdf_optimize(qdf_index *index, size_t budget, int32_t *done);
qd_status qdf_find(const qdf_index *index, const qdf_query *query, qd_handle *handles, size_t capacity, size_t *found);
qd_status qdf_each(const qdf_index *index, const qdf_query *query, qd_each_fn each, void *context);
qd_status qdf_find_many(const qdf_index *index, const qdf_query *queries, size_t len, size_t *offsets, qd_handle *handles,
                        size_t capacity, size_t *found);
qd_status qdf_clusters(const qdf_index *index, const qdf_query *query, float size, qdf_cluster *clusters, size_t capacity,
                       size_t *found);
qd_status qdf_cursor_new(const qdf_index *index, const qdf_query *query, qd_cursor **cursor);
qd_status qdf_next(const qdf_index *index, qd_cursor *cursor, qd_handle *handles, size_t capacity, size_t *found);
qd_status qdf_nearest(const qdf_index *index, const qdf_query *query, float within, qdf_hit *hits, size_t capacity,
                      size_t *found);
qd_status qdf_nearest_many(const qdf_index *index, const qdf_query *queries, size_t len, float within, size_t most,
                           size_t *offsets, qdf_hit *hits, size_t capacity, size_t *found);
qd_status qdf_raycast(const qdf_index *index, const qdf_query *query, qdf_hit *hits, size_t capacity, size_t *found);
qd_status qdf_cast(const qdf_index *index, const qdf_query *query, const float *motion, float skin, qdf_hit *hits,
                   size_t capacity, size_t *found);
qd_status qdf_pairs(const qdf_index *index, uint64_t layers, uint64_t between, float within, qd_handle *handles,
                    size_t capacity, size_t *found);
qd_status qdf_each_neighbors(const qdf_index *index, uint64_t layers, uint64_t around, float within, size_t most,
                             qd_each_fn each, void *context);
qd_status qdf_poll(const qdf_index *index, qd_watch *watch, const qdf_query *query, qd_each_fn came, qd_each_fn gone,
                   void *context);
qd_status qdf_poll_pairs(const qdf_index *index, qd_contacts *contacts, uint64_t layers, uint64_t between,
                         float within, qd_each_fn came, qd_each_fn gone, void *context);
qd_status qdf_save(const qdf_index *index, uint8_t *bytes, size_t capacity, size_t *len);
qd_status qdf_load(uint32_t dimensions, const uint8_t *bytes, size_t len, qdf_index **index);

#ifdef __cplusplus
}
#endif

#endif
