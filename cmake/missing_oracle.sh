#!/bin/sh
# Stands for an oracle test that could not be built: a named skip, and red in CI, where every
# oracle has to be there. Usage: missing_oracle.sh TEST LIBRARY...
test_name=$1
shift
echo "skipped: $test_name needs $* (scripts/install-dependencies test)"
[ "${CI:-}" = true ] && exit 1
exit 77
