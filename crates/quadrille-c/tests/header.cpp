// What quadrille.hpp adds to the calls of the patrol: each is compiled, for both scalars, and gives what it should.
#include <cstdio>
#include <cstdlib>

#include "quadrille.hpp"

using namespace quadrille;

#define CHECK(condition) \
    do { \
        if (!(condition)) std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), std::exit(1); \
    } while (0)

template <class S>
void play() {
    quadrille::index<S> index(2, {0, 0, 64, 64});
    auto awake = index.add_layer(QD_POINTS), asleep = index.add_layer(QD_POINTS);
    auto scouts = index.insert_all(awake, {10, 10, 12, 10, 40, 40});

    auto found = index.find_many({box<S>({0, 0, 20, 20}), point<S>({40, 40}), box<S>({60, 60, 61, 61})});
    CHECK(found.offsets.size() == 4 && found[0].size == 2 && found[2].size == 0);
    CHECK(found[1].size == 1 && found[1].data[0] == scouts[2]);
    CHECK(index.find_many({}).offsets.size() == 1);
    auto near = index.nearest_many({point<S>({11, 10}), point<S>({40, 44})}, 2, 5);
    CHECK(near[0].size == 2 && near[1].size == 1 && near[1].data[0].at == 4);

    auto clusters = index.clusters(ask<S>(QD_EVERYWHERE, {}), 16);
    CHECK(clusters.size() == 2);
    auto &pair = clusters[clusters[0].count == 2 ? 0 : 1];
    CHECK(pair.count == 2 && pair.handle == scouts[0] && pair.mean[0] == 11 && pair.greatest[0] == 12);

    index.set_layer(asleep, {scouts[0]});
    CHECK(index.size(asleep) == 1 && index.count(corridor<S>({0, 10, 64, 10, 1}, awake)) == 1);
    CHECK(index.count(rings<S>({0, 0, 64, 0, 64, 64, 0, 64, 0, 0, 9, 9, 11, 9, 11, 11, 9, 11, 9, 9})) == 2);
    CHECK(index.count(polygon<S>({0, 0, 64, 0, 64, 64})) == 3);
    try {
        index.find_many({box<S>({0, 0, 1, 1}), box<S>({1, 0, 0, 0})});
        CHECK(!"a box the wrong way round");
    } catch (const error &thrown) {
        CHECK(thrown.status == QD_BAD_NUMBER);
    }
}

int main() {
    play<double>();
    play<float>();
    std::puts("quadrille.hpp passes on what it should");
}
