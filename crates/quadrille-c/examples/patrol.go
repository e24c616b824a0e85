// The patrol of patrol.c in Go: CGO_CFLAGS=-I…/include CGO_LDFLAGS="-L… -lquadrille_c" go run patrol.go
package main

/*
#include <stdlib.h>
#include <string.h>
#include "quadrille.h"

// Go's memory may hold no pointers to Go's memory when C sees it: so a query is C's.
static qd_query *query(uint32_t shape, const double *numbers, size_t count, uint64_t layers) {
	qd_query *made = calloc(1, sizeof *made + count * sizeof *numbers);
	double *copy = memcpy(made + 1, numbers, count * sizeof *numbers);
	return *made = (qd_query){.shape = shape, .numbers = copy, .count = count, .layers = layers}, made;
}
static int count(void *sum, const qd_handle *handles, size_t len) { return *(size_t *)sum += len, 0; }
static qd_status poll(qd_index *index, qd_watch *watch, qd_query *query, size_t *changes) {
	return qd_poll(index, watch, query, count, count, changes);
}
*/
import "C"

import "fmt"
import "math"

var state int64 = 1

func below(limit int64) C.double {
	state = state * 16807 % 2147483647
	return C.double(state % limit)
}
func must(status C.qd_status) {
	if status != C.QD_OK {
		panic(C.GoString(C.qd_last_error()))
	}
}
func query(shape C.uint32_t, layers uint64, numbers ...C.double) *C.qd_query {
	return C.query(shape, &append(numbers, 0)[0], C.size_t(len(numbers)), C.uint64_t(layers))
}
func slots(hits []C.qd_hit) (slots string) {
	for _, hit := range hits {
		slots += fmt.Sprint(" ", uint32(hit.handle))
	}
	return
}
func main() {
	var index *C.qd_index
	var unitLayer, wallLayer C.uint32_t
	must(C.qd_new(2, &[]C.double{0, 0, 1000, 1000}[0], &index))
	must(C.qd_add_layer(index, C.QD_POINTS, &unitLayer))
	must(C.qd_add_layer(index, C.QD_BOXES, &wallLayer))
	units, walls, all := uint64(1)<<unitLayer, uint64(1)<<wallLayer, ^uint64(0)
	var places [2000]C.double
	var boxes [100][4]C.double
	var unitHandles [1000]C.qd_handle
	var wallHandles [100]C.qd_handle
	for i := range places {
		places[i] = below(1000)
	}
	for i := range boxes {
		x, y := below(1000), below(1000)
		boxes[i] = [4]C.double{x, y, x + 20, y + 5}
	}
	must(C.qd_insert(index, unitLayer, &places[0], 1000, &unitHandles[0]))
	must(C.qd_insert(index, wallLayer, &boxes[0][0], 100, &wallHandles[0]))
	var watch *C.qd_watch
	var cursor *C.qd_cursor
	var found, changes, total C.size_t
	var some [64]C.qd_handle
	var hits [5]C.qd_hit
	seen := query(C.QD_BOX, units, 200, 200, 600, 600)
	must(C.qd_watch_new(&watch))
	for tick := 0; tick < 10; tick++ {
		for i := range places {
			places[i] += below(21) - 10
		}
		must(C.qd_move_to(index, C.QD_POINTS, &unitHandles[0], &places[0], 1000, nil))
		must(C.poll(index, watch, seen, &changes))
	}
	fmt.Printf("watch: %d came or went\n", changes)
	sum, slices := uint32(0), 0
	must(C.qd_find(index, query(C.QD_BALL, all, 500, 500, 100), &some[0], 64, &found))
	for _, handle := range some[:found] {
		sum += uint32(handle)
	}
	fmt.Printf("ball: %d objects, slots %d\n", found, sum)
	must(C.qd_cursor_new(index, query(C.QD_EVERYWHERE, all), &cursor))
	for found = 64; found == 64; slices++ {
		must(C.qd_next(index, cursor, &some[0], 64, &found))
		total += found
	}
	fmt.Printf("cursor: %d objects in %d slices\n", total, slices)
	must(C.qd_nearest(index, query(C.QD_POINT, units, 500, 500), C.double(math.Inf(1)), &hits[0], 5, &found))
	fmt.Println("nearest:" + slots(hits[:found]))
	must(C.qd_raycast(index, query(C.QD_SEGMENT, walls, 0, 0, 1000, 1000), &hits[0], 3, &found))
	fmt.Println("ray:" + slots(hits[:found]))
	must(C.qd_pairs(index, C.uint64_t(units), C.uint64_t(walls), 1, nil, 0, &found))
	fmt.Printf("pairs: %d\n", found/2)
	refused := C.qd_remove(index, &[]C.qd_handle{wallHandles[0], wallHandles[0]}[0], 2)
	fmt.Printf("error %d: %s\n", refused, C.GoString(C.qd_last_error()))
}
