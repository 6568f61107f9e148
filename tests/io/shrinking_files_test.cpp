#include <atomic>
#include <functional>
#include <thread>

#include "eglantine/error.hpp"
#include "eglantine/io.hpp"
#include "eglantine/ops.hpp"
#include "io/file_test.hpp"
#include "io/read_tensor.hpp"
#include "support/compare.hpp"
#include "system/input_file.hpp"

/// Files that other programs cut short while they are read: an error, where touching a map of them would end the
/// process.
namespace eglantine::test {
namespace {

namespace fs = std::filesystem;

EG_FILES_ON_EACH_DEVICE(ShrinkingFiles);

EG_TEST(ShrinkingFiles, end_in_an_error_when_read) {
  constexpr int64_t count = 1 << 20;
  for (const DType dtype : {DType::f32, DType::boolean}) {
    const fs::path path = write("x", std::string(count * 4, '\0'));
    const io::InputFile opened(path);
    fs::resize_file(path, count / 2);
    const auto read = [&, next = uint64_t{0}](std::span<std::byte> to) mutable {
      opened.read_at(next, to);
      next += to.size();
    };
    EXPECT_ERROR(io::read_tensor({&io::format_of(dtype), {count}}, read, device()), FileError,
                 "it became shorter while it was read");
  }
}

EG_TEST(ShrinkingFiles, give_all_elements_or_an_error) {
  const Tensor x = arange(0, 100'000).eval();
  using Load = std::function<Tensor(const fs::path&)>;
  const std::vector<std::pair<std::function<void(const fs::path&)>, Load>> formats{
      {[&](const fs::path& path) { save_npy(path, x); }, [](const fs::path& path) { return load_npy(path); }},
      {[&](const fs::path& path) {
         save_npz(path, {{"x", x}});
       },
       [](const fs::path& path) { return load_npz(path).at("x"); }},
      {[&](const fs::path& path) {
         save_safetensors(path, {{"x", x}});
       },
       [](const fs::path& path) { return load_safetensors(path).at("x"); }}};
  for (const auto& [save, load] : formats) {
    save(file("x"));
    const std::string whole = bytes_of(file("x"));
    std::atomic<bool> done = false;
    std::thread other([&] {
      while (!done) {
        fs::resize_file(file("x"), whole.size() / 2);
        std::ofstream(file("x"), std::ios::binary | std::ios::in) << whole;
      }
    });
    for (int i = 0; i < 100; ++i) {
      try {
        EXPECT_EQ(load(file("x")).size(), 100'000);
      } catch (const FileError&) {
      }
    }
    done = true;
    other.join();
  }
}

}  // namespace
}  // namespace eglantine::test
