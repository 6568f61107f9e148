#include "lower/contraction/schedule/tuning.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <fstream>
#include <set>

#include "backend/gl/context/make_target.hpp"
#include "backend/gl/gl_backend.hpp"
#include "gl/fixture.hpp"
#include "layout/layout.hpp"
#include "support/as_nobody.hpp"
#include "support/compare.hpp"
#include "support/random/draw.hpp"
#include "support/setting.hpp"

namespace eglantine::test {
namespace {

using lower::MatmulRead;
using lower::MatmulTile;
using lower::ProductClass;
using lower::Tuning;
using lower::TuningKey;

const TuningKey key{"Device, the 2nd/PCIe", "4.6.0 driver 1.2", "1.0.0", false, false};
const std::string head = "eglantine tuning 2\ndevice Device, the 2nd/PCIe\ndriver 4.6.0 driver 1.2\nlibrary 1.0.0\n";
const std::string choice = "matmul 1024x512x2048 of 1 reads kx: tile 16x8 of 8x4 in 4 by 16\n";

/// A folder for each test.
class TuningFile : public testing::Test {
 protected:
  TuningFile()
      : folder_(std::filesystem::temp_directory_path() /
                ("eglantine-tuning-" + std::to_string(getpid()) + "-" +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    create_directories(folder_);
  }
  ~TuningFile() override { remove_all(folder_); }

  std::filesystem::path write(const std::string& text) {
    const std::filesystem::path path = folder_ / "file.tuning";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  /// What is written to standard error when no tuning is found.
  static std::string complaint() {
    testing::internal::CaptureStderr();
    EXPECT_EQ(load_tuning(key), nullptr);
    return testing::internal::GetCapturedStderr();
  }
  std::string complaint_about(const std::string& text) {
    const Setting setting("EGLANTINE_TUNING", write(text).string());
    return complaint();
  }

  std::filesystem::path folder_;
};

std::string refusal_of(const std::string& text, const TuningKey& reader = key) {
  try {
    lower::parse_tuning(text, reader);
    return "none";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(Tuning, text_of_all_tiles_reads_back_as_the_same_choices) {
  for (const bool software : {false, true}) {
    TuningKey reader = key;
    reader.software = software;
    Tuning tuning;
    int64_t length = 1;
    for (const MatmulTile& tile : lower::known_tiles(software)) {
      tuning.tiles[{length, 64, 2 * length, 4096, MatmulRead::single, MatmulRead::mn_major}] = tile;
      length *= 2;
    }
    EXPECT_EQ(lower::parse_tuning(text_of(tuning, reader), reader).tiles, tuning.tiles);
  }
  EXPECT_EQ(lower::parse_tuning(head + choice + "end\n", key).tiles.size(), 1U);
  EXPECT_TRUE(lower::parse_tuning(head + "end\n", key).tiles.empty());
  Tuning few;
  few.few_columns[{4096, 16384, 8, 1, 2, false}] = {8, 32, 16, 128, 1, 2};
  EXPECT_EQ(lower::parse_tuning(text_of(few, key), key).few_columns, few.few_columns);
}

TEST(Tuning, texts_that_are_not_as_they_should_be_are_refused) {
  const std::string cut = "it ends too early";
  EXPECT_EQ(refusal_of(""), cut);
  EXPECT_EQ(refusal_of("eglantine tuning 2"), cut);
  EXPECT_EQ(refusal_of(head), cut);
  EXPECT_EQ(refusal_of(head + choice), cut);
  EXPECT_EQ(refusal_of(head + choice + "end"), cut);
  EXPECT_EQ(refusal_of("eglantine tuning 1\n"), "its first line is not \"eglantine tuning 2\"");
  EXPECT_EQ(refusal_of(std::string("\0\xFF\n", 3)), "its first line is not \"eglantine tuning 2\"");
  EXPECT_EQ(refusal_of(head + "end\n" + choice), "it goes on after its end");
  EXPECT_EQ(refusal_of(head + choice + choice + "end\n"), "it chooses twice for 1024x512x2048 of 1 reads kx");
  EXPECT_EQ(refusal_of(head + "\nend\n"), "\"\" is no choice");
  EXPECT_EQ(refusal_of(head + "sort 5: 6\nend\n"), "\"sort 5: 6\" is no choice");
  const std::string few =
      "few columns 4096x4096x8 of 1 with 2 bytes along k: 4 rows, 32 lanes of 256 in teams of 8, 2 runs of 2\n";
  EXPECT_EQ(refusal_of(head + few + few + "end\n"), "it chooses twice for 4096x4096x8 of 1 with 2 bytes along k");
  EXPECT_EQ(refusal_of(head + "few columns 4x4x1 of 1 with 2 bytes along k: all\nend\n"),
            "no way to divide products with few columns is called \"all\"");
  EXPECT_EQ(refusal_of(head + "matmul 1024x512x2048 of 1 reads kx: tile 9x9 of 8x4 in 4 by 16\nend\n"),
            "no tile is called \"tile 9x9 of 8x4 in 4 by 16\"");
}

TEST(Tuning, classes_that_do_not_exist_are_refused) {
  for (const std::string name :
       {"", "1024x512 of 1 reads kx", "1024x512x2048 of 1 reads kz", "1024x512x2048 of 1 reads k",
        "1024x512x2048 of 1 reads kxk", "1024x512x2047 of 1 reads kx", "01024x512x2048 of 1 reads kx",
        "-4x512x2048 of 1 reads kx", "0x512x2048 of 1 reads kx", "99999999999999999999x1x1 of 1 reads kx"}) {
    EXPECT_EQ(refusal_of(head + "matmul " + name + ": tile 16x8 of 8x4 in 4 by 16\nend\n"),
              "no class of products is called \"" + name + "\"");
  }
}

TEST(Tuning, a_file_for_another_device_driver_or_library_is_refused) {
  const auto made_for = [](const std::string& was, const std::string& is) {
    return "it was made for \"" + was + "\", and this is \"" + is + "\"";
  };
  TuningKey other = key;
  other.device = "Device";
  EXPECT_EQ(refusal_of(head + "end\n", other), made_for("device " + key.device, "device Device"));
  other = key;
  other.driver = "4.6.0 driver 1.3";
  EXPECT_EQ(refusal_of(head + "end\n", other), made_for("driver " + key.driver, "driver 4.6.0 driver 1.3"));
  other = key;
  other.library = "1.0.1";
  EXPECT_EQ(refusal_of(head + "end\n", other), made_for("library 1.0.0", "library 1.0.1"));
  other = key;
  other.software = true;
  EXPECT_EQ(refusal_of(head + choice + "end\n", other), "no tile is called \"tile 16x8 of 8x4 in 4 by 16\"");
}

TEST(Tuning, classes_gather_lengths_around_a_power_of_two) {
  const auto class_of = [](int64_t m) {
    return lower::class_of(m, 1, 1, 1, MatmulRead::k_major, MatmulRead::mn_major).m;
  };
  EXPECT_EQ(class_of(1), 1);
  EXPECT_EQ(class_of(767), 512);
  EXPECT_EQ(class_of(768), 1024);
  EXPECT_EQ(class_of(1535), 1024);
  EXPECT_EQ(class_of(0), 1);
}

TEST_F(TuningFile, lies_in_the_cache_folder_unless_the_environment_says_otherwise) {
  const Setting home("HOME", "/home/somebody"), cache("XDG_CACHE_HOME", ""), tuning("EGLANTINE_TUNING", "");
  EXPECT_EQ(tuning_file(key), "/home/somebody/.cache/eglantine/device-the-2nd-pcie.tuning");
  const Setting other("XDG_CACHE_HOME", "/caches");
  EXPECT_EQ(tuning_file(key), "/caches/eglantine/device-the-2nd-pcie.tuning");
  TuningKey gles = key;
  gles.gles = true;
  EXPECT_EQ(tuning_file(gles), "/caches/eglantine/device-the-2nd-pcie-gles.tuning");
  const Setting named("EGLANTINE_TUNING", "/elsewhere/a.txt");
  EXPECT_EQ(tuning_file(key), "/elsewhere/a.txt");
  const Setting off("EGLANTINE_TUNING", "off");
  EXPECT_EQ(tuning_file(key), "");
}

TEST_F(TuningFile, is_read_where_it_is) {
  const Setting setting("EGLANTINE_TUNING", write(head + choice + "end\n").string());
  const std::shared_ptr<const Tuning> tuning = load_tuning(key);
  ASSERT_NE(tuning, nullptr);
  EXPECT_EQ(tuning->file, folder_ / "file.tuning");
  const MatmulTile* tile = tuning->tile_of({1024, 512, 2048, 1, MatmulRead::k_major, MatmulRead::mn_major});
  ASSERT_NE(tile, nullptr);
  EXPECT_EQ(text_of(*tile), "tile 16x8 of 8x4 in 4 by 16");
  EXPECT_EQ(tuning->tile_of({1024, 512, 1024, 1, MatmulRead::k_major, MatmulRead::mn_major}), nullptr);
}

TEST_F(TuningFile, of_the_cache_folder_is_missed_without_a_word) {
  const Setting tuning("EGLANTINE_TUNING", std::nullopt), cache("XDG_CACHE_HOME", folder_.string());
  EXPECT_EQ(complaint(), "");
}

TEST_F(TuningFile, of_the_cache_folder_is_left_out_when_it_is_no_file) {
  const Setting tuning("EGLANTINE_TUNING", std::nullopt), cache("XDG_CACHE_HOME", folder_.string());
  const std::string file = tuning_file(key).string();
  const std::string warning =
      "eglantine: the tuning file " + file + " is not used: it cannot be read; scripts/bench --tune makes a new one\n";
  std::filesystem::create_directories(file);
  EXPECT_EQ(complaint(), warning);
  TuningKey other = key;  // warned once for each file
  other.gles = true;
  ASSERT_EQ(mkfifo(tuning_file(other).c_str(), 0600), 0);
  testing::internal::CaptureStderr();
  EXPECT_EQ(load_tuning(other), nullptr) << "and nobody waits for a writer";
  EXPECT_NE(testing::internal::GetCapturedStderr().find("it cannot be read"), std::string::npos);
}

TEST_F(TuningFile, that_is_larger_than_any_is_left_out_unread) {
  const std::filesystem::path file = write("");
  std::filesystem::resize_file(file, uintmax_t{1} << 40);
  const Setting setting("EGLANTINE_TUNING", file.string());
  EXPECT_EQ(complaint(), "eglantine: the tuning file " + file.string() +
                             " is not used: it has 1099511627776 bytes, more than a tuning file; scripts/bench --tune "
                             "makes a new one\n");
}

/// A named file is required: without it the choices would differ from what was asked for.
TEST_F(TuningFile, that_is_named_must_be_a_file_that_can_be_read) {
  const std::string advice =
      "; name a file that scripts/bench --tune made, say \"off\" to use none, or unset it to use the cache folder's";
  const std::filesystem::path pipe = folder_ / "pipe", closed = write(head + "end\n");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0644), 0);
  permissions(closed, std::filesystem::perms::none);
  const AsNobody nobody;
  for (const auto& [file, problem] : {std::pair{pipe, "is no regular file"},
                                      {folder_, "is a directory"},
                                      {"/dev/zero", "is no regular file"},
                                      {folder_ / "none", "cannot be read: No such file or directory"},
                                      {folder_ / "none" / "none", "cannot be read: No such file or directory"},
                                      {closed, "cannot be read: Permission denied"}}) {
    const Setting setting("EGLANTINE_TUNING", file.string());
    const std::string text = "[Device::open] EGLANTINE_TUNING is \"" + file.string() + "\", which " + problem + advice;
    EXPECT_ERROR(gl::open_backend("gl"), DeviceError, text);
    EXPECT_ERROR(gl::check_environment(), DeviceError, text);
    EXPECT_ERROR(load_tuning(key), DeviceError, text);
  }
}

TEST_F(TuningFile, is_left_out_with_one_warning_when_it_is_bad) {
  const std::string path = (folder_ / "file.tuning").string();
  EXPECT_EQ(
      complaint_about(head + choice),
      "eglantine: the tuning file " + path + " is not used: it ends too early; scripts/bench --tune makes a new one\n");
  EXPECT_EQ(complaint_about("nonsense\n"), "");  // warned once
}

TEST_F(TuningFile, chooses_the_tile_of_a_product_which_stays_right) {
  constexpr int64_t n = 72;  // a shorter k takes one step on hardware, in a tile that tuning does not offer
  const auto run = [&](gl::GlRuntime& device) {
    std::vector<uint32_t> values;
    for (int i = 0; i < n * n; ++i) values.push_back(std::bit_cast<uint32_t>(static_cast<float>(i % 17)));
    const auto buffer = [&] {
      auto result = std::make_shared<Buffer>(nullptr, n * n * 4);
      result->set_storage(device.allocate(result->bytes()));
      upload(device, result->storage(), values);
      return result;
    };
    const Layout layout = layout::contiguous({n, n});
    const Expr accumulator{{n * n}, {}, {}, {}, {{Op::accumulator, DType::f32, {-1, -1, -1}}}, {}};
    const MatmulKernel kernel{{},
                              n,
                              n,
                              n,
                              {buffer(), StorageType::f32, layout},
                              {buffer(), StorageType::f32, layout},
                              accumulator,
                              {buffer(), StorageType::f32, layout::contiguous({n * n})}};
    const lower::Lowered lowered = lower::lower(kernel, device.target(), &gl::unstored);
    device.run(lowered);
    const std::vector<uint32_t> found = download(device, kernel.out.buffer->storage(), n * n);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) {
        int64_t sum = 0;
        for (int64_t k = 0; k < n; ++k) sum += (i * n + k) % 17 * ((k * n + j) % 17);
        EXPECT_EQ(std::bit_cast<float>(found[static_cast<size_t>(i * n + j)]), static_cast<float>(sum))
            << i << " " << j;
      }
    EXPECT_EQ(lowered.steps.size(), 1U);
    return std::get<gl::Dispatch>(lowered.steps.at(0)).program->key();
  };
  TuningKey here;
  std::string by_the_table;
  {
    const Setting off("EGLANTINE_TUNING", "off");
    const auto device = open_runtime();
    EXPECT_EQ(device->target().tuning, nullptr);
    here = gl::tuning_key(device->context(), device->target().software);
    by_the_table = run(*device);
  }
  std::set<std::string> programs;
  Draw draw = draw_one_of(4);
  for (const MatmulTile& tile : lower::known_tiles(here.software)) {
    if (!draw.next()) continue;
    Tuning tuning;
    tuning.tiles[lower::class_of(n, n, n, 1, MatmulRead::k_major, MatmulRead::mn_major)] = tile;
    const Setting setting("EGLANTINE_TUNING", write(text_of(tuning, here)).string());
    const auto device = open_runtime();
    ASSERT_NE(device->target().tuning, nullptr);
    if (!tile.fits(device->target())) continue;
    const std::string program = run(*device);
    const bool shared = tile.form == lower::MatmulForm::tile;
    const std::string rows = shared ? "EG_TILE_M " + std::to_string(tile.m()) : "EG_ROWS " + std::to_string(tile.rows);
    const std::string columns =
        shared ? "EG_TILE_N " + std::to_string(tile.n()) : "EG_COLUMNS " + std::to_string(tile.columns);
    EXPECT_NE(program.find("#define " + rows + "u\n"), std::string::npos) << program << " for " << text_of(tile);
    EXPECT_NE(program.find("#define " + columns + "u\n"), std::string::npos) << program << " for " << text_of(tile);
    programs.insert(program);
  }
  if (draws_cases()) return;
  EXPECT_TRUE(programs.contains(by_the_table));
  EXPECT_GT(programs.size(), 2U);
}

}  // namespace
}  // namespace eglantine::test
