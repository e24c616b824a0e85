// A sliding window of laser scans, as nanoflann's own benchmark has it: each frame adds a scan, drops what lies more than 60 m from
// the sensor, and asks for the 5 nearest to 500 points. quadrille beside nanoflann's incremental index (1.12 or later) and a grid by
// hand, each in turn in every frame, by the processor time of the thread.
//
//     cargo build --release
//     c++ -std=c++17 -O3 -march=native -Iinclude -INANOFLANN/include bench/window.cpp target/release/libquadrille_c.a -ldl -o window
//     ./window [frames 80] [points of a scan 120000] [1: in the order of a sweep, 0: in none]
#include <ctime>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

#include <nanoflann.hpp>

#include "quadrille.hpp"

using point = std::array<float, 3>;
constexpr int K = 5;
constexpr float KEEP = 60, STEP = 1.5f;

static double now() {
    timespec at;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return at.tv_sec * 1e3 + at.tv_nsec * 1e-6;
}

struct contender {
    const char *name;
    std::function<void(const std::vector<point> &, float)> update;
    std::function<void(const point &, float *)> nearest; // K distances, squared
    std::vector<double> updates = {}, queries = {};
};

struct cloud {
    std::vector<point> points;
    std::size_t kdtree_get_point_count() const { return points.size(); }
    float kdtree_get_pt(std::size_t at, std::size_t axis) const { return points[at][axis]; }
    template <class Box>
    bool kdtree_get_bbox(Box &) const { return false; }
};
using incremental =
    nanoflann::KDTreeSingleIndexIncrementalAdaptor<nanoflann::L2_Simple_Adaptor<float, cloud>, cloud, 3, std::uint32_t>;

// Cells of a meter in a box that is known before.
struct grid {
    static constexpr int Y = 102, Z = 8;
    float from;
    int X, first = 0;
    std::vector<std::vector<point>> cells;
    grid(float from, float to) : from(from), X(int(to - from) + 1), cells(std::size_t(X) * Y * Z) {}
    int x(float at) const { return int(at - from); }
    std::vector<point> &cell(int x, int y, int z) { return cells[(std::size_t(x) * Y + y) * Z + z]; }

    void update(const std::vector<point> &scan, float sensor) {
        for (auto &p : scan) cell(x(p[0]), int(p[1] + 51), int(p[2] + 4)).push_back(p);
        for (; first < x(sensor - KEEP); first++)
            for (int i = 0; i < Y * Z; i++) std::vector<point>().swap(cells[std::size_t(first) * Y * Z + i]);
        for (int i = 0; i < Y * Z; i++) {
            auto &list = cells[std::size_t(first) * Y * Z + i];
            list.erase(std::remove_if(list.begin(), list.end(), [&](auto &p) { return p[0] < sensor - KEEP; }), list.end());
        }
    }
    void nearest(const point &at, float *best) {
        std::fill(best, best + K, INFINITY);
        int cx = x(at[0]), cy = int(at[1] + 51), cz = int(at[2] + 4);
        for (int ring = 0;; ring++) {
            for (int i = std::max(first, cx - ring); i <= std::min(X - 1, cx + ring); i++)
                for (int j = std::max(0, cy - ring); j <= std::min(Y - 1, cy + ring); j++)
                    for (int k = std::max(0, cz - ring); k <= std::min(Z - 1, cz + ring); k++) {
                        if (std::max({std::abs(i - cx), std::abs(j - cy), std::abs(k - cz)}) < ring) continue;
                        for (auto &p : cell(i, j, k)) {
                            float dx = p[0] - at[0], dy = p[1] - at[1], dz = p[2] - at[2], d = dx * dx + dy * dy + dz * dz;
                            for (int n = 0; n < K; n++) if (d < best[n]) std::swap(d, best[n]);
                        }
                    }
            // How far it is to the border of what was looked at.
            float gap = INFINITY;
            for (int axis = 0; axis < 3; axis++) {
                float in = at[axis] - std::floor(at[axis]);
                gap = std::min({gap, in + ring, 1 - in + ring});
            }
            if (best[K - 1] <= gap * gap || ring > X) return;
        }
    }
};

static double at(std::vector<double> list, double part) {
    std::sort(list.begin(), list.end());
    return list[std::min(list.size() - 1, std::size_t(list.size() * part))];
}

int main(int count, char **arguments) {
    int frames = count > 1 ? std::atoi(arguments[1]) : 80, size = count > 2 ? std::atoi(arguments[2]) : 120000;
    bool sweeps = count > 3 ? std::atoi(arguments[3]) : 1;
    int warm = frames / 2;
    float end = STEP * frames + 51;
    std::mt19937 random(1234);
    std::uniform_real_distribution<float> wide(-50, 50), high(-3, 3);

    cloud points;
    incremental tree(3, points, nanoflann::KDTreeIncrementalIndexParams(0.85f, 0.5f));
    grid by_hand(-64, end);
    quadrille::index<float> index(3, {-64, -64, -64, end, 64, 64});
    auto layer = index.add_layer(QD_POINTS);
    std::vector<qd_handle> handles(size), gone(2 * size);
    qdf_hit hits[K];

    contender all[] = {
        {"nanoflann", [&](auto &scan, float sensor) {
            auto from = points.points.size();
            points.points.insert(points.points.end(), scan.begin(), scan.end());
            tree.addPoints(from, points.points.size() - 1);
            incremental::BoundingBox keep;
            for (int axis = 0; axis < 3; axis++) keep[axis].low = -KEEP, keep[axis].high = KEEP;
            keep[0].low += sensor, keep[0].high += sensor;
            tree.removeOutsideBox(keep);
        }, [&](auto &p, float *best) {
            std::uint32_t found[K];
            (void)tree.knnSearch(p.data(), K, found, best);
        }},
        {"quadrille", [&](auto &scan, float sensor) {
            quadrille::must(qdf_insert(index.get(), layer.number, scan[0].data(), scan.size(), nullptr));
            // What lies outside of the cube: six slabs, one after the other.
            for (int side = 0; side < 6; side++) {
                float slab[6] = {-INFINITY, -INFINITY, -INFINITY, INFINITY, INFINITY, INFINITY};
                float center = side / 2 == 0 ? sensor : 0;
                if (side % 2) slab[side / 2] = std::nextafter(center + KEEP, INFINITY);
                else slab[3 + side / 2] = std::nextafter(center - KEEP, -INFINITY);
                qdf_query query{QD_INTERSECTING, QD_BOX, slab, 6, QD_ALL_LAYERS, nullptr, 0};
                std::size_t found;
                quadrille::must(qdf_find(index.get(), &query, gone.data(), gone.size(), &found));
                if (found > gone.size()) std::abort();
                quadrille::must(qdf_remove(index.get(), gone.data(), found));
            }
        }, [&](auto &p, float *best) {
            qdf_query query{QD_INTERSECTING, QD_POINT, p.data(), 3, QD_ALL_LAYERS, nullptr, 0};
            std::size_t found;
            quadrille::must(qdf_nearest(index.get(), &query, INFINITY, hits, K, &found));
            for (int i = 0; i < K; i++) best[i] = hits[i].at * hits[i].at;
        }},
        {"grid by hand", [&](auto &scan, float sensor) { by_hand.update(scan, sensor); },
            [&](auto &p, float *best) { by_hand.nearest(p, best); }},
    };

    for (int frame = 0; frame < frames; frame++) {
        float sensor = STEP * frame;
        std::vector<point> scan(size);
        for (auto &p : scan) p = {sensor + wide(random), wide(random), high(random)};
        // As a scanner turns; nanoflann's own synthetic scans are in no order.
        auto angle = [&](const point &p) { return std::atan2(p[1], p[0] - sensor); };
        if (sweeps) std::sort(scan.begin(), scan.end(), [&](auto &a, auto &b) { return angle(a) < angle(b); });
        for (int turn = 0; turn < 3; turn++) {
            auto &one = all[(turn + frame) % 3];
            double from = now();
            one.update(scan, sensor);
            double updated = now();
            for (int i = 0; i < 500; i++) {
                float best[K];
                one.nearest(scan[std::size_t(i) * size / 500], best);
            }
            if (frame >= warm) one.updates.push_back(updated - from), one.queries.push_back((now() - updated) * 2);
        }
        for (int i = 0; i < 500; i += 50) {
            float best[3][K];
            for (int n = 0; n < 3; n++) all[n].nearest(scan[std::size_t(i) * size / 500], best[n]);
            for (int n = 1; n < 3; n++)
                for (int k = 0; k < K; k++)
                    if (std::abs(best[n][k] - best[0][k]) > 1e-5f * (1 + best[0][k])) {
                        std::printf("frame %d: %s finds another neighbor\n", frame, all[n].name);
                        return 1;
                    }
        }
    }
    std::printf("%zu points live; processor time of %d frames after %d\n", index.size(), frames - warm, warm);
    for (auto &one : all)
        std::printf("%-13s update median %7.1f ms, 95th percentile %7.1f ms, 5 nearest %6.2f us\n", one.name, at(one.updates, 0.5),
                    at(one.updates, 0.95), at(one.queries, 0.5));
    std::printf("quadrille / nanoflann: %.2f, %.2f, %.2f\n", at(all[1].updates, 0.5) / at(all[0].updates, 0.5),
                at(all[1].updates, 0.95) / at(all[0].updates, 0.95), at(all[1].queries, 0.5) / at(all[0].queries, 0.5));
}
