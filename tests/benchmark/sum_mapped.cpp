// Sums the bytes of a file on several threads: sum_mapped FILE [THREADS]. Prints the sum.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "mapped_sum.hpp"

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fputs("usage: sum_mapped FILE [THREADS]\n", stderr);
    return 2;
  }
  const int threads = argc == 3 ? std::atoi(argv[2]) : 2;
  if (threads < 1) {
    std::fputs("sum_mapped: THREADS is a number above 0\n", stderr);
    return 2;
  }
  try {
    const auto found = normcert::sum_of_mapped_file(argv[1], static_cast<unsigned>(threads));
    std::printf("%016llx of %llu bytes\n", static_cast<unsigned long long>(found.sum),
                static_cast<unsigned long long>(found.bytes));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "sum_mapped: %s\n", e.what());
    return 2;
  }
}
