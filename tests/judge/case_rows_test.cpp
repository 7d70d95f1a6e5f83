#include "judge/case_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace normcert {
namespace {

// A source that counts how often it is asked.
class Counting : public ByteSource {
 public:
  explicit Counting(std::span<const std::byte> bytes) : bytes_(bytes) {}
  [[nodiscard]] bool read(std::size_t offset, std::span<std::byte> into) const override {
    ++asked;
    std::ranges::copy(bytes_.subspan(offset, into.size()), into.begin());
    return true;
  }
  mutable int asked = 0;

 private:
  std::span<const std::byte> bytes_;
};

std::vector<std::byte> numbers(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
  return bytes;
}

std::vector<std::byte> copy_of(std::span<const std::byte> bytes) {
  return {bytes.begin(), bytes.end()};
}

TEST(CaseRowsTest, TheRowBeforeIsReadWithTheBlock) {
  constexpr std::size_t kRows = 300;
  constexpr std::size_t kWidth = 512;
  const std::vector<std::byte> x = numbers(kRows * kWidth * 2);
  const std::vector<std::byte> y = numbers(kRows * kWidth * 2 + 1);
  const auto x_source = std::make_shared<const Counting>(x);
  const auto y_source = std::make_shared<const Counting>(y);
  JudgedCase judged;
  judged.value.x = {.format = &kBf16, .rows = kRows, .width = kWidth, .bytes = x};
  judged.value.x.source = x_source;
  judged.observed = Outputs{};
  judged.observed->y = TensorView{.format = &kBf16, .rows = kRows, .width = kWidth};
  judged.observed->y->bytes = std::span(y).subspan(1);
  judged.observed->y->source = y_source;
  judged.observed->y->source_offset = 1;

  const CaseRows rows = rows_after_another(judged, 100, 150);
  EXPECT_EQ(x_source->asked, 1);
  EXPECT_EQ(y_source->asked, 1);
  EXPECT_EQ(rows.row_in_file(0), 100U);
  ASSERT_EQ(rows.value.x.rows, 150U);
  ASSERT_EQ(rows.observed->y->rows, 150U);
  for (const std::size_t row : {0U, 77U, 149U}) {
    EXPECT_EQ(copy_of(rows.value.x.row_bytes(row)), copy_of(judged.value.x.row_bytes(100 + row)));
    EXPECT_EQ(copy_of(rows.observed->y->row_bytes(row)),
              copy_of(judged.observed->y->row_bytes(100 + row)));
  }
  ASSERT_NE(rows.before, nullptr);
  EXPECT_EQ(rows.before->row_in_file(0), 99U);
  ASSERT_EQ(rows.before->value.x.rows, 1U);
  EXPECT_EQ(copy_of(rows.before->value.x.bytes), copy_of(judged.value.x.row_bytes(99)));
  EXPECT_EQ(copy_of(rows.before->observed->y->bytes), copy_of(judged.observed->y->row_bytes(99)));
  EXPECT_EQ(rows_of(judged, 100, 150).before, nullptr);
}

}  // namespace
}  // namespace normcert
