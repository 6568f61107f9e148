#include <fcntl.h>
#include <unistd.h>

#include <limits>

#include "backend/gl/memory/imported_allocator.hpp"
#include "gl/fixture.hpp"

/// Which buffers are imported, and what happens when a step of the import fails. The extension's functions are faked
/// with plain storage, since the driver under test may lack them.
namespace eglantine::test {
namespace {

gl::Functions memory_driver;
bool refuse_import = false, refuse_storage = false, error_pending = false;
int memory_objects = 0;
std::vector<int64_t> storage_sizes;

void play_memory_objects(gl::Functions& functions) {
  memory_driver = functions;
  refuse_import = refuse_storage = error_pending = false;
  memory_objects = 0;
  storage_sizes.clear();
  functions.CreateMemoryObjectsEXT = [](GLsizei, GLuint* name) { *name = static_cast<GLuint>(++memory_objects) + 100; };
  functions.DeleteMemoryObjectsEXT = [](GLsizei, const GLuint*) { --memory_objects; };
  functions.ImportMemoryFdEXT = [](GLuint, GLuint64, GLenum, GLint file) {
    error_pending = refuse_import;
    if (!refuse_import) close(file);
  };
  functions.BufferStorageMemEXT = [](GLenum target, GLsizeiptr bytes, GLuint, GLuint64) {
    error_pending = refuse_storage;
    storage_sizes.push_back(bytes);
    if (!refuse_storage) memory_driver.BufferStorage(target, bytes, nullptr, 0);
  };
  functions.GetError = [] {
    if (!std::exchange(error_pending, false)) return memory_driver.GetError();
    return static_cast<GLenum>(GL_INVALID_OPERATION);
  };
}

/// Hands out empty descriptors, and records them.
class FakeMemory : public gl::ExportedMemory {
 public:
  struct Record {
    std::vector<int64_t> sizes;
    int last_file = -1;
    int64_t granularity = int64_t{1} << 21;
    bool empty = false;
    int most = std::numeric_limits<int>::max();  ///< memory objects that fit at a time
  };
  explicit FakeMemory(Record& record) : record_(record) {}
  int64_t granularity() override { return record_.granularity; }
  int allocate(int64_t bytes) override {
    record_.sizes.push_back(bytes);
    record_.last_file = record_.empty || memory_objects >= record_.most ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
    return record_.last_file;
  }

 private:
  Record& record_;
};

constexpr int64_t large = gl::ImportedAllocator::smallest;

class ImportedMemory : public testing::Test {
 protected:
  std::unique_ptr<gl::GlRuntime> open() {
    gl::Options options;
    options.memory = gl::MemoryKind::imported;
    options.transfer = gl::TransferPath::staging;
    options.exported_memory = [this] { return std::make_unique<FakeMemory>(record_); };
    options.replace_functions = &play_memory_objects;
    return open_runtime(options);
  }
  /// Without buffer storage imported memory is impossible, and requesting it is an error.
  bool is_refused() {
    if (open_runtime()->context().gl().BufferStorage != nullptr) return false;
    EXPECT_THROW(open(), DeviceError);
    return true;
  }
  static GLuint memory_of(const Storage& storage) { return static_cast<const gl::GlStorage&>(storage).block().memory; }
  /// Writes the storage and reads it back.
  static void expect_usable(gl::GlRuntime& runtime, const Storage& storage) {
    const std::vector<uint32_t> values = counting(1000, 7);
    upload(runtime, storage, values);
    EXPECT_EQ(download(runtime, storage, values.size()), values);
  }

  FakeMemory::Record record_;
};

TEST_F(ImportedMemory, is_for_large_buffers) {
  if (is_refused()) return;
  const auto runtime = open();
  EXPECT_TRUE(runtime->target().large_pages);
  auto small = runtime->allocate(large - 16 - large / 8), big = runtime->allocate(large + 12);
  EXPECT_EQ(memory_of(*small), 0U);
  EXPECT_NE(memory_of(*big), 0U);
  expect_usable(*runtime, *big);
  EXPECT_EQ(record_.sizes, std::vector<int64_t>{large + large / 8});
}

TEST_F(ImportedMemory, is_for_middling_buffers_too_once_the_other_driver_runs) {
  if (is_refused()) return;
  constexpr int64_t middling = gl::ImportedAllocator::smallest_later;
  const auto runtime = open();
  auto before = runtime->allocate(middling), big = runtime->allocate(large);
  auto after = runtime->allocate(middling), little = runtime->allocate(middling - 16 - middling / 8);
  EXPECT_EQ(memory_of(*before), 0U);
  EXPECT_NE(memory_of(*after), 0U);
  EXPECT_EQ(memory_of(*little), 0U);
  expect_usable(*runtime, *after);
  EXPECT_EQ(record_.sizes, (std::vector<int64_t>{large, record_.granularity}));
}

TEST_F(ImportedMemory, is_taken_whole) {
  if (is_refused()) return;
  const auto runtime = open();
  record_.granularity = large + large / 2;
  const auto storage = runtime->allocate(large);
  EXPECT_NE(memory_of(*storage), 0U);
  expect_usable(*runtime, *storage);
  EXPECT_EQ(storage_sizes, std::vector<int64_t>{record_.granularity});
  EXPECT_EQ(record_.sizes, storage_sizes);
}

TEST_F(ImportedMemory, of_middling_buffers_wastes_half_of_their_pages_at_most) {
  if (is_refused()) return;
  const auto runtime = open();
  const auto big = runtime->allocate(large);
  for (const auto& [halves, is_imported] : {std::pair(1, false),
                                            {2, true},
                                            {3, true},
                                            {4, true},
                                            {5, true},
                                            {6, true},
                                            {7, true},
                                            {8, true},
                                            {9, true},
                                            {10, true},
                                            {12, true},
                                            {14, true},
                                            {18, true},
                                            {22, true}}) {
    const auto storage = runtime->allocate(int64_t{halves} << 19);
    EXPECT_EQ(memory_of(*storage) != 0, is_imported) << halves << " halves of a MiB";
  }
}

TEST_F(ImportedMemory, goes_back_to_the_driver_with_its_buffer) {
  if (is_refused()) return;
  const auto runtime = open();
  auto a = runtime->allocate(large), b = runtime->allocate(2 * large);
  EXPECT_EQ(memory_objects, 2);
  a.reset();
  EXPECT_EQ(memory_objects, 2);  // in the pool
  runtime->trim();
  EXPECT_EQ(memory_objects, 1);
}

TEST_F(ImportedMemory, gives_way_to_plain_storage_where_there_is_no_more) {
  if (is_refused()) return;
  const auto runtime = open();
  record_.empty = true;
  const auto storage = runtime->allocate(large);
  EXPECT_EQ(memory_of(*storage), 0U);
  expect_usable(*runtime, *storage);
}

/// Else a process that had many sizes in turn would have slow memory beside a pool of fast blocks.
TEST_F(ImportedMemory, does_not_give_way_while_the_pool_holds_some) {
  if (is_refused()) return;
  const auto runtime = open();
  record_.most = 1;
  auto a = runtime->allocate(2 * large);
  a.reset();
  auto b = runtime->allocate(large);
  EXPECT_NE(memory_of(*b), 0U);
  expect_usable(*runtime, *b);
  EXPECT_EQ(memory_of(*runtime->allocate(large)), 0U) << "the only one is in use";
  b.reset();
  EXPECT_EQ(memory_of(*runtime->allocate(4 * large)), 0U) << "the pool has not as much";
  EXPECT_EQ(memory_objects, 1);
}

TEST_F(ImportedMemory, gives_way_where_the_driver_refuses_the_import) {
  if (is_refused()) return;
  const auto runtime = open();
  refuse_import = true;
  const auto storage = runtime->allocate(large);
  EXPECT_EQ(memory_of(*storage), 0U);
  EXPECT_EQ(memory_objects, 0);
  EXPECT_EQ(fcntl(record_.last_file, F_GETFD), -1) << "the descriptor is still open";
  expect_usable(*runtime, *storage);
}

TEST_F(ImportedMemory, gives_way_where_the_driver_refuses_the_storage) {
  if (is_refused()) return;
  const auto runtime = open();
  refuse_storage = true;
  const auto storage = runtime->allocate(large);
  EXPECT_EQ(memory_of(*storage), 0U);
  EXPECT_EQ(memory_objects, 0);
  expect_usable(*runtime, *storage);
}

TEST_F(ImportedMemory, is_not_asked_for_where_plain_memory_is_wanted) {
  gl::Options options;
  options.memory = gl::MemoryKind::plain;
  options.exported_memory = [this] { return std::make_unique<FakeMemory>(record_); };
  options.replace_functions = &play_memory_objects;
  const auto runtime = open_runtime(options);
  EXPECT_FALSE(runtime->target().large_pages);
  EXPECT_EQ(memory_of(*runtime->allocate(large)), 0U);
  EXPECT_TRUE(record_.sizes.empty());
}

}  // namespace
}  // namespace eglantine::test
