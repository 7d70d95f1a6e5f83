#include "inference/hypothesis_grid.hpp"

#include <algorithm>
#include <functional>

namespace normcert {

std::vector<NamedEpsilon> epsilons_of(const Case& value) {
  std::vector<NamedEpsilon> list;
  const Epsilon& declared = value.epsilon;
  if (!declared.text.empty()) {
    list.push_back({"declared", declared.binary64});
    list.push_back({"declared as fp32", to_binary64(declared.as(kFp32))});
    if (value.x.format->precision < kFp32.precision) {
      list.push_back({"declared as " + std::string(value.x.format->name),
                      to_binary64(declared.as(*value.x.format))});
    }
  }
  list.push_back({"1e-5", 1e-5});
  list.push_back({"1e-6", 1e-6});
  list.push_back({"1e-8", 1e-8});
  list.push_back({"1e-12", 1e-12});
  list.push_back({"eps(fp32)", 0x1p-23});
  list.push_back({"eps(bf16)", 0x1p-7});
  list.push_back({"eps(fp16)", 0x1p-10});
  return list;
}

std::vector<Divisor> divisors_of(std::size_t width) {
  std::vector<Divisor> divisors = {{"sum_square", 1}};
  if (width > 1) divisors.push_back({"mean_square_n_minus_1", static_cast<double>(width - 1)});
  std::size_t power = 1;
  while (power < width) power *= 2;
  std::vector<std::size_t> padded = {power};
  for (const std::size_t multiple : {std::size_t{64}, std::size_t{128}, std::size_t{256}}) {
    padded.push_back((width + multiple - 1) / multiple * multiple);
  }
  std::ranges::sort(padded);
  padded.erase(std::unique(padded.begin(), padded.end()), padded.end());
  for (const std::size_t m : padded) {
    if (m != width) divisors.push_back({"padded_" + std::to_string(m), static_cast<double>(m)});
  }
  // Ranks 2, 4 and 8 of a row that is split among them, and the usual sizes of heads and groups.
  std::vector<std::size_t> groups = {64, 128};
  for (const std::size_t parts : {std::size_t{2}, std::size_t{4}, std::size_t{8}}) {
    if (width % parts == 0) groups.push_back(width / parts);
  }
  std::ranges::sort(groups, std::ranges::greater());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  for (const std::size_t size : groups) {
    const bool is_group = size > 1 && size + 1 < width && width % size == 0;
    if (!is_group) continue;
    divisors.push_back({"grouped_" + std::to_string(size), static_cast<double>(size)});
  }
  return divisors;
}

}  // namespace normcert
