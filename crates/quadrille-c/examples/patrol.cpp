// The patrol of patrol.c in C++17.
#include <cstdint>
#include <iostream>
#include <vector>

#include "quadrille.hpp"

static std::int64_t state = 1;

static int below(int limit) {
    state = state * 16807 % 2147483647;
    return int(state % limit);
}

int main() {
    quadrille::index<double> index(2, {0, 0, 1000, 1000});
    auto unit_layer = index.add_layer(QD_POINTS), wall_layer = index.add_layer(QD_BOXES);
    std::vector<double> places(2000), boxes;
    for (auto &place : places) place = below(1000);
    for (int i = 0; i < 100; i++) {
        double x = below(1000), y = below(1000);
        boxes.insert(boxes.end(), {x, y, x + 20, y + 5});
    }
    auto units = index.insert_all(unit_layer, places);
    auto walls = index.insert_all(wall_layer, boxes);

    auto seen = quadrille::box<double>({200, 200, 600, 600}, unit_layer);
    auto watch = quadrille::new_watch();
    std::size_t changes = 0, sum = 0;
    auto count = [&](auto list) { changes += list.size; };
    for (int tick = 0; tick < 10; tick++) {
        for (auto &place : places) place += below(21) - 10;
        index.move(unit_layer, units, places);
        index.poll(watch, seen, count, count);
    }
    std::cout << "watch: " << changes << " came or went\n";

    auto near = quadrille::ball<double>({500, 500, 100});
    index.each(near, [&](auto object) { sum += QD_SLOT(object); });
    std::cout << "ball: " << index.count(near) << " objects, slots " << sum << "\n";

    auto cursor = index.pause({});
    std::size_t slices = 0, total = 0, found;
    do {
        found = index.next(cursor, 64).size();
        slices++, total += found;
    } while (found == 64);
    std::cout << "cursor: " << total << " objects in " << slices << " slices\nnearest:";

    for (auto hit : index.nearest(quadrille::point<double>({500, 500}, unit_layer), 5)) std::cout << " " << QD_SLOT(hit.handle);
    std::cout << "\nray:";
    auto line = quadrille::segment<double>({0, 0, 1000, 1000}, wall_layer);
    for (auto hit : index.raycast(line, 3)) std::cout << " " << QD_SLOT(hit.handle);
    std::cout << "\npairs: " << index.pairs(unit_layer, 1, wall_layer).size() / 2 << "\n";
    try {
        index.remove({walls[0], walls[0]});
    } catch (const quadrille::error &error) {
        std::cout << "error " << error.status << ": " << error.what() << "\n";
    }
}
