/* A thousand units on patrol among a hundred walls: each call of quadrille once, with the same output in every language here. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "quadrille.h"

enum { UNITS = 1000, WALLS = 100 };

static int64_t state = 1;

static int below(int limit) {
    state = state * 16807 % 2147483647;
    return (int)(state % limit);
}

static void must(qd_status status) {
    if (status == QD_OK) return;
    fprintf(stderr, "error %d: %s\n", (int)status, qd_last_error());
    exit(1);
}

static int count(void *sum, const qd_handle *handles, size_t len) {
    (void)handles;
    *(size_t *)sum += len;
    return 0;
}

static int sum_slots(void *sum, const qd_handle *handles, size_t len) {
    for (size_t i = 0; i < len; i++) *(size_t *)sum += QD_SLOT(handles[i]);
    return 0;
}

int main(void) {
    double world[] = {0, 0, 1000, 1000}, places[2 * UNITS], boxes[4 * WALLS];
    qd_handle units[UNITS], walls[WALLS], some[64];
    uint32_t unit_layer, wall_layer;
    size_t found, sum = 0;
    qd_index *index;
    must(qd_new(2, world, &index));
    must(qd_add_layer(index, QD_POINTS, &unit_layer));
    must(qd_add_layer(index, QD_BOXES, &wall_layer));
    for (int i = 0; i < 2 * UNITS; i++) places[i] = below(1000);
    for (int i = 0; i < WALLS; i++) {
        boxes[4 * i] = below(1000), boxes[4 * i + 1] = below(1000);
        boxes[4 * i + 2] = boxes[4 * i] + 20, boxes[4 * i + 3] = boxes[4 * i + 1] + 5;
    }
    must(qd_insert(index, unit_layer, places, UNITS, units));
    must(qd_insert(index, wall_layer, boxes, WALLS, walls));

    double view[] = {200, 200, 600, 600};
    qd_query seen = {.shape = QD_BOX, .numbers = view, .count = 4, .layers = QD_LAYER(unit_layer)};
    qd_watch *watch;
    must(qd_watch_new(&watch));
    size_t changes = 0;
    for (int tick = 0; tick < 10; tick++) {
        for (int i = 0; i < 2 * UNITS; i++) places[i] += below(21) - 10;
        must(qd_move_to(index, QD_POINTS, units, places, UNITS, NULL));
        must(qd_poll(index, watch, &seen, count, count, &changes));
    }
    printf("watch: %zu came or went\n", changes);

    double ball[] = {500, 500, 100};
    qd_query near = {.shape = QD_BALL, .numbers = ball, .count = 3, .layers = QD_ALL_LAYERS};
    must(qd_find(index, &near, NULL, 0, &found));
    must(qd_each(index, &near, sum_slots, &sum));
    printf("ball: %zu objects, slots %zu\n", found, sum);

    qd_query all = {.shape = QD_EVERYWHERE, .layers = QD_ALL_LAYERS};
    qd_cursor *cursor;
    size_t slices = 0, total = 0;
    must(qd_cursor_new(index, &all, &cursor));
    do {
        must(qd_next(index, cursor, some, 64, &found));
        slices++, total += found;
    } while (found == 64);
    printf("cursor: %zu objects in %zu slices\n", total, slices);

    qd_query here = {.shape = QD_POINT, .numbers = ball, .count = 2, .layers = QD_LAYER(unit_layer)};
    qd_hit hits[5];
    must(qd_nearest(index, &here, INFINITY, hits, 5, &found));
    printf("nearest:");
    for (size_t i = 0; i < found; i++) printf(" %zu", QD_SLOT(hits[i].handle));

    double ray[] = {0, 0, 1000, 1000};
    qd_query line = {.shape = QD_SEGMENT, .numbers = ray, .count = 4, .layers = QD_LAYER(wall_layer)};
    must(qd_raycast(index, &line, hits, 3, &found));
    printf("\nray:");
    for (size_t i = 0; i < found; i++) printf(" %zu", QD_SLOT(hits[i].handle));

    must(qd_pairs(index, QD_LAYER(unit_layer), QD_LAYER(wall_layer), 1.0, NULL, 0, &found));
    printf("\npairs: %zu\n", found / 2);
    qd_status refused = qd_remove(index, (qd_handle[]){walls[0], walls[0]}, 2);
    printf("error %d: %s\n", (int)refused, qd_last_error());
    must(qd_free(watch)), must(qd_free(cursor)), must(qd_free(index));
    return 0;
}
