/* Wrong arguments: each is refused with a code and a message, and changes nothing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quadrille.h"

static qd_index *tree;
static size_t count(void) {
    size_t objects = 0;
    qd_count(tree, QD_ALL_LAYERS, &objects, NULL);
    return objects;
}

/* The code, a part of the message, and that all objects are still there. */
static void refused(int line, qd_status expected, const char *part, qd_status status) {
    const char *said = qd_last_error();
    if (status == expected && strstr(said, part) && count() == 3) return;
    fprintf(stderr, "%s:%d: %d expected with \"%s\"; %d: %s; %zu objects\n", __FILE__, line, expected, part, status, said, count());
    exit(1);
}
#define REFUSED(expected, part, call) refused(__LINE__, expected, part, call)
#define MUST(call) refused(__LINE__, QD_OK, "", call)

static int change(void *context, const qd_handle *handles, size_t len) {
    size_t found;
    double at[2] = {1, 1};
    REFUSED(QD_BUSY, "in use", qd_move_to(tree, QD_POINTS, handles, at, 1, NULL));
    REFUSED(QD_BUSY, "in use", qd_remove(tree, handles, len));
    REFUSED(QD_BUSY, "in use", qd_free(tree));
    MUST(qd_find(tree, context, NULL, 0, &found));
    return 0;
}

static int add(void *sum, const qd_handle *handles, size_t len) {
    (void)handles;
    *(size_t *)sum += len;
    return 0;
}

int main(void) {
    double world[4] = {0, 0, 100, 100}, numbers[8] = {1, 1, 2, 2, 3, 3, 4, 4}, box[4] = {0, 0, 50, 50};
    qd_handle handles[4] = {0}, found[4];
    uint32_t points, boxes, layer;
    size_t n;
    qd_index *other;
    qdf_index *of_floats;
    qd_cursor *cursor;
    qd_hit hits[4];
    qd_watch *watch;
    size_t came = 0;
    float world_f[4] = {0, 0, 1, 1};
    qd_new(2, world, &tree);
    qd_add_layer(tree, QD_POINTS, &points);
    qd_add_layer(tree, QD_BOXES, &boxes);
    qd_insert(tree, points, numbers, 3, handles);
    MUST(qd_new(2, world, &other));
    MUST(qdf_new(2, world_f, &of_floats));
    MUST(qd_watch_new(&watch));
    qd_query query = {.shape = QD_BOX, .numbers = box, .count = 4, .layers = QD_ALL_LAYERS};

    /* What should be an index. */
    REFUSED(QD_BAD_POINTER, "null", qd_find(NULL, &query, found, 4, &n));
    REFUSED(QD_BAD_POINTER, "no multiple of", qd_find((qd_index *)((char *)tree + 1), &query, found, 4, &n));
    REFUSED(QD_BAD_POINTER, "nothing that quadrille has made", qd_find((qd_index *)world, &query, found, 4, &n));
    REFUSED(QD_BAD_POINTER, "an index of doubles expected", qd_find((qd_index *)of_floats, &query, found, 4, &n));
    REFUSED(QD_BAD_POINTER, "an index of doubles expected", qd_find((qd_index *)watch, &query, found, 4, &n));
    REFUSED(QD_BAD_POINTER, "nothing that quadrille has made", qd_free(world));
    MUST(qd_free(NULL));

    /* Worlds and layers. */
    qd_index *none;
    double inverted[4] = {0, 5, 1, 4}, nan_world[4] = {0, 0, NAN, 1}, endless[4] = {0, 0, INFINITY, 1};
    REFUSED(QD_BAD_CHOICE, "4 dimensions", qd_new(4, world, &none));
    REFUSED(QD_BAD_NUMBER, "minimum 5 on axis 1", qd_new(2, inverted, &none));
    REFUSED(QD_BAD_NUMBER, "NaN", qd_new(2, nan_world, &none));
    REFUSED(QD_BAD_NUMBER, "inf", qd_new(2, endless, &none));
    REFUSED(QD_BAD_POINTER, "world", qd_new(2, NULL, &none));
    REFUSED(QD_BAD_POINTER, "null", qd_new(2, world, NULL));
    REFUSED(QD_BAD_CHOICE, "kind 2", qd_add_layer(tree, 2, &layer));
    REFUSED(QD_BAD_POINTER, "layer", qd_add_layer(tree, QD_BOXES, NULL));
    REFUSED(QD_NO_LAYER, "no layer 7", qd_insert(tree, 7, numbers, 1, found));
    for (int i = 2; i < 64; i++) MUST(qd_add_layer(tree, QD_BOXES, &layer));
    REFUSED(QD_FULL, "64 layers", qd_add_layer(tree, QD_BOXES, &layer));

    /* Shapes of objects. */
    double bad[6] = {1, 1, 1, NAN, 1, 1}, big[4] = {1, 1, -INFINITY, 1};
    REFUSED(QD_BAD_NUMBER, "object 1 of the batch: coordinate NaN on axis 1", qd_insert(tree, points, bad, 3, found));
    REFUSED(QD_BAD_NUMBER, "coordinate -inf on axis 0 is not finite", qd_insert(tree, points, big, 2, found));
    REFUSED(QD_BAD_NUMBER, "minimum 5 on axis 1", qd_insert(tree, boxes, inverted, 1, found));
    REFUSED(QD_BAD_NUMBER, "minimum 5 on axis 1", qd_move_to(tree, QD_BOXES, handles, inverted, 1, NULL));
    REFUSED(QD_BAD_NUMBER, "coordinate NaN on axis 1", qd_move_to(tree, QD_POINTS, handles, bad, 3, &n));
    if (n != 1) return 1;
    double swapped[2] = {3, 4};
    REFUSED(QD_OK, "", qd_move_to(tree, QD_POINTS, handles, swapped, 1, (size_t *)swapped));
    if (swapped[0] != 0) return 1;
    REFUSED(QD_BAD_POINTER, "shapes", qd_insert(tree, points, NULL, 1, found));
    REFUSED(QD_BAD_LENGTH, "the limit is", qd_insert(tree, points, numbers, SIZE_MAX, found));
    REFUSED(QD_BAD_LENGTH, "the limit is", qd_insert(tree, points, numbers, SIZE_MAX / 16, found));
    REFUSED(QD_BAD_POINTER, "shapes", qd_insert(tree, points, (double *)((char *)numbers + 4), 1, found));
    MUST(qd_insert(tree, points, NULL, 0, NULL));

    /* Handles. */
    qd_handle stranger = handles[0] + (UINT64_C(2) << 32), twice[2] = {handles[0], handles[0]};
    qd_handle mixed[3] = {handles[0], stranger, QD_NOBODY};
    REFUSED(QD_NO_OBJECT, "there is no object Handle(1v3)", qd_remove(tree, &stranger, 1));
    REFUSED(QD_NO_OBJECT, "object 1 of the batch: Handle(1v1) came before", qd_remove(tree, twice, 2));
    REFUSED(QD_NO_OBJECT, "there is no object", qd_move_to(tree, QD_POINTS, mixed, numbers, 3, &n));
    if (n != 2) return 1;
    REFUSED(QD_WRONG_KIND, "Points", qd_move_to(tree, QD_BOXES, handles, box, 1, &n));
    REFUSED(QD_NO_OBJECT, "there is no object", qd_shapes_of(other, handles, 1, box, NULL));

    REFUSED(QD_WRONG_KIND, "Points", qd_set_layer(tree, boxes, handles, 3, &n));
    if (n != 3) return 1;
    REFUSED(QD_NO_OBJECT, "there is no object", qd_set_layer(tree, points, mixed, 3, &n));
    if (n != 2) return 1;
    REFUSED(QD_NO_LAYER, "no layer 64", qd_set_layer(tree, 64, handles, 1, &n));
    REFUSED(QD_BAD_LENGTH, "handles", qd_set_layer(tree, points, handles, SIZE_MAX, &n));
    REFUSED(QD_BAD_POINTER, "handles", qd_set_layer(tree, points, NULL, 1, &n));

    /* Questions. */
    REFUSED(QD_BAD_POINTER, "query", qd_find(tree, NULL, found, 4, &n));
    REFUSED(QD_BAD_POINTER, "found", qd_find(tree, &query, found, 4, NULL));
    double both[4] = {0, 0, 50, 50};
    query.numbers = both;
    MUST(qd_find(tree, &query, (qd_handle *)both, 4, &n));
    if (n != 3 || *(qd_handle *)both == 0) return 1;
    query.numbers = box;
    qd_query wrong = query;
    wrong.layers = 0;
    REFUSED(QD_NO_LAYER, "QD_ALL_LAYERS", qd_find(tree, &wrong, found, 4, &n));
    wrong = query, wrong.count = 3;
    REFUSED(QD_BAD_LENGTH, "a box in 2D has 4 numbers, not 3", qd_find(tree, &wrong, found, 4, &n));
    wrong = query, wrong.shape = QD_BALL;
    REFUSED(QD_BAD_LENGTH, "a ball in 2D has 3 numbers, not 4", qd_find(tree, &wrong, found, 4, &n));
    wrong = query, wrong.shape = QD_CONVEX;
    REFUSED(QD_BAD_LENGTH, "a convex region in 2D has a multiple of 3 numbers, not 4", qd_find(tree, &wrong, found, 4, &n));
    wrong = query, wrong.shape = 99;
    REFUSED(QD_BAD_CHOICE, "shape 99", qd_find(tree, &wrong, found, 4, &n));
    wrong = query, wrong.relation = 99;
    REFUSED(QD_BAD_CHOICE, "relation 99", qd_find(tree, &wrong, found, 4, &n));
    wrong = query, wrong.numbers = nan_world;
    REFUSED(QD_BAD_NUMBER, "number 2 is NaN", qd_find(tree, &wrong, found, 4, &n));
    wrong = query, wrong.excluded = 1;
    REFUSED(QD_BAD_POINTER, "excluding", qd_find(tree, &wrong, found, 4, &n));
    wrong = query, wrong.excluding = handles, wrong.excluded = SIZE_MAX;
    REFUSED(QD_BAD_LENGTH, "excluding", qd_find(tree, &wrong, found, 4, &n));
    wrong = query, wrong.shape = QD_SEGMENT;
    REFUSED(QD_BAD_CHOICE, "a box or a point expected", qd_nearest(tree, &wrong, 1, hits, 4, &n));
    REFUSED(QD_BAD_NUMBER, "within", qd_nearest(tree, &query, NAN, hits, 4, &n));
    REFUSED(QD_BAD_CHOICE, "a segment expected", qd_raycast(tree, &query, hits, 4, &n));
    REFUSED(QD_BAD_NUMBER, "motion", qd_cast(tree, &query, nan_world + 2, 0, hits, 4, &n));
    REFUSED(QD_BAD_NUMBER, "within", qd_pairs(tree, QD_ALL_LAYERS, 0, NAN, NULL, 0, &n));
    REFUSED(QD_BAD_POINTER, "each", qd_each(tree, &query, NULL, NULL));
    MUST(qd_each(tree, &query, change, &query));

    wrong = query, wrong.shape = QD_CORRIDOR;
    REFUSED(QD_BAD_LENGTH, "a corridor in 2D has a multiple of 2 and one more numbers, not 4", qd_find(tree, &wrong, found, 4, &n));
    wrong.count = 0;
    REFUSED(QD_BAD_LENGTH, "not 0", qd_find(tree, &wrong, found, 4, &n));
    wrong.count = 3, wrong.numbers = nan_world;
    REFUSED(QD_BAD_NUMBER, "number 2 is NaN", qd_find(tree, &wrong, found, 4, &n));
    wrong = query, wrong.shape = QD_RINGS, wrong.count = 3;
    REFUSED(QD_BAD_LENGTH, "a polygon of rings in 2D has a multiple of 2 numbers, not 3", qd_find(tree, &wrong, found, 4, &n));
    wrong.count = 4, wrong.numbers = endless; /* an infinite corner makes it empty */
    MUST(qd_find(tree, &wrong, found, 4, &n));
    if (n != 0) return 1;

    /* Many questions. */
    qd_query two[2] = {query, query};
    size_t offsets[3];
    qd_cluster clusters[4];
    REFUSED(QD_BAD_POINTER, "queries: a null pointer", qd_find_many(tree, NULL, 2, offsets, found, 4, &n));
    REFUSED(QD_BAD_POINTER, "no multiple of", qd_find_many(tree, (qd_query *)((char *)two + 4), 1, offsets, found, 4, &n));
    REFUSED(QD_BAD_LENGTH, "queries", qd_find_many(tree, two, SIZE_MAX, offsets, found, 4, &n));
    REFUSED(QD_BAD_POINTER, "found", qd_find_many(tree, two, 2, offsets, found, 4, NULL));
    REFUSED(QD_BAD_POINTER, "offsets", qd_find_many(tree, two, 2, (size_t *)((char *)offsets + 1), found, 4, &n));
    REFUSED(QD_BAD_LENGTH, "answers", qd_find_many(tree, two, 2, offsets, found, SIZE_MAX, &n));
    MUST(qd_find_many(tree, two, 2, NULL, NULL, SIZE_MAX, &n));
    if (n != 6) return 1;
    MUST(qd_find_many(tree, two, 2, (size_t *)box, (qd_handle *)box, 4, &n)); /* over the numbers of the questions */
    box[0] = box[1] = 0, box[2] = box[3] = 50;
    two[1].layers = 0;
    REFUSED(QD_NO_LAYER, "query 1: layers: 0 names none", qd_find_many(tree, two, 2, offsets, found, 4, &n));
    two[1] = query, two[1].shape = 99;
    REFUSED(QD_BAD_CHOICE, "query 1: shape 99", qd_nearest_many(tree, two, 2, 1, 1, offsets, hits, 4, &n));
    two[1].shape = QD_SEGMENT;
    REFUSED(QD_BAD_CHOICE, "a box or a point expected", qd_nearest_many(tree, two, 2, 1, 1, offsets, hits, 4, &n));
    REFUSED(QD_BAD_NUMBER, "within", qd_nearest_many(tree, two, 1, NAN, 1, offsets, hits, 4, &n));
    MUST(qd_nearest_many(tree, two, 1, INFINITY, SIZE_MAX, offsets, hits, 2, &n));
    if (n != 3) return 1;
    REFUSED(QD_BAD_NUMBER, "0", qd_clusters(tree, &query, 0, clusters, 4, &n));
    REFUSED(QD_BAD_NUMBER, "NaN", qd_clusters(tree, &query, NAN, clusters, 4, &n));
    REFUSED(QD_BAD_NUMBER, "", qd_clusters(tree, &query, 1e-30, clusters, 4, &n));
    REFUSED(QD_BAD_POINTER, "found", qd_clusters(tree, &query, 1, clusters, 4, NULL));
    REFUSED(QD_BAD_LENGTH, "clusters", qd_clusters(tree, &query, 1, clusters, SIZE_MAX, &n));

    /* Memories of another index. */
    REFUSED(QD_BAD_POINTER, "contacts expected", qd_poll_pairs(tree, (qd_contacts *)watch, QD_ALL_LAYERS, 0, 0, add, add, &came));
    MUST(qd_cursor_new(tree, &query, &cursor));
    REFUSED(QD_STALE, "another index", qd_next(other, cursor, found, 4, &n));
    REFUSED(QD_STALE, "another kind", qdf_next(of_floats, cursor, found, 4, &n));
    MUST(qd_next(tree, cursor, found, 4, &n));
    MUST(qd_poll(tree, watch, &query, add, add, &came));
    if (n != 3 || came != 3) return 1;
    MUST(qd_insert(other, 0, NULL, 0, NULL) == QD_NO_LAYER ? QD_OK : QD_BUG);
    MUST(qd_add_layer(other, QD_POINTS, &layer));
    MUST(qd_insert(other, layer, numbers, 1, found));
    REFUSED(QD_STALE, "another index", qd_poll(other, watch, &query, add, add, &came));

    /* Bytes of any origin. */
    uint8_t bytes[64] = {0};
    REFUSED(QD_BAD_BYTES, "0 bytes: not as they were saved", qd_load(2, bytes, 0, &none));
    for (int first = 0; first < 256; first++) {
        memset(bytes + 1, first * 7, 63), bytes[0] = (uint8_t)first;
        REFUSED(QD_BAD_BYTES, "", qd_load(2, bytes, 64, &none));
    }
    qd_free(cursor), qd_free(watch), qd_free(of_floats), qd_free(other);
    if (qd_free(tree) != QD_OK) return 1;
    puts("wrong arguments are refused");
    return 0;
}
