// Rows that are made when they are asked for.
#include "problem/row_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace normcert {
namespace {

constexpr std::size_t kRows = 5;
constexpr std::size_t kWidth = 3;

Tensor numbers() {
  Tensor tensor(kFp32, kRows, kWidth);
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t i = 0; i < kWidth; ++i) {
      tensor.set(row, i, code_of(static_cast<float>(10 * row + i)));
    }
  }
  return tensor;
}

// Copies of bytes, as long as it has them.
class Copies : public ByteSource {
 public:
  explicit Copies(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

  [[nodiscard]] bool read(std::size_t offset, std::span<std::byte> into) const override {
    if (offset + into.size() > bytes_.size()) return false;
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = bytes_[offset + i];
    return true;
  }

 private:
  std::vector<std::byte> bytes_;
};

TensorView made(std::size_t bytes_before = 0) {
  std::vector<std::byte> bytes(bytes_before);
  const Tensor tensor = numbers();
  bytes.insert(bytes.end(), tensor.bytes.begin(), tensor.bytes.end());
  TensorView view;
  view.format = &kFp32;
  view.rows = kRows;
  view.width = kWidth;
  view.shape = {kRows, kWidth};
  view.source = std::make_shared<const Copies>(std::move(bytes));
  view.source_offset = bytes_before;
  return view;
}

TEST(RowReader, RowsThatAreMadeAreThoseAtHand) {
  const Tensor tensor = numbers();
  const TensorView at_hand = tensor.view();
  EXPECT_FALSE(is_made(at_hand));
  for (const std::size_t before : {std::size_t{0}, std::size_t{8}}) {
    const TensorView view = made(before);
    ASSERT_TRUE(is_made(view));
    RowReader rows(view);
    RowReader others(at_hand);
    for (std::size_t row = 0; row < kRows; ++row) {
      std::array<double, kWidth> numbers{};
      rows.widened(row, numbers);
      for (std::size_t i = 0; i < kWidth; ++i) {
        EXPECT_EQ(numbers[i], static_cast<double>(10 * row + i));
        EXPECT_EQ(view.at(row, i), tensor.at(row, i));
      }
      EXPECT_TRUE(std::ranges::equal(rows.row(row), others.row(row)));
      EXPECT_TRUE(std::ranges::equal(rows.part(row, 1, 2), others.part(row, 1, 2)));
    }
    EXPECT_TRUE(same_rows(view, at_hand, 0, kRows));
    EXPECT_EQ(held(view).shape, view.shape);
    EXPECT_TRUE(std::ranges::equal(held(view).bytes, tensor.bytes));
  }
}

TEST(RowReader, ARangeOfRowsIsAtHand) {
  const Tensor tensor = numbers();
  const TensorView part = made().rows_from(2, 2);
  EXPECT_FALSE(is_made(part));
  EXPECT_TRUE(same_rows(part, tensor.view().rows_from(2, 2), 0, 2));
  EXPECT_FALSE(same_rows(part, tensor.view().rows_from(1, 2), 0, 2));
}

TEST(RowReader, BytesThatAreNotThereAreNoRows) {
  TensorView view = made();
  EXPECT_THROW((void)view.row_bytes(0), std::logic_error);
  view.rows = kRows + 1;
  RowReader rows(view);
  EXPECT_NO_THROW((void)rows.row(kRows - 1));
  EXPECT_THROW((void)rows.row(kRows), std::runtime_error);
  EXPECT_THROW((void)view.rows_from(0, kRows + 1), std::runtime_error);
}

}  // namespace
}  // namespace normcert
