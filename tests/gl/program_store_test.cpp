#include "backend/gl/execution/programs/program_store.hpp"

#include <fstream>
#include <sstream>
#include <utility>

#include "backend/gl/context/options.hpp"
#include "backend/gl/gl_backend.hpp"
#include "gl/fixture.hpp"
#include "io/temporary_folder.hpp"
#include "support/setting.hpp"

/// Programs that outlive their process, in files.
namespace eglantine::test {
namespace {

class ProgramStore : public ::testing::Test {
 protected:
  static constexpr uint32_t count = 64;

  /// A process's part: its device, and how many programs it compiled and loaded for one dispatch.
  static std::pair<int64_t, int64_t> compiled_and_loaded(const gl::Options& options = {}) {
    const std::unique_ptr<gl::GlRuntime> runtime = open_runtime(options);
    const auto x = runtime->allocate(count * 4), y = runtime->allocate(count * 4);
    upload(*runtime, *x, counting(count));
    runtime->dispatch(multiply_add(*runtime, *x, *y, count, 3, 5));
    const std::vector<uint32_t> result = download(*runtime, *y, count);
    for (uint32_t i = 0; i < count; ++i) EXPECT_EQ(result[i], i * 3 + 5);
    return {runtime->programs(), runtime->loaded_programs()};
  }
  std::filesystem::path file() const { return *std::filesystem::directory_iterator(folder_.path()); }
  std::string contents() const {
    std::ostringstream text;
    text << std::ifstream(file(), std::ios::binary).rdbuf();
    return std::move(text).str();
  }
  void replace(const std::string& contents) const { std::ofstream(file(), std::ios::binary) << contents; }
  gl::ProgramStore store(const std::string& driver = "driver") const { return {folder_.path(), driver}; }

  TemporaryFolder folder_;
  Setting named_{"EGLANTINE_PROGRAMS", folder_.path().string()};
};

using Counts = std::pair<int64_t, int64_t>;

TEST_F(ProgramStore, serves_the_next_process) {
  EXPECT_EQ(compiled_and_loaded(), Counts(1, 0));
  if (is_empty(folder_.path())) GTEST_SKIP() << "the driver gives out no programs";
  EXPECT_EQ(compiled_and_loaded(), Counts(0, 1));
  EXPECT_EQ(compiled_and_loaded(), Counts(0, 1));
}

TEST_F(ProgramStore, is_off_where_the_variable_says_so) {
  const Setting off("EGLANTINE_PROGRAMS", "off");
  EXPECT_EQ(compiled_and_loaded(), Counts(1, 0));
  EXPECT_EQ(compiled_and_loaded(), Counts(1, 0));
}

decltype(gl::Functions::GetProgramBinary) get_binary = nullptr;

void get_spoiled_binary(GLuint program, GLsizei size, GLsizei* written, GLenum* format, void* bytes) {
  get_binary(program, size, written, format, bytes);
  for (GLsizei i = 0; i < *written; ++i) static_cast<unsigned char*>(bytes)[i] ^= 0x5aU;
}

TEST_F(ProgramStore, compiles_again_what_the_driver_refuses) {
  gl::Options options;
  options.replace_functions = [](gl::Functions& functions) {
    get_binary = std::exchange(functions.GetProgramBinary, &get_spoiled_binary);
  };
  EXPECT_EQ(compiled_and_loaded(options), Counts(1, 0));
  if (is_empty(folder_.path())) GTEST_SKIP() << "the driver gives out no programs";
  EXPECT_EQ(compiled_and_loaded(), Counts(1, 0));
  EXPECT_EQ(compiled_and_loaded(), Counts(0, 1)) << "the bad one was replaced";
}

gl::ProgramBinary some_binary(uint32_t format) {
  gl::ProgramBinary binary{format, std::vector<std::byte>(100)};
  for (size_t i = 0; i < binary.bytes.size(); ++i) binary.bytes[i] = static_cast<std::byte>(i);
  return binary;
}

TEST_F(ProgramStore, keeps_a_program_for_each_text_and_driver) {
  store().keep("one", some_binary(1));
  store().keep("two", some_binary(2));
  store("another driver").keep("one", some_binary(3));
  EXPECT_EQ(store().find("one").value().format, 1U);
  EXPECT_EQ(store().find("one").value().bytes, some_binary(1).bytes);
  EXPECT_EQ(store().find("two").value().format, 2U);
  EXPECT_EQ(store("another driver").find("one").value().format, 3U);
  EXPECT_FALSE(store("another driver").find("two"));
  store().drop("one");
  EXPECT_FALSE(store().has("one"));
  EXPECT_TRUE(store().has("two"));
}

/// As if two texts had one hash.
TEST_F(ProgramStore, compares_the_whole_text_and_the_driver) {
  store().keep("one", some_binary(1));
  const std::string of_one = contents();
  store().drop("one");
  store().keep("two", some_binary(2));
  replace(of_one);
  EXPECT_FALSE(store().find("two"));
}

TEST_F(ProgramStore, takes_no_damaged_file) {
  store().keep("text", some_binary(1));
  const std::string whole = contents();
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    replace(damaged);
    EXPECT_FALSE(store().find("text")) << "byte " << i;
    replace(whole.substr(0, i));
    EXPECT_FALSE(store().find("text")) << i << " bytes";
  }
  replace(whole + "x");
  EXPECT_FALSE(store().find("text"));
  replace(whole);
  EXPECT_TRUE(store().find("text"));
}

TEST_F(ProgramStore, refuses_a_named_folder_that_is_not_the_users_alone) {
  permissions(folder_.path(), std::filesystem::perms::all);
  std::ofstream(folder_.path() / "file") << "text";
  for (const auto& path : {folder_.path(), folder_.path() / "file", folder_.path() / "file" / "folder"}) {
    const Setting named("EGLANTINE_PROGRAMS", path.string());
    EXPECT_THROW(gl::check_environment(), DeviceError) << path;
  }
}

TEST_F(ProgramStore, lies_in_the_users_cache_unless_the_device_is_software) {
  const Setting none("EGLANTINE_PROGRAMS", std::nullopt), cache("XDG_CACHE_HOME", "/cache");
  EXPECT_EQ(gl::programs_folder(false), "/cache/eglantine/programs");
  EXPECT_EQ(gl::programs_folder(true), "");
}

}  // namespace
}  // namespace eglantine::test
