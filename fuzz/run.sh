#!/bin/bash
# run.sh [--replay] [--seconds N] [TARGET...] - fuzz the parsers with libFuzzer, on stable Rust.
#
#   --seconds N   for so long in all, shared out over the targets (default 600)
#   --replay      first try everything known: the seeds, the shipped profiles, and what once broke a parser; then some seconds
#                 of fuzzing only show that it works, and the parsers are not optimised, which builds in half the time
#
# libFuzzer needs no nightly compiler: the coverage it wants is a pass of LLVM, which stable rustc can be asked to run.
# New findings go to fuzz/artifacts/, what was learnt to fuzz/corpus/; both stay on this machine.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=600 replay=false targets=()
while [ $# -gt 0 ]; do
    case $1 in
        --seconds) seconds=${2:?"--seconds needs a number"}; shift ;;
        --replay) replay=true ;;
        -*) echo "error: unknown option $1" >&2; exit 2 ;;
        *) targets+=("$1") ;;
    esac
    shift
done
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(sed -n 's/^path = "targets\/\(.*\)\.rs"/\1/p' fuzz/Cargo.toml)

scripts/need.sh cargo
scripts/packages.sh c++=g++ python3=python3

triple=$(rustc -vV | sed -n 's/^host: //p')
export CARGO_TARGET_DIR=$PWD/fuzz/target
profile=release
if $replay; then profile=replay; fi
flags=(-Cpasses=sancov-module -Ccodegen-units=1 -Cdebug-assertions -Coverflow-checks)
for argument in level=4 inline-8bit-counters pc-table trace-compares; do
    flags+=("-Cllvm-args=-sanitizer-coverage-$argument")
done
RUSTFLAGS="${flags[*]}" cargo build --quiet --profile "$profile" --locked --manifest-path fuzz/Cargo.toml --target "$triple"

dictionary=$CARGO_TARGET_DIR/toml.dict
{ cat fuzz/dictionaries/toml.dict; python3 fuzz/words.py schema/{link,variant,workload,experiment}.json; } >"$dictionary"

fuzz_one() { # fuzz_one TARGET SECONDS
    local target=$1 for_seconds=$2 program=$CARGO_TARGET_DIR/$triple/$profile/$1 known=() options=() log
    log=$CARGO_TARGET_DIR/$target.log
    mkdir -p "fuzz/corpus/$target" "fuzz/artifacts/$target"
    local place
    for place in "fuzz/seeds/$target" "fuzz/regressions/$target"; do
        if [ -d "$place" ]; then known+=("$place"); fi
    done
    case $target in # the shipped files are the best seeds
        *_toml)
            known+=("profiles/${target%_toml}s")
            options+=(-dict="$dictionary")
            ;;
    esac
    if $replay; then
        "$program" -runs=0 -rss_limit_mb=2048 -timeout=10 "${known[@]}" >"$log" 2>&1 || { tail -n 40 "$log" >&2; return 1; }
    fi
    # A seed that hangs or eats memory is a finding too: 10 seconds, 2 GB.
    "$program" -max_total_time="$for_seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
        "${options[@]}" -artifact_prefix="fuzz/artifacts/$target/" "fuzz/corpus/$target" "${known[@]}" >"$log" 2>&1 \
        || { tail -n 40 "$log" >&2; echo "error: $target: the input is in fuzz/artifacts/$target/" >&2; return 1; }
    echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs in $for_seconds s, no crash"
}

# As many at a time as there are cores, each for its share.
cores=$(nproc)
rounds=$(((${#targets[@]} + cores - 1) / cores))
share=$((seconds / rounds))
[ "$share" -ge 1 ] || share=1
failed=false
for ((first = 0; first < ${#targets[@]}; first += cores)); do
    running=()
    for target in "${targets[@]:first:cores}"; do
        fuzz_one "$target" "$share" &
        running+=($!)
    done
    for job in "${running[@]}"; do wait "$job" || failed=true; done
done
if $failed; then exit 1; fi
echo "fuzz: ${#targets[@]} parsers, no crash"
