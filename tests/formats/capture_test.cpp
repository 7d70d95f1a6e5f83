#include "formats/capture.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "formats/safetensors_text.hpp"
#include "formats/safetensors_writer.hpp"
#include "formats/temporary_folder.hpp"
#include "problem/thrown_message.hpp"

namespace normcert {
namespace {

Capture real_capture(const std::string& name, CaptureKind kind = CaptureKind::kCases) {
  return read_capture(NORMCERT_SOURCE_DIR "/tests/data/captures/" + name, kind);
}

SafetensorsEntry zeros(const std::string& name, std::vector<std::size_t> shape,
                       const FloatFormat& format = kBf16) {
  std::size_t size = 1;
  for (const std::size_t n : shape) size *= n;
  TensorView view = Tensor(format, 1, size).share();
  view.shape = std::move(shape);
  return {name, view};
}

Capture capture(const TextPairs& metadata, const std::vector<SafetensorsEntry>& entries,
                CaptureKind kind = CaptureKind::kCases,
                const std::string& name = "dir/port.safetensors") {
  return capture_of(parse_text(safetensors_bytes(metadata, entries), name), kind);
}

TEST(Capture, ReadsWhatTorchSaved) {
  const Capture read = real_capture("bf16-n64/hf.LlamaRMSNorm.cpu.safetensors");
  ASSERT_EQ(read.sites.size(), 1);
  const CaptureSite& site = read.sites[0];
  EXPECT_EQ(site.site, "");
  EXPECT_EQ(site.id, "hf.LlamaRMSNorm.cpu");
  EXPECT_EQ(site.x->rows, 20);
  EXPECT_EQ(site.x->width, 64);
  EXPECT_EQ(*site.x->format, kBf16);
  EXPECT_EQ(site.weight->width, 64);
  EXPECT_EQ(site.y->at(0, 0).bits, 0xBEB8u);
  EXPECT_FALSE(site.residual.has_value());
  EXPECT_EQ(site.epsilon->text, "1e-6");
  EXPECT_EQ(site.weight_offset->text, "0");
  EXPECT_EQ(site.implementation, "hf.LlamaRMSNorm.cpu");
  EXPECT_FALSE(site.weight_is_none);
  EXPECT_EQ(*find_text(read.metadata, "gpu"), "NVIDIA H200");
  EXPECT_TRUE(read.unused.empty());
}

TEST(Capture, ResidualsAndGradients) {
  const CaptureSite fused = real_capture("bf16-n64/kernel.vl_fused.safetensors").sites.at(0);
  EXPECT_EQ(fused.residual->shape, fused.x->shape);
  EXPECT_EQ(fused.residual_out->shape, fused.x->shape);
  const CaptureSite backward =
      capture({}, {zeros("x", {2, 4}), zeros("weight", {4}), zeros("grad_y", {2, 4}),
                   zeros("grad_x", {2, 4}), zeros("grad_weight", {4})})
          .sites.at(0);
  EXPECT_FALSE(backward.y.has_value());
  EXPECT_EQ(backward.grad_y->shape, backward.x->shape);
  EXPECT_EQ(backward.grad_x->shape, backward.x->shape);
  EXPECT_EQ(backward.grad_weight->shape, backward.weight->shape);
  EXPECT_FALSE(backward.weight_offset.has_value());
}

TEST(Capture, ANormWithoutWeightSaysSo) {
  const CaptureSite site = real_capture("bf16-n64/hf.Llama4TextL2Norm.cpu.safetensors").sites.at(0);
  EXPECT_TRUE(site.weight_is_none);
  EXPECT_FALSE(site.weight.has_value());
}

TEST(Capture, SitesStandInTheOrderOfTheHeader) {
  const Capture read =
      capture({{"epsilon", "1e-05"}},
              {zeros("z.norm.weight", {4}), zeros("z.norm.x", {2, 4}), zeros("a.norm.x", {3, 8}),
               zeros("z.norm.y", {2, 4}), zeros("lm_head.weight", {5, 4})});
  ASSERT_EQ(read.sites.size(), 2);
  EXPECT_EQ(read.sites[0].site, "z.norm");
  EXPECT_EQ(read.sites[0].id, "port/z.norm");
  EXPECT_TRUE(read.sites[0].weight && read.sites[0].x && read.sites[0].y);
  EXPECT_EQ(read.sites[1].site, "a.norm");
  EXPECT_FALSE(read.sites[1].y.has_value());
  ASSERT_EQ(read.unused.size(), 1);
  EXPECT_EQ(read.unused[0].name, "lm_head.weight");
  EXPECT_EQ(read.unused[0].nearest, "");
}

TEST(Capture, LeadingDimensionsAreRows) {
  const Capture read = capture({}, {zeros("x", {2, 3, 4}), zeros("weight", {4}, kFp32)});
  EXPECT_EQ(read.sites[0].x->rows, 6);
  EXPECT_EQ(read.sites[0].x->width, 4);
  EXPECT_EQ(capture({}, {zeros("x", {7})}).sites[0].x->rows, 1);
}

TEST(Capture, MetadataOfASiteComesBeforeThatOfTheFile) {
  const Capture read = capture({{"epsilon", "1e-5"},
                                {"weight_offset", "1"},
                                {"a.epsilon", "1e-6"},
                                {"a.class", "tiny"},
                                {"a.b.class", "large"},
                                {"a.b.weight", "none"},
                                {"ab.class", "kept with the file"},
                                {"phase", "decode"}},
                               {zeros("a.x", {4}), zeros("a.b.x", {4})});
  ASSERT_EQ(read.sites.size(), 2);
  EXPECT_EQ(read.sites[0].epsilon->text, "1e-6");
  EXPECT_EQ(read.sites[0].weight_offset->binary64, 1);
  EXPECT_EQ(read.sites[0].class_name, "tiny");
  EXPECT_FALSE(read.sites[0].weight_is_none);
  EXPECT_EQ(read.sites[1].epsilon->text, "1e-5");
  EXPECT_EQ(read.sites[1].class_name, "large");
  EXPECT_TRUE(read.sites[1].weight_is_none);
  EXPECT_EQ(read.metadata, (TextPairs{{"epsilon", "1e-5"},
                                      {"weight_offset", "1"},
                                      {"ab.class", "kept with the file"},
                                      {"phase", "decode"}}));
  EXPECT_EQ(read.sites[0].metadata, (TextPairs{{"epsilon", "1e-6"}, {"class", "tiny"}}));
}

TEST(Capture, NoneGivenDeclaresNothing) {
  const Capture read = capture({{"epsilon", "none given"}}, {zeros("x", {4})});
  EXPECT_FALSE(read.sites[0].epsilon.has_value());
  EXPECT_FALSE(capture({}, {zeros("x", {4})}).sites[0].epsilon.has_value());
}

TEST(Capture, PrefixesAreIdsInFilesOfCases) {
  const Capture read =
      capture({{"normcert_cases", "0123"}}, {zeros("tiny.2.x", {4}), zeros("x", {4})});
  EXPECT_EQ(read.sites[0].id, "tiny.2");
  EXPECT_EQ(read.sites[1].id, "port");
}

TEST(Capture, ObservedFilesHoldOutputs) {
  const Capture read =
      capture({{"normcert_cases", "0123"}},
              {zeros("a.y", {2, 4}), zeros("b.residual_out", {2, 4}), zeros("b.y", {2, 4})},
              CaptureKind::kObserved);
  ASSERT_EQ(read.sites.size(), 2);
  EXPECT_EQ(read.sites[0].id, "a");
  EXPECT_FALSE(read.sites[0].x.has_value());
  EXPECT_TRUE(read.sites[1].residual_out.has_value());
}

TEST(Capture, UnknownNamesAreListedWithTheNearestKnownOne) {
  const Capture read =
      capture({}, {zeros("n.x", {4}), zeros("n.weigth", {4}), zeros("n.Y", {4}),
                   zeros("n.residuals", {4}), zeros("n.attention_mask", {4}), zeros("other", {4})});
  ASSERT_EQ(read.unused.size(), 5);
  EXPECT_EQ(read.unused[0].nearest, "n.weight");
  EXPECT_EQ(read.unused[1].nearest, "n.y");
  EXPECT_EQ(read.unused[2].nearest, "n.residual");
  EXPECT_EQ(read.unused[3].nearest, "");
  EXPECT_EQ(read.unused[4].nearest, "");
}

TEST(Capture, EightBitFormatsAreStorage) {
  EXPECT_EQ(
      *capture({}, {zeros("x", {4}), zeros("weight", {4}, kFp8E4m3fn)}).sites[0].weight->format,
      kFp8E4m3fn);
  const std::vector<SafetensorsEntry> scaled = {zeros("x", {2, 4}), zeros("y", {2, 4}, kFp8E5m2),
                                                zeros("y_scale", {2, 1}, kFp32)};
  EXPECT_EQ(capture({}, scaled).sites[0].y_scale->size(), 2);
}

struct Refused {
  TextPairs metadata;
  std::vector<SafetensorsEntry> entries;
  std::string code;
  std::string message;  // behind "dir/port.safetensors: "
  CaptureKind kind = CaptureKind::kCases;
};

TEST(Capture, WhatDoesNotFitIsRefused) {
  const std::vector<Refused> table = {
      {{}, {}, "", "found no tensors, expected a tensor x or <site>.x"},
      {{},
       {zeros("input", {4})},
       "",
       "found no tensor of a capture among input, expected a tensor x or <site>.x"},
      {{},
       {zeros("a.X", {4})},
       "",
       "found no tensor of a capture among a.X, expected a tensor x or <site>.x (did you mean "
       "\"a.x\"?)"},
      {{},
       {zeros("model.norm.weight", {4}), zeros("lm_head.weight", {4})},
       "",
       "found no tensor of a capture among model.norm.weight, lm_head.weight, expected a tensor x "
       "or <site>.x (weights of a model are given with --config or --weights)"},
      {{},
       {zeros("a.y", {4})},
       "",
       "tensor a.x: found no tensor of this name, expected the input of the norm"},
      {{},
       {zeros("a.x", {4}), zeros("b.y", {4})},
       "",
       "tensor b.x: found no tensor of this name, expected the input of the norm"},
      {{},
       {zeros("a.x", {4})},
       "",
       "tensor a.y: found no tensor of this name, expected the output of the norm",
       CaptureKind::kObserved},
      {{},
       {zeros("weight", {4})},
       "",
       "found no tensor of a capture among weight, expected a tensor y or <site>.y (weights of a "
       "model are given with --config or --weights)",
       CaptureKind::kObserved},
      {{},
       {zeros("x", {0, 4})},
       "empty",
       "tensor x: found [0, 4], no elements, expected at least one row of at least one element"},
      {{},
       {zeros("x", {4, 0})},
       "empty",
       "tensor x: found [4, 0], no elements, expected at least one row of at least one element"},
      {{},
       {zeros("x", {2, 0, 4})},
       "empty",
       "tensor x: found [2, 0, 4], no elements, expected at least one row of at least one element"},
      {{},
       {zeros("x", {2, 4}), zeros("y", {4, 2})},
       "shape_mismatch",
       "tensor y: found [4, 2], expected [2, 4], as x"},
      {{},
       {zeros("x", {2, 4}), zeros("y", {1, 2, 4})},
       "shape_mismatch",
       "tensor y: found [1, 2, 4], expected [2, 4], as x"},
      {{},
       {zeros("x", {2, 4}), zeros("weight", {2})},
       "shape_mismatch",
       "tensor weight: found [2], expected [4], as the width of x"},
      {{},
       {zeros("x", {2, 4}), zeros("weight", {1, 4})},
       "shape_mismatch",
       "tensor weight: found [1, 4], expected [4], as the width of x"},
      {{},
       {zeros("x", {2, 4}), zeros("residual", {2, 5})},
       "shape_mismatch",
       "tensor residual: found [2, 5], expected [2, 4], as x"},
      {{},
       {zeros("x", {4}), zeros("residual_out", {4})},
       "",
       "tensor residual_out: found no residual beside it, expected the residual that was added, as "
       "residual"},
      {{},
       {zeros("x", {4}), zeros("grad_x", {5})},
       "shape_mismatch",
       "tensor grad_x: found [5], expected [4], as x"},
      {{},
       {zeros("x", {4}), zeros("grad_weight", {5})},
       "shape_mismatch",
       "tensor grad_weight: found [5], expected [4], as the width of x"},
      {{},
       {zeros("x", {4}, kFp8E4m3fn)},
       "unknown_dtype",
       "tensor x: found F8_E4M3, expected one of F64, F32, BF16, F16"},
      {{},
       {zeros("x", {4}), zeros("y", {4}, kFp8E4m3fn)},
       "unknown_dtype",
       "tensor y: found F8_E4M3 without y_scale, expected the scale of an 8-bit output as y_scale"},
      {{},
       {zeros("x", {2, 4}), zeros("y", {2, 4}), zeros("y_scale", {3})},
       "shape_mismatch",
       "tensor y_scale: found [3], expected one element, or one for each of the 2 rows"},
      {{{"weight", "none"}},
       {zeros("x", {4}), zeros("weight", {4})},
       "",
       "tensor weight: found a weight although __metadata__.weight says none, expected one of the "
       "two"},
      {{{"epsilon", "small"}},
       {zeros("x", {4})},
       "epsilon_unreadable",
       "__metadata__.epsilon: found small, expected an epsilon such as 1e-6"},
      {{{"epsilon", "0"}},
       {zeros("x", {4})},
       "epsilon_not_positive",
       "__metadata__.epsilon: found 0, expected an epsilon above 0 (as binary64)"},
      {{{"epsilon", "-1e-6"}},
       {zeros("x", {4})},
       "epsilon_not_positive",
       "__metadata__.epsilon: found -1e-6, expected an epsilon above 0"},
      {{{"epsilon", "nan"}},
       {zeros("x", {4})},
       "epsilon_not_finite",
       "__metadata__.epsilon: found nan, expected an epsilon that is a finite number"},
      {{{"a.epsilon", ""}},
       {zeros("a.x", {4})},
       "epsilon_unreadable",
       "__metadata__.a.epsilon: found an empty text, expected an epsilon such as 1e-6, or \"none "
       "given\""},
      {{{"weight_offset", "one"}},
       {zeros("x", {4})},
       "",
       "__metadata__.weight_offset: found \"one\", expected a weight offset such as 0 or 1"},
      {{{"weight_offset", "inf"}},
       {zeros("x", {4})},
       "",
       "__metadata__.weight_offset: found \"inf\", expected a weight offset such as 0 or 1"},
  };
  for (const Refused& refused : table) {
    const auto read = [&] { (void)capture(refused.metadata, refused.entries, refused.kind); };
    EXPECT_EQ(thrown_message(read), "dir/port.safetensors: " + refused.message);
    try {
      read();
    } catch (const InputError& error) {
      EXPECT_EQ(error.parts().code, refused.code) << error.what();
    }
  }
}

TEST(Capture, OtherNumbersAreRefusedByName) {
  const auto message = [](const std::string& header, std::size_t bytes) {
    return thrown_message(
        [&] { (void)capture_of(parse_header(header, bytes), CaptureKind::kCases); });
  };
  EXPECT_EQ(message(R"({"x":{"dtype":"I32","shape":[2],"data_offsets":[0,8]}})", 8),
            "f.safetensors: tensor x: found I32, expected one of F64, F32, BF16, F16");
  EXPECT_EQ(message(R"({"x":{"dtype":"bf16","shape":[2],"data_offsets":[0,4]}})", 4),
            "f.safetensors: tensor x: found bf16, expected one of F64, F32, BF16, F16");
  EXPECT_EQ(message(R"({"x":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})", 4),
            "f.safetensors: tensor x: found a single number, expected rows of numbers");
}

TEST(Capture, OnlySafetensorsFilesAreRead) {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  const auto message = [&](const std::string& name, const std::string& content) {
    put_file(folder / name, content);
    return thrown_message([&] { (void)read_capture(folder / name, CaptureKind::kCases); });
  };
  EXPECT_EQ(thrown_message([&] { (void)read_capture(folder.path(), CaptureKind::kCases); }),
            path + ": found a folder, expected a .safetensors file");
  EXPECT_EQ(message("a.safetensors", "\x93NUMPY\1\0"),
            path + "/a.safetensors: byte 0: found a .npy array, expected a safetensors file");
  EXPECT_EQ(message("a.npz", std::string("PK\3\4", 4) + std::string(22, '\0') +
                                 std::string("\5\0\0\0x.npy", 9)),
            path + "/a.npz: byte 0: found an .npz archive, expected a safetensors file");
}

}  // namespace
}  // namespace normcert
