#!/usr/bin/env bash
# Instructions per operation, counted by valgrind: the same on a busy machine as on a quiet one.
#
#   benches/instructions.sh                          all operations
#   benches/instructions.sh points rects/next        those whose names begin like that
#   benches/instructions.sh --report FILE NAME       writes to FILE what each line of the source cost
#   benches/instructions.sh --plain [NAME]…          with the vectors of the target only, as without the feature std
#
# Needs valgrind. Compare the figures of two commits on one machine with one compiler.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v valgrind >/dev/null || { echo 'valgrind is not installed' >&2; exit 2; }
flags=()
if [[ ${1:-} == --plain ]]; then
    flags=(--no-default-features --features libm)
    shift
fi
report=
if [[ ${1:-} == --report ]]; then
    report=${2:?--report wants a file}
    shift 2
fi

# Line tables, so that a report can name lines; they change no instruction. One unit: with several, it is chance what the
# compiler inlines across them.
bench=$(CARGO_PROFILE_BENCH_DEBUG=line-tables-only CARGO_PROFILE_BENCH_CODEGEN_UNITS=1 cargo bench --package quadrille-benches "${flags[@]}" --bench instructions --no-run 2>&1 |
    sed -n 's/.*Executable.*(\(.*\))$/\1/p')
[[ -x $bench ]] || { echo 'the bench does not build: cargo bench -p quadrille-benches --bench instructions --no-run' >&2; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mapfile -t names < <("$bench" --list "$@")
[[ ${#names[@]} -gt 0 ]] || { echo "no such operation: $*" >&2; exit 2; }
printf '%-24s %14s\n' operation 'instructions'
for name in "${names[@]}"; do
    valgrind --tool=callgrind --collect-atstart=no --toggle-collect='*instructions::measured*' \
        --callgrind-out-file="$work/out" "$bench" --once --exactly "$name" >"$work/stdout" 2>"$work/stderr" ||
        { cat "$work/stderr" >&2; exit 1; }
    count=$(awk '{ print $2 }' "$work/stdout")
    total=$(sed -n 's/^summary: \([0-9]*\).*/\1/p' "$work/out")
    printf '%-24s %14s\n' "$name" "$(awk "BEGIN { printf \"%.1f\", $total / $count }")"
    [[ -z $report ]] || callgrind_annotate --inclusive=no --auto=yes "$work/out" >"$report"
done
