// Sums the bytes of a file on several threads: sum_mapped FILE [THREADS [read]]. Prints the sum.
// With `read` the file is read in blocks instead of mapped.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "mapped_sum.hpp"

int main(int argc, char** argv) {
  const bool reads = argc == 4 && std::strcmp(argv[3], "read") == 0;
  if (argc < 2 || argc > 4 || (argc == 4 && !reads)) {
    std::fputs("usage: sum_mapped FILE [THREADS [read]]\n", stderr);
    return 2;
  }
  const int threads = argc >= 3 ? std::atoi(argv[2]) : 2;
  if (threads < 1) {
    std::fputs("sum_mapped: THREADS is a number above 0\n", stderr);
    return 2;
  }
  try {
    const auto count = static_cast<unsigned>(threads);
    const auto found = reads ? normcert::sum_of_read_file(argv[1], count)
                             : normcert::sum_of_mapped_file(argv[1], count);
    std::printf("%016llx of %llu bytes\n", static_cast<unsigned long long>(found.sum),
                static_cast<unsigned long long>(found.bytes));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "sum_mapped: %s\n", e.what());
    return 2;
  }
}
