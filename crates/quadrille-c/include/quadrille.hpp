// quadrille for C++17: handles, spans and lambdas over quadrille.h, which has the meaning of each call.
//
//     quadrille::index<float> index(2, {0, 0, 1000, 1000});
//     auto units = index.add_layer(QD_POINTS);
//     auto scout = index.insert(units, {90, 40});
//     index.move(units, {scout}, {104, 42});
//     index.each(quadrille::box<float>({80, 0, 120, 100}, units), [&](qd_handle unit) { light(unit); });
//
// An error is thrown as quadrille::error. A lambda may return nothing, or true to stop; what it throws comes out of the call.
#ifndef QUADRILLE_HPP
#define QUADRILLE_HPP

#include <exception>
#include <initializer_list>
#include <limits>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "quadrille.h"

namespace quadrille {

using handle = qd_handle;

struct error : std::runtime_error {
    qd_status status;
    explicit error(qd_status status) : std::runtime_error(qd_last_error()), status(status) {}
};

inline void must(qd_status status) {
    if (status != QD_OK) throw error(status);
}

// A pointer and a length: of a vector, an array, a list in braces, or std::span.
template <class T>
struct span {
    const T *data = nullptr;
    std::size_t size = 0;
    span() = default;
    span(const T *data, std::size_t size) : data(data), size(size) {}
    // The list lives as long as the call that it is written in.
    span(std::initializer_list<T> list) : size(list.size()) { data = list.begin(); }
    template <class List, class = decltype(std::declval<const List &>().data())>
    span(const List &list) : data(list.data()), size(list.size()) {}
};

// One layer, as a set of layers too: units | walls.
struct layer {
    std::uint32_t number;
    qd_kind kind;
    operator std::uint64_t() const { return QD_LAYER(number); }
};

namespace detail {

struct freed {
    void operator()(void *made) const { qd_free(made); }
};
template <class T>
using owned = std::unique_ptr<T, freed>;

// The functions of a scalar.
template <class S>
struct c;

#define QUADRILLE_FUNCTIONS(S, P) \
    template <> \
    struct c<S> { \
        using index = P##_index; \
        using query = P##_query; \
        using hit = P##_hit; \
        using cluster = P##_cluster; \
        static constexpr auto create = P##_new; \
        static constexpr auto add_layer = P##_add_layer; \
        static constexpr auto clear = P##_clear; \
        static constexpr auto count = P##_count; \
        static constexpr auto insert = P##_insert; \
        static constexpr auto move_to = P##_move_to; \
        static constexpr auto set_layer = P##_set_layer; \
        static constexpr auto remove = P##_remove; \
        static constexpr auto shapes_of = P##_shapes_of; \
        static constexpr auto optimize = P##_optimize; \
        static constexpr auto find = P##_find; \
        static constexpr auto each = P##_each; \
        static constexpr auto find_many = P##_find_many; \
        static constexpr auto clusters = P##_clusters; \
        static constexpr auto cursor_new = P##_cursor_new; \
        static constexpr auto next = P##_next; \
        static constexpr auto nearest = P##_nearest; \
        static constexpr auto nearest_many = P##_nearest_many; \
        static constexpr auto raycast = P##_raycast; \
        static constexpr auto cast = P##_cast; \
        static constexpr auto pairs = P##_pairs; \
        static constexpr auto each_neighbors = P##_each_neighbors; \
        static constexpr auto poll = P##_poll; \
        static constexpr auto poll_pairs = P##_poll_pairs; \
        static constexpr auto save = P##_save; \
        static constexpr auto load = P##_load; \
    };
QUADRILLE_FUNCTIONS(double, qd)
QUADRILLE_FUNCTIONS(float, qdf)
#undef QUADRILLE_FUNCTIONS

// Calls a lambda from C, and keeps what it throws: that must not pass through C.
template <class Come, class Gone>
struct calls {
    Come &come;
    Gone &gone;
    std::exception_ptr thrown = nullptr;

    template <class F>
    int run(F &&call) {
        if (thrown) return 1;
        try {
            if constexpr (std::is_void_v<decltype(call())>) return call(), 0;
            else return call() ? 1 : 0;
        } catch (...) {
            return thrown = std::current_exception(), 1;
        }
    }
    static int came(void *context, const handle *list, std::size_t len) {
        auto &self = *static_cast<calls *>(context);
        return self.run([&] { return self.come(span<handle>(list, len)); });
    }
    static int went(void *context, const handle *list, std::size_t len) {
        auto &self = *static_cast<calls *>(context);
        return self.run([&] { return self.gone(span<handle>(list, len)); });
    }
    void end(qd_status status) {
        if (thrown) std::rethrow_exception(thrown);
        must(status);
    }
};
template <class Come, class Gone>
calls(Come &, Gone &) -> calls<Come, Gone>;

} // namespace detail

// A question that owns the numbers of its region. Change what you like: query.layers = QD_LAYER(walls).
template <class S>
struct question {
    qd_shape shape = QD_EVERYWHERE;
    std::vector<S> numbers;
    std::uint64_t layers = QD_ALL_LAYERS;
    qd_relation relation = QD_INTERSECTING;
    std::vector<handle> excluding;

    typename detail::c<S>::query c() const {
        return {std::uint32_t(relation), std::uint32_t(shape), numbers.data(), numbers.size(), layers, excluding.data(), excluding.size()};
    }
};

template <class S>
question<S> ask(qd_shape shape, span<S> numbers, std::uint64_t layers = QD_ALL_LAYERS) {
    return {shape, std::vector<S>(numbers.data, numbers.data + numbers.size), layers, QD_INTERSECTING, {}};
}
// The least corner, then the greatest.
template <class S>
question<S> box(span<S> numbers, std::uint64_t layers = QD_ALL_LAYERS) { return ask(QD_BOX, numbers, layers); }
template <class S>
question<S> point(span<S> numbers, std::uint64_t layers = QD_ALL_LAYERS) { return ask(QD_POINT, numbers, layers); }
// The center, then the radius.
template <class S>
question<S> ball(span<S> numbers, std::uint64_t layers = QD_ALL_LAYERS) { return ask(QD_BALL, numbers, layers); }
// From, to.
template <class S>
question<S> segment(span<S> numbers, std::uint64_t layers = QD_ALL_LAYERS) { return ask(QD_SEGMENT, numbers, layers); }

// Corners, in 2D.
template <class S>
question<S> polygon(span<S> numbers, std::uint64_t layers = QD_ALL_LAYERS) { return ask(QD_POLYGON, numbers, layers); }
// Several rings, each until its first corner comes again.
template <class S>
question<S> rings(span<S> numbers, std::uint64_t layers = QD_ALL_LAYERS) { return ask(QD_RINGS, numbers, layers); }
// Points, then the distance from the line through them.
template <class S>
question<S> corridor(span<S> numbers, std::uint64_t layers = QD_ALL_LAYERS) { return ask(QD_CORRIDOR, numbers, layers); }

// The answers to many questions: that to question n is `answers[n]`.
template <class T>
struct answers {
    std::vector<std::size_t> offsets;
    std::vector<T> items;
    span<T> operator[](std::size_t n) const { return {items.data() + offsets[n], offsets[n + 1] - offsets[n]}; }
};

using cursor = detail::owned<qd_cursor>;
using watch = detail::owned<qd_watch>;
using contacts = detail::owned<qd_contacts>;

inline watch new_watch() {
    qd_watch *made;
    return must(qd_watch_new(&made)), watch(made);
}
inline contacts new_contacts() {
    qd_contacts *made;
    return must(qd_contacts_new(&made)), contacts(made);
}

template <class S>
class index {
    using c = detail::c<S>;
    detail::owned<typename c::index> made;
    std::uint32_t axes;

public:
    using hit = typename c::hit;
    using cluster = typename c::cluster;

    index(std::uint32_t dimensions, span<S> world) : axes(dimensions) {
        if (world.size != 2 * dimensions) throw std::invalid_argument("a world has 2 numbers for each dimension");
        typename c::index *index;
        must(c::create(dimensions, world.data, &index)), made.reset(index);
    }

    // For calls of quadrille.h.
    typename c::index *get() const { return made.get(); }

    quadrille::layer add_layer(qd_kind kind) {
        std::uint32_t number;
        return must(c::add_layer(get(), kind, &number)), quadrille::layer{number, kind};
    }
    void clear(std::uint64_t layers = QD_ALL_LAYERS) { must(c::clear(get(), layers)); }
    std::size_t size(std::uint64_t layers = QD_ALL_LAYERS) const {
        std::size_t objects;
        return must(c::count(get(), layers, &objects, nullptr)), objects;
    }

    // One object: a point or a box.
    handle insert(quadrille::layer to, span<S> shape) {
        if (shape.size != numbers(to)) throw std::invalid_argument("one shape of the layer's kind expected");
        return insert_all(to, shape).front();
    }
    // Many, one after the other in a list.
    std::vector<handle> insert_all(quadrille::layer to, span<S> shapes) {
        if (shapes.size % numbers(to)) throw std::invalid_argument("shapes of the layer's kind expected");
        std::vector<handle> handles(shapes.size / numbers(to));
        return must(c::insert(get(), to.number, shapes.data, handles.size(), handles.data())), handles;
    }
    // Objects of the layer, or of one of the same kind.
    void move(quadrille::layer of, span<handle> handles, span<S> shapes) {
        if (shapes.size != handles.size * numbers(of)) throw std::invalid_argument("a shape for each handle expected");
        must(c::move_to(get(), of.kind, handles.data, shapes.data, handles.size, nullptr));
    }
    void set_layer(quadrille::layer to, span<handle> handles) {
        must(c::set_layer(get(), to.number, handles.data, handles.size, nullptr));
    }
    void remove(span<handle> handles) { must(c::remove(get(), handles.data, handles.size)); }
    std::vector<S> box_of(handle object) const {
        std::vector<S> box(2 * axes);
        return must(c::shapes_of(get(), &object, 1, box.data(), nullptr)), box;
    }
    bool optimize(std::size_t budget) {
        std::int32_t done;
        return must(c::optimize(get(), budget, &done)), done;
    }

    std::size_t count(const question<S> &asked) const {
        std::size_t found;
        auto query = asked.c();
        return must(c::find(get(), &query, nullptr, 0, &found)), found;
    }
    std::vector<handle> find(const question<S> &asked) const {
        std::vector<handle> list;
        each(asked, [&](handle object) { list.push_back(object); });
        return list;
    }
    // Calls f(handle) for each object.
    template <class F>
    void each(const question<S> &asked, F &&f) const {
        auto all = [&](span<handle> list) {
            for (std::size_t i = 0; i < list.size; i++) {
                if constexpr (std::is_void_v<decltype(f(handle()))>) f(list.data[i]);
                else if (f(list.data[i])) return true;
            }
            return false;
        };
        detail::calls calls{all, all};
        auto query = asked.c();
        calls.end(c::each(get(), &query, calls.came, &calls));
    }
    // The answers to many questions.
    quadrille::answers<handle> find_many(span<question<S>> asked) const {
        return many<handle>(asked, [&](auto queries, auto n, auto offsets, auto list, auto capacity, auto found) {
            return c::find_many(get(), queries, n, offsets, list, capacity, found);
        });
    }
    quadrille::answers<hit> nearest_many(span<question<S>> from, std::size_t most, S within = std::numeric_limits<S>::infinity()) const {
        return many<hit>(from, [&](auto queries, auto n, auto offsets, auto list, auto capacity, auto found) {
            return c::nearest_many(get(), queries, n, within, most, offsets, list, capacity, found);
        });
    }
    std::vector<cluster> clusters(const question<S> &asked, S size) const {
        std::size_t found;
        auto query = asked.c();
        must(c::clusters(get(), &query, size, nullptr, 0, &found));
        std::vector<cluster> list(found);
        must(c::clusters(get(), &query, size, list.data(), found, &found));
        return list.resize(found), list;
    }
    cursor pause(const question<S> &asked) const {
        qd_cursor *made;
        auto query = asked.c();
        return must(c::cursor_new(get(), &query, &made)), cursor(made);
    }
    // The next objects, at most `most`: fewer are the last.
    std::vector<handle> next(const cursor &cursor, std::size_t most) const {
        std::vector<handle> list(most);
        std::size_t found;
        must(c::next(get(), cursor.get(), list.data(), most, &found));
        return list.resize(found), list;
    }
    std::vector<hit> nearest(const question<S> &from, std::size_t most, S within = std::numeric_limits<S>::infinity()) const {
        return hits(most, [&](auto query, auto list, auto found) { return c::nearest(get(), query, within, list, most, found); }, from);
    }
    std::vector<hit> raycast(const question<S> &segment, std::size_t most) const {
        return hits(most, [&](auto query, auto list, auto found) { return c::raycast(get(), query, list, most, found); }, segment);
    }
    std::vector<hit> cast(const question<S> &body, span<S> motion, std::size_t most, S skin = -1) const {
        if (motion.size != axes) throw std::invalid_argument("a motion has a number for each dimension");
        return hits(most, [&](auto query, auto list, auto found) { return c::cast(get(), query, motion.data, skin, list, most, found); }, body);
    }
    // Two handles for each pair.
    std::vector<handle> pairs(std::uint64_t layers, S within = 0, std::uint64_t between = 0) const {
        std::size_t found;
        must(c::pairs(get(), layers, between, within, nullptr, 0, &found));
        std::vector<handle> list(found);
        must(c::pairs(get(), layers, between, within, list.data(), found, &found));
        return list.resize(found), list;
    }
    // Calls f(span) with each object and its neighbors.
    template <class F>
    void each_neighbors(std::uint64_t layers, S within, F &&f, std::uint64_t around = 0, std::size_t most = 0) const {
        detail::calls calls{f, f};
        calls.end(c::each_neighbors(get(), layers, around, within, most, calls.came, &calls));
    }
    // Calls came(span) and gone(span).
    template <class Came, class Gone>
    void poll(const watch &watch, const question<S> &asked, Came &&came, Gone &&gone) const {
        detail::calls calls{came, gone};
        auto query = asked.c();
        calls.end(c::poll(get(), watch.get(), &query, calls.came, calls.went, &calls));
    }
    template <class Came, class Gone>
    void poll(const contacts &contacts, std::uint64_t layers, S within, Came &&came, Gone &&gone, std::uint64_t between = 0) const {
        detail::calls calls{came, gone};
        calls.end(c::poll_pairs(get(), contacts.get(), layers, between, within, calls.came, calls.went, &calls));
    }

    std::vector<std::uint8_t> save() const {
        std::size_t len;
        must(c::save(get(), nullptr, 0, &len));
        std::vector<std::uint8_t> bytes(len);
        return must(c::save(get(), bytes.data(), len, &len)), bytes;
    }
    static index load(std::uint32_t dimensions, span<std::uint8_t> saved) {
        typename c::index *loaded;
        must(c::load(dimensions, saved.data, saved.size, &loaded));
        return index(dimensions, loaded);
    }

private:
    index(std::uint32_t dimensions, typename c::index *loaded) : made(loaded), axes(dimensions) {}

    std::size_t numbers(quadrille::layer of) const { return of.kind == QD_POINTS ? axes : 2 * axes; }

    // Asks with as much room as the last answer said; first with as much as there are questions.
    template <class T, class F>
    static quadrille::answers<T> many(span<question<S>> asked, F &&call) {
        std::vector<typename c::query> queries;
        for (std::size_t n = 0; n < asked.size; n++) queries.push_back(asked.data[n].c());
        quadrille::answers<T> all{std::vector<std::size_t>(asked.size + 1), std::vector<T>(asked.size)};
        for (std::size_t found = asked.size;;) {
            must(call(queries.data(), queries.size(), all.offsets.data(), all.items.data(), all.items.size(), &found));
            bool is_all = found <= all.items.size();
            all.items.resize(found);
            if (is_all) return all;
        }
    }
    template <class F>
    static std::vector<hit> hits(std::size_t most, F &&call, const question<S> &asked) {
        std::vector<hit> list(most);
        std::size_t found;
        auto query = asked.c();
        must(call(&query, list.data(), &found));
        return list.resize(found), list;
    }
};

} // namespace quadrille

#endif
