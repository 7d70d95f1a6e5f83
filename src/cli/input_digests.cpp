#include "cli/input_digests.hpp"

#include <utility>

#include "formats/sha256.hpp"

namespace normcert {

InputDigests::InputDigests(const CaseList& list, const std::vector<JudgedCase>& cases,
                           unsigned threads)
    : of_inputs_(list.inputs.size()), of_cases_(cases.size()), tasks_(threads) {
  for (const auto& [index, file] : list.unhashed) {
    tasks_.add([this, index = index, file = file] {
      of_inputs_[index] = sha256_hex(file->bytes(), *file);
    });
  }
  // The small ones together, so that a task is worth a thread.
  constexpr std::size_t kTogether = std::size_t{1} << 20;
  for (std::size_t first = 0; first < cases.size();) {
    std::size_t end = first;
    for (std::size_t bytes = 0; end < cases.size() && bytes < kTogether; ++end) {
      const TensorView& x = cases[end].value.x;
      bytes += x.size() * static_cast<std::size_t>(x.format->storage_bytes);
    }
    tasks_.add([this, &cases, first, end] {
      for (std::size_t i = first; i < end; ++i) of_cases_[i] = case_sha256(cases[i].value);
    });
    first = end;
  }
}

std::vector<std::string> InputDigests::finish(std::vector<ReportInput>& inputs) {
  tasks_.wait();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!of_inputs_[i].empty()) inputs[i].sha256 = of_inputs_[i];
  }
  return std::move(of_cases_);
}

}  // namespace normcert
