#include "judge/dump_formats.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "inference/stored_format.hpp"
#include "problem/row_reader.hpp"

namespace normcert {
namespace {

const FloatFormat* narrowed(const TensorView& tensor, const FloatFormat* stated,
                            const FloatFormat* of_y) {
  if (stated != nullptr) return stated;
  if (of_y == nullptr || tensor.size() == 0) return nullptr;
  const NarrowerFormats seen = narrower_formats_of(tensor);
  return seen.shows() && seen.fits(*of_y) ? of_y : nullptr;
}

bool replace(TensorView& tensor, const FloatFormat* format) {
  if (format == nullptr || *format == *tensor.format || tensor.size() == 0) return false;
  tensor = stored_as(tensor, *format);
  return true;
}

// One row, which is read again and again: converted once.
void replace_weight(TensorView& weight, const FloatFormat* format) {
  if (replace(weight, format)) weight = held(weight);
}

// x + residual is rounded to the format of x, where that is stated and its numbers agree.
const FloatFormat* format_of_sum(const TensorView& sum, const FormatsOfDump& formats) {
  const bool fits = formats.x != nullptr && narrower_formats_of(sum).fits(*formats.x);
  return fits ? formats.x : nullptr;
}

// A tensor of a dump, and what may be thought of it.
struct DumpedTensor {
  std::string name;
  const FloatFormat* stored = nullptr;
  const FloatFormat* read = nullptr;
  bool stated = false;
  NarrowerFormats fits;

  DumpedTensor(std::string name_of_it, const TensorView& as_stored, const TensorView& as_read,
               const FloatFormat* format)
      : name(std::move(name_of_it)),
        stored(as_stored.format),
        read(as_read.format),
        stated(format != nullptr) {
    if (is_open()) fits = narrower_formats_of(as_stored);
  }

  [[nodiscard]] bool is_open() const { return !stated && *read == kFp32; }

  // `preferred` where it fits, else whatever narrower one does, else as it was read.
  [[nodiscard]] const FloatFormat& narrowest(const FloatFormat& preferred) const {
    if (!fits.any()) return *read;
    if (fits.fits(preferred)) return preferred;
    return fits.bf16 ? kBf16 : kFp16;
  }
};

// Both are of one format under any reading.
void join_residual(DumpedTensor& x, const DumpedTensor& residual) {
  if (residual.is_open()) {
    x.fits.bf16 = x.fits.bf16 && residual.fits.bf16;
    x.fits.fp16 = x.fits.fp16 && residual.fits.fp16;
  } else if (!(*residual.read == *x.read)) {
    x.fits.bf16 = x.fits.bf16 && *residual.read == kBf16;
    x.fits.fp16 = x.fits.fp16 && *residual.read == kFp16;
  }
}

void describe(const DumpedTensor& part, const FloatFormat& format, DumpReading& reading) {
  if (!(format == *part.read)) {
    reading.shown = reading.shown && part.fits.shows();
    reading.narrower += (reading.narrower.empty() ? "" : " and ") + part.name;
  }
  // Left alone it is read so anyway.
  if (format == *part.stored && !part.fits.shows()) return;
  reading.option +=
      (reading.option.empty() ? "" : ",") + part.name + "=" + std::string(format.name);
}

bool same(const FloatFormat* a, const FloatFormat* b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

bool same(const FormatsOfDump& a, const FormatsOfDump& b) {
  return same(a.x, b.x) && same(a.weight, b.weight) && same(a.y, b.y);
}

}  // namespace

std::string narrow_dump(JudgedCase& judged, const FormatsOfDump& formats) {
  Case& value = judged.value;
  if (!judged.observed || !judged.observed->y) return "";
  TensorView& y = *judged.observed->y;
  const FloatFormat* const format = formats.y != nullptr ? formats.y : narrower_format_of(y);
  const bool is_narrower = replace(y, format);
  value.output = y.format;
  replace(value.x, narrowed(value.x, formats.x, format));
  if (value.residual) replace(*value.residual, narrowed(*value.residual, formats.x, format));
  if (value.weight) replace_weight(*value.weight, narrowed(*value.weight, formats.weight, format));
  if (judged.observed->residual_out) {
    TensorView& sum = *judged.observed->residual_out;
    replace(sum, narrowed(sum, format_of_sum(sum, formats), format));
  }
  return is_narrower ? std::string(kFp32.name) : "";
}

std::string words_of(const DumpReading& reading) {
  return "stored as fp32, but every number of " + reading.narrower +
         " fits a narrower format, and the outputs are explained only so: judged as --dtype-of " +
         reading.option + " does";
}

std::string excuse_words(const DumpReading& reading) {
  return "every number of " + reading.narrower + " fits a narrower one" +
         (reading.shown ? "" : " (too few of them to show that it is theirs)") +
         ", in which it is not refuted: --dtype-of " + reading.option + " judges them so";
}

std::vector<DumpReading> other_readings(const JudgedCase& stored, const JudgedCase& read,
                                        const FormatsOfDump& stated) {
  std::vector<DumpReading> readings;
  const Case& value = stored.value;
  if (!stored.observed || !stored.observed->y || value.x.size() == 0) return readings;
  DumpedTensor x("x", value.x, read.value.x, stated.x);
  if (value.residual) {
    join_residual(x, {"residual", *value.residual, *read.value.residual, stated.x});
  }
  const DumpedTensor y("y", *stored.observed->y, *read.observed->y, stated.y);
  std::optional<DumpedTensor> weight;
  if (value.weight) weight.emplace("weight", *value.weight, *read.value.weight, stated.weight);

  const FormatsOfDump as_read{x.read, weight ? weight->read : nullptr, y.read};
  const auto add = [&](const FloatFormat& of_x, const FloatFormat* of_weight,
                       const FloatFormat& of_y) {
    DumpReading reading{.formats = {&of_x, of_weight, &of_y}, .narrower = "", .option = ""};
    const bool is_known =
        same(reading.formats, as_read) || std::ranges::any_of(readings, [&](const auto& one) {
          return same(one.formats, reading.formats);
        });
    if (is_known) return;
    describe(x, of_x, reading);
    if (weight) describe(*weight, *of_weight, reading);
    describe(y, of_y, reading);
    readings.push_back(std::move(reading));
  };
  for (const FloatFormat* const format : {&kBf16, &kFp16}) {
    const FloatFormat& of_x = x.narrowest(*format);
    const FloatFormat& of_y = y.narrowest(*format);
    add(of_x, as_read.weight, of_y);
    const FloatFormat& narrow = of_x == kFp32 ? of_y : of_x;
    if (weight && weight->fits.fits(narrow)) add(of_x, &narrow, of_y);
  }
  return readings;
}

}  // namespace normcert
